"""adapter_config.json and an adapter's folder: fields, wrong values, what is there."""

import gzip
import json
import re
import shutil
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from inputs.written_models import write

from llmcalc.core.lora.layers import LoraConfig
from llmcalc.errors import LlmcalcError
from llmcalc.inputs.models.adapter import is_adapter, read_adapter
from llmcalc.inputs.models.lora_config import read_lora_fields
from llmcalc.inputs.source import Source

CASES = Path(__file__).parents[1] / "cases" / "lora" / "adapters"
NAMES = sorted(p.name.split(".")[0] for p in CASES.glob("*.expected.json"))


def source(path):
    return Source(str(path), str(path))


@pytest.mark.parametrize("name", NAMES)
def test_saved_adapters_are_read_as_peft_wrote_them(name):
    expected = json.loads((CASES / f"{name}.expected.json").read_text())
    adapter = read_adapter(source(CASES / name))
    assert adapter.config.r == expected["r"]
    assert adapter.config.lora_alpha == expected["lora_alpha"]
    assert adapter.config.use_dora == expected["use_dora"]
    assert adapter.file_bytes == expected["file"]["bytes"]
    assert adapter.header_bytes == expected["file"]["header_bytes"]
    tensors = {n: (t.dtype, list(t.shape)) for n, t in adapter.tensors.items()}
    assert tensors == {
        n: (t["dtype"], t["shape"]) for n, t in expected["tensors"].items()
    }


@pytest.mark.parametrize(
    "part", ["", "adapter_config.json", "adapter_model.safetensors"]
)
def test_each_file_finds_the_other(part):
    path = CASES / NAMES[0] / part
    assert is_adapter(source(path))
    adapter = read_adapter(source(path))
    assert adapter.config is not None
    assert adapter.weights is not None
    assert adapter.notes == ()


def test_a_model_s_folder_is_no_adapter(tmp_path):
    assert not is_adapter(source(CASES.parent / "base" / "tiny-llama"))
    model = write(tmp_path / "m.safetensors", {"q.weight": ("F32", 2, 2)})
    assert not is_adapter(source(model))
    loose = write(tmp_path / "x.safetensors", {"q.lora_A.weight": ("F32", 2, 2)})
    assert is_adapter(source(loose))


def test_a_pickled_adapter_is_told_of_and_not_opened(tmp_path):
    shutil.copy(CASES / NAMES[0] / "adapter_config.json", tmp_path)
    (tmp_path / "adapter_model.bin").write_bytes(b"\x80\x02}q")
    adapter = read_adapter(source(tmp_path))
    assert "pickle" in adapter.notes[0]
    assert adapter.tensors == {}
    (tmp_path / "adapter_config.json").unlink()
    assert is_adapter(source(tmp_path))
    with pytest.raises(LlmcalcError, match="a pickle is not opened"):
        read_adapter(source(tmp_path))


@pytest.mark.parametrize(
    "name",
    [
        "lora_unet_q.lora_down.weight",
        "lora_unet_q.lora_up.weight",
        "unet.attn.processor.to_q_lora.down.weight",
        "layers.0.q_proj.lora.up.weight",
        "layers.0.q_proj.lora_a",
        "layers.0.q_proj.lora_b.weight",
    ],
)
def test_adapters_of_other_tools_are_neither_models_nor_misread(tmp_path, name):
    other = write(tmp_path / "adapters.safetensors", {name: ("F32", 4, 8)})
    assert is_adapter(source(other))
    with pytest.raises(LlmcalcError, match="another tool than PEFT") as caught:
        read_adapter(source(other))
    assert name in str(caught.value)


def test_an_adapter_of_embeddings_alone_is_one(tmp_path):
    names = ("embed.lora_embedding_A", "embed.lora_embedding_B")
    only = write(tmp_path / "x.safetensors", dict.fromkeys(names, ("F32", 4, 8)))
    assert is_adapter(source(only))


def test_a_config_is_told_by_what_it_holds(tmp_path):
    config = tmp_path / "mine.json"
    shutil.copy(CASES / NAMES[0] / "adapter_config.json", config)
    write(tmp_path / "adapter_model.safetensors", {"q.lora_A.weight": ("F32", 2, 2)})
    assert is_adapter(source(config))
    assert read_adapter(source(config)).weights is None


def test_a_config_that_is_not_peft_s_is_refused(tmp_path):
    fields = {"fine_tune_type": "lora", "lora_parameters": {"rank": 16}}
    (tmp_path / "adapter_config.json").write_text(json.dumps(fields))
    with pytest.raises(LlmcalcError, match="no peft_type"):
        read_adapter(source(tmp_path))
    with pytest.raises(LlmcalcError, match="no field of PEFT's LoraConfig"):
        read_lora_fields(fields, "x")


