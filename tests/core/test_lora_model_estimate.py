"""A model's estimate against what PEFT counted, module by module."""

import json
from pathlib import Path

import pytest

from llmcalc.core.lora.estimate import Storage
from llmcalc.core.lora.layers import LoraConfig
from llmcalc.core.lora.model_estimate import estimate_model
from llmcalc.errors import LlmcalcError
from llmcalc.inputs.models.config import read_config
from llmcalc.inputs.models.lora_config import read_lora_fields

CASES = Path(__file__).parents[1] / "cases" / "lora"
MODELS = {
    path.stem: json.loads(path.read_text())
    for path in sorted(CASES.glob("*.json"))
    if path.stem not in ("dims", "budget")
}


def estimates(name, storage):
    data = MODELS[name]
    model = read_config(data["config"], name)
    for case in data["cases"]:
        if "error" not in case:
            config = read_lora_fields(case["lora"], name)
            yield case, estimate_model(model, config, storage)


@pytest.mark.parametrize("name", MODELS)
def test_modules_are_those_that_peft_adapted(name):
    for case, got in estimates(name, Storage("float32")):
        want = sorted(
            (m["pattern"], m["r"], m["count"], m["params_each"])
            for m in case["modules"]
        )
        found = [(m.name, m.rank, m.copies, m.lora_params) for m in got.modules]
        assert sorted(found) == want, case["lora"]
        scalings = {m["pattern"]: m["scaling"] for m in case["modules"]}
        for m in got.modules:
            assert m.scaling == pytest.approx(scalings[m.name], rel=1e-9)
        assert got.lora_params == sum(m.copies * m.lora_params for m in got.modules)


@pytest.mark.parametrize("name", MODELS)
def test_every_trained_tensor_is_known_by_its_shape(name):
    for case, got in estimates(name, Storage("float32", "bfloat16")):
        _, adapter, gradients, optimizer = got.memory.items
        assert gradients.bytes == 4 * case["trainable"]
        assert optimizer.bytes == 8 * case["trainable"]
        assert adapter.bytes == 4 * (case["total"] - MODELS[name]["base"]["total"])
        assert adapter.exact and gradients.exact and optimizer.exact


@pytest.mark.parametrize("name", ["llama-3.2-1b", "gpt2", "opt-125m"])
@pytest.mark.parametrize("dtype", ["float32", "bfloat16"])
def test_file_is_as_large_as_peft_saves_it(name, dtype):
    key = {"float32": "file_bytes_f32", "bfloat16": "file_bytes_bf16"}[dtype]
    for case, got in estimates(name, Storage(dtype)):
        if "adapter" in case:
            assert got.file_bytes == case["adapter"][key]
            assert got.elements == case["adapter"]["numel"]


def test_unsaid_dtypes_are_those_of_peft():
    # A saved head keeps the base's bfloat16, A and B are float32.
    model = read_config(MODELS["llama-3.2-1b"]["config"] | {"dtype": "bfloat16"}, "c")
    config = LoraConfig(r=4, target_modules=("q_proj",), modules_to_save=("lm_head",))
    got = estimate_model(model, config, Storage())
    head, lora = got.adapted.parts.saved_modules, got.adapted.parts.lora
    assert got.adapter_bytes == 2 * head + 4 * lora
    assert got.memory.items[2].bytes == 2 * head + 4 * lora


def test_packed_base_leaves_embeddings_and_head_in_16_bits():
    # Llama-3-8B: 6,979,321,856 weights in linear layers; the rest, 1,050,939,392
    # numbers, stays at 2 bytes (QLoRA: 4.127 bits a packed weight).
    model = read_config(MODELS["llama-3-8b"]["config"], "config.json")
    config = LoraConfig(target_modules=("q_proj",))
    got = estimate_model(model, config, Storage(base_dtype="nf4"))
    assert model.total == 6_979_321_856 + 1_050_939_392
    packed = got.memory.items[0].bytes - 2 * 1_050_939_392
    assert packed * 8 / 6_979_321_856 == pytest.approx(4.127, abs=1e-3)
    assert got.memory.upcast == 2 * 1_050_939_392


def test_b_that_does_not_train_makes_memory_an_estimate():
    model = read_config(MODELS["gpt2"]["config"], "config.json")
    config = LoraConfig(target_modules=("c_attn",), init_lora_weights="mica")
    got = estimate_model(model, config, Storage())
    assert got.trainable == 12 * 8 * 768
    assert not got.memory.items[2].exact
    assert got.memory.items[2].bytes == 4 * got.trainable


def test_break_even_rank_splits_less_from_more_than_the_adapted_matrices():
    model = read_config(MODELS["mistral-7b-v0.1"]["config"], "config.json")
    config = LoraConfig(
        target_modules=("q_proj", "o_proj"), rank_pattern=(("o_proj", 64),)
    )
    at = estimate_model(model, config, Storage()).break_even_rank
    below = estimate_model(model, config._replace(r=int(at)), Storage())
    above = estimate_model(model, config._replace(r=int(at) + 1), Storage())
    assert below.lora_params <= below.full_params < above.lora_params


def test_refusals_of_peft_are_errors():
    model = read_config(MODELS["llama-2-7b"]["config"], "config.json")
    with pytest.raises(LlmcalcError, match="matches no layer"):
        estimate_model(model, LoraConfig(target_modules=("query",)), Storage())
