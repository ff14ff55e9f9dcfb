"""Safetensors headers and folders -> layers: saved models, kinds, differences."""

import json
import shutil
from pathlib import Path

import pytest
from inputs.written_models import packed, read, sizes

from llmcalc.core.lora.peft import apply_lora
from llmcalc.inputs.models.lora_config import read_lora_fields

CASES = Path(__file__).parents[1] / "cases" / "lora" / "base"
FOLDERS = sorted(p.name.split(".")[0] for p in CASES.glob("*.expected.json"))


@pytest.mark.parametrize("name", FOLDERS)
def test_saved_models_count_as_peft_counted_them(name):
    expected = json.loads((CASES / f"{name}.expected.json").read_text())
    model = read(CASES / name)
    assert model.total == expected["model_total"]
    shapes = {(x.name, x.kind, x.d_in, x.d_out) for x in model.layers}
    assert shapes == {tuple(shape) for shape in expected["shapes"]}
    files = expected["files"].values()
    payload = sum(f["bytes"] - f["header_bytes"] for f in files)
    assert model.stored_bytes == payload
    for case in expected["cases"]:
        adapted = apply_lora(model, read_lora_fields(case["lora"], "x"))
        assert (adapted.trainable, adapted.total) == (case["trainable"], case["total"])


@pytest.mark.parametrize("name", FOLDERS)
def test_headers_alone_lead_to_the_same_total(name, tmp_path):
    expected = json.loads((CASES / f"{name}.expected.json").read_text())
    for file in (CASES / name).iterdir():
        if file.name != "config.json":
            shutil.copy(file, tmp_path)
    model = read(tmp_path)
    assert model.total == expected["model_total"]
    shapes = {(x.name, x.kind, x.d_in, x.d_out) for x in model.layers}
    # Without a config nothing says that an output layer shares the embedding.
    assert shapes >= {tuple(s) for s in expected["shapes"] if s[0] != "lm_head"}
    assert model.quantization == ("nf4" if "nf4" in name else "")


def test_kinds_are_told_from_names_and_biases(tmp_path):
    model = packed(
        tmp_path,
        {
            "wte.weight": ("F32", 50, 8),
            "h.0.attn.c_attn.weight": ("F32", 8, 24),
            "h.0.attn.c_attn.bias": ("F32", 24),
            "h.0.attn.bias": ("F32", 1, 1, 4, 4),
            "h.0.mixer.conv1d.weight": ("F32", 16, 1, 4),
            "patch.weight": ("F32", 8, 3, 2, 2),
            "rotary.inv_freq": ("F32", 4),
        },
    )
    assert sizes(model) == {
        "wte": ("Embedding", 50, 8, False),
        "h.0.attn.c_attn": ("Conv1D", 8, 24, True),
        "h.0.mixer.conv1d": ("Conv1d", 16, 16, False),
        "patch": ("Conv2d", 3, 8, False),
    }
    assert model.total == 50 * 8 + 8 * 24 + 24 + 16 * 4 + 8 * 12


def test_unknown_family_has_an_output_layer_that_its_file_leaves_out(tmp_path):
    tensors = {"model.embed_tokens.weight": ("F32", 50, 8)}
    config = {"model_type": "new", "architectures": ["NewForCausalLM"]}
    model = packed(tmp_path, tensors, config=config)
    assert model.output == "lm_head"
    assert model.total == 400


def test_files_and_config_that_differ_are_said_to(tmp_path):
    shutil.copytree(CASES / "tiny-llama", tmp_path, dirs_exist_ok=True)
    config = json.loads((tmp_path / "config.json").read_text())
    (tmp_path / "config.json").write_text(json.dumps({**config, "vocab_size": 100}))
    model = read(tmp_path)
    assert "weights, the config's model" in model.notes[0]


def test_unknown_head_of_a_known_family_is_read_from_the_headers(tmp_path):
    shutil.copytree(CASES / "tiny-llama", tmp_path, dirs_exist_ok=True)
    config = json.loads((tmp_path / "config.json").read_text())
    config["architectures"] = ["LlamaForDreaming"]
    (tmp_path / "config.json").write_text(json.dumps(config))
    assert read(tmp_path).total == 27_808


def test_packed_layers_may_have_biases_of_zeros(tmp_path):
    config = {
        **{"model_type": "llama", "vocab_size": 64, "hidden_size": 64},
        **{"intermediate_size": 64, "num_attention_heads": 4, "num_hidden_layers": 1},
        "architectures": ["LlamaForCausalLM"],
        "quantization_config": {"quant_method": "gptq", "bits": 4},
    }
    names = [f"self_attn.{x}_proj" for x in "qkvo"]
    names += [f"mlp.{x}_proj" for x in ("gate", "up", "down")]
    tensors = {
        "model.embed_tokens.weight": ("F16", 64, 64),
        "lm_head.weight": ("F16", 64, 64),
        "model.norm.weight": ("F16", 64),
        "model.layers.0.input_layernorm.weight": ("F16", 64),
        "model.layers.0.post_attention_layernorm.weight": ("F16", 64),
    }
    for name in names:
        stem = f"model.layers.0.{name}"
        tensors[f"{stem}.qweight"] = ("I32", 8, 64)
        tensors[f"{stem}.scales"] = ("F16", 1, 64)
        tensors[f"{stem}.bias"] = ("F16", 64)
    model = packed(tmp_path, tensors, config=config)
    assert (model.quantization, model.notes) == ("gptq", ())
    assert model.total == 9 * 64 * 64 + 3 * 64