@pytest.mark.parametrize("r", [0, -8])
def test_a_saved_rank_below_1_is_named_with_its_file(tmp_path, r):
    path = tmp_path / "adapter_config.json"
    path.write_text(json.dumps({"peft_type": "LORA", "r": r}))
    with pytest.raises(LlmcalcError, match=f"adapter_config.json: r: {r} is not"):
        read_adapter(source(tmp_path))


def test_a_packed_file_has_the_size_of_what_is_packed(tmp_path):
    plain = CASES / NAMES[0] / "adapter_model.safetensors"
    zipped = tmp_path / "adapter.safetensors.gz"
    zipped.write_bytes(gzip.compress(plain.read_bytes()))
    assert read_adapter(source(zipped)).file_bytes == plain.stat().st_size


def test_every_field_is_read():
    fields = {
        "peft_type": "LORA",
        "r": 4,
        "lora_alpha": 1.5,
        "target_modules": ["q", "v"],
        "exclude_modules": ".*0",
        "target_parameters": ["gate.weight"],
        "modules_to_save": ["head"],
        "layers_to_transform": 3,
        "layers_pattern": "h",
        "layer_replication": [[0, 2], [1, 2]],
        "rank_pattern": {"q": 2},
        "alpha_pattern": {"v": 0.5},
        "trainable_token_indices": {"wte": [1, 2]},
        "bias": "all",
        "lora_bias": True,
        "use_dora": True,
        "use_rslora": True,
        "fan_in_fan_out": True,
        "ensure_weight_tying": True,
        "lora_dropout": 0.1,
        "init_lora_weights": "PiSSA",
        "task_type": "CAUSAL_LM",
    }
    config = read_lora_fields(fields, "x")
    default = LoraConfig()
    unread = [
        f for f in LoraConfig._fields if getattr(config, f) == getattr(default, f)
    ]
    assert unread == []
    assert config.layers_to_transform == (3,)
    assert config.rank_pattern == (("q", 2),)
    assert config.trainable_token_indices == (("wte", (1, 2)),)
    assert read_lora_fields({"trainable_token_indices": [7]}, "x")[11] == (("", (7,)),)


@pytest.mark.parametrize(
    ("fields", "named"),
    [
        ({"peft_type": "IA3"}, "peft_type 'IA3' is not LORA"),
        ({"model_type": "llama"}, "is a model's config"),
        ({"r": "8"}, "r: '8' is not a whole number"),
        ({"r": True}, "r: True is not a whole number"),
        ({"r": 8.0}, "r: 8.0 is not a whole number"),
        ({"lora_alpha": float("nan")}, "lora_alpha: nan is not a finite number"),
        ({"use_dora": 1}, "use_dora: 1 is not true or false"),
        ({"target_modules": 3}, "target_modules: 3 is not a list of names"),
        ({"target_modules": [3]}, "target_modules: 3 is not a text of one line"),
        ({"rank_pattern": [1]}, "rank_pattern: [1] is not an object"),
        ({"rank_pattern": {"q": "2"}}, "rank_pattern: q: '2' is not a whole number"),
        ({"layer_replication": [[1]]}, "[1] is not a pair [start, end]"),
        ({"trainable_token_indices": "all"}, "'all' is not a list of tokens"),
        ({"kasa_config": {"beta": 1}}, "kasa_config: this variant of LoRA"),
        ({"use_qalora": True}, "use_qalora: this variant of LoRA"),
        ({"modules_to_save": ["a\nb"]}, "'a\\nb' is not a text of one line"),
    ],
)
def test_wrong_values_are_named_with_their_field(fields, named):
    with pytest.raises(LlmcalcError, match=re.escape(named)) as caught:
        read_lora_fields(fields, "adapter_config.json")
    assert str(caught.value).startswith("adapter_config.json: ")


def test_null_and_missing_fields_have_peft_s_defaults():
    fields = dict.fromkeys(LoraConfig._fields)
    assert read_lora_fields(fields, "x") == read_lora_fields({}, "x") == LoraConfig()


SCALARS = st.none() | st.booleans() | st.integers() | st.floats() | st.text()
VALUES = st.recursive(SCALARS, lambda x: st.lists(x) | st.dictionaries(st.text(), x))


@settings(deadline=None)
@given(st.dictionaries(st.sampled_from(LoraConfig._fields), VALUES, max_size=4))
def test_any_value_is_read_or_refused(fields):
    try:
        config = read_lora_fields(fields, "x")
    except LlmcalcError as error:
        assert "\n" not in str(error)
    else:
        assert hash(config) is not None
