"""The engine against PEFT's own counts: the shared cases and recorded draws."""

import hashlib
import json
import re
from collections import Counter
from pathlib import Path

import pytest

from llmcalc.core.lora.layers import Layer, LoraConfig, Model, Parameter
from llmcalc.core.lora.peft import apply_lora
from llmcalc.core.lora.tensors import adapter_tensors
from llmcalc.errors import LlmcalcError
from llmcalc.inputs.models.config import read_config
from llmcalc.inputs.models.lora_config import read_lora_fields

CASES = Path(__file__).parents[1] / "cases"
FILES = [p for p in sorted((CASES / "lora").glob("*.json")) if "cases" in p.read_text()]
# Made by tests/reference/record_lora.py; its first line names the versions.
LINES = (CASES / "lora_drawn.jsonl").read_text().splitlines()
DRAWN = [json.loads(line) for line in LINES[1:]]
# What PEFT reported as the kind of refusal -> what our message must name.
NAMED = {
    "nothing-matched": "matches no layer",
    "no-default-targets": "no default",
    "bad-rank": "0 is not a rank",
    "partial-fused-experts": "cannot adapt one of them alone",
    "option-not-for-parameters": "on a bare tensor",
}


def cases(path):
    data = json.loads(path.read_text())
    return read_config(data["config"], data["name"]), data["cases"]


def pattern(name):
    return re.sub(r"\.\d+(?=\.|$)", ".*", name)


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_counts_are_those_that_peft_reported(path):
    model, listed = cases(path)
    for case in listed:
        config = read_lora_fields(case["lora"], "adapter_config.json")
        if "error" in case:
            with pytest.raises(LlmcalcError, match=NAMED[case["error"]]):
                apply_lora(model, config)
            continue
        adapted = apply_lora(model, config)
        assert (adapted.trainable, adapted.total) == (case["trainable"], case["total"])
        parts = {key: n for key, n in adapted.parts._asdict().items() if n}
        assert parts == case["parts"]
        percent = 100 * adapted.trainable / adapted.total
        assert f"{percent:.4f}" == case["percent"]
        assert adapted.trainable == sum(adapted.parts)


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_adapted_layers_are_those_that_peft_reported(path):
    model, listed = cases(path)
    for case in listed:
        if "error" in case:
            continue
        adapted = apply_lora(model, read_lora_fields(case["lora"], "x"))
        got = Counter(
            (pattern(m.name), m.kind, m.d_in, m.d_out, m.rank, m.params)
            for m in adapted.modules
        )
        assert got == {
            (
                m["pattern"],
                *(m[k] for k in ("kind", "d_in", "d_out", "r", "params_each")),
            ): (m["count"])
            for m in case["modules"]
        }
        scalings = {pattern(m.name): m.scaling for m in adapted.modules}
        for m in case["modules"]:
            assert scalings[m["pattern"]] == pytest.approx(m["scaling"], rel=1e-11)


@pytest.mark.parametrize(
    "record",
    DRAWN,
    ids=[f"{i}-{r['config']['model_type']}" for i, r in enumerate(DRAWN)],
)
def test_drawn_settings_count_as_peft_counted_them(record):
    model = read_config(record["config"], "config.json")
    assert model.total == record["base"]
    config = read_lora_fields(record["lora"], "adapter_config.json")
    if record["peft"] is None:
        with pytest.raises(LlmcalcError):
            apply_lora(model, config)
        return
    adapted = apply_lora(model, config)
    counted = (adapted.trainable, adapted.total)
    assert counted == (record["peft"]["trainable"], record["peft"]["total"])
    tensors = adapter_tensors(model, config, adapted)
    text = json.dumps(sorted((t.name, list(t.shape)) for t in tensors))
    digest = hashlib.sha256(text.encode()).hexdigest()[:16]
    assert digest == record["peft"]["tensors"]


def tiny(**changes):
    layers = [
        Layer(f"layers.{i}.{name}", "Linear", 8, 4, bias=True)
        for i in range(3)
        for name in ("q", "v")
    ]
    model = Model("llama", layers, [Parameter("norm.weight", (8,))], 6 * 36 + 8)
    return model._replace(**changes)


def test_count_is_affine_in_the_rank():
    config = LoraConfig(
        target_modules=("q", "v"), rank_pattern=(("v", 3),), use_dora=True
    )
    adapted = [apply_lora(tiny(), config._replace(r=r)) for r in (1, 7)]
    assert adapted[0].slope == 3 * 12
    assert adapted[1].trainable - adapted[0].trainable == 6 * adapted[0].slope


def test_sizes_beyond_64_bits_stay_exact():
    wide = 10**20 + 7
    model = Model("", [Layer("q", "Linear", wide, 3)], [], 3 * wide)
    adapted = apply_lora(model, LoraConfig(r=5, target_modules=("q",)))
    assert adapted.trainable == 5 * (wide + 3)
    assert adapted.total == 8 * wide + 15


def test_names_in_vain_are_listed_as_they_were_given():
    config = LoraConfig(
        target_modules=("q", "qkv_proj"),
        rank_pattern=(("o_proj", 4),),
        modules_to_save=("lm_head",),
        exclude_modules=("nothing",),
    )
    adapted = apply_lora(tiny(), config)
    assert adapted.unmatched == ("qkv_proj",)
    told = " ".join(adapted.notes)
    assert all(name in told for name in ("o_proj", "lm_head", "exclude_modules"))


def test_target_of_another_kind_is_refused_by_name():
    with pytest.raises(LlmcalcError, match=r"layers\.0 is of no kind"):
        apply_lora(tiny(), LoraConfig(target_modules=r"layers\.0"))


@pytest.mark.parametrize("broken", ["(", "*x", "[z-a]", "(?P<1>q)"])
@pytest.mark.parametrize("field", ["target_modules", "exclude_modules"])
def test_text_that_is_no_expression_is_said_to_be_none(field, broken):
    config = LoraConfig(**{"target_modules": ("q",), field: broken})
    with pytest.raises(LlmcalcError, match="is not a regular expression"):
        apply_lora(tiny(), config)


def test_comma_list_as_one_text_matches_nothing_and_says_why():
    with pytest.raises(LlmcalcError, match="regular expression; give a list"):
        apply_lora(tiny(), LoraConfig(target_modules="q,v"))
