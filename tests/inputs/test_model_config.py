"""config.json -> layers: the shared cases, old spellings, what is missing or wrong."""

import json
import re
from collections import Counter
from pathlib import Path

import pytest

from llmcalc.errors import LlmcalcError
from llmcalc.inputs.models.config import read_config
from llmcalc.inputs.models.families import FAMILIES

CASES = Path(__file__).parents[1] / "cases" / "lora"
FILES = [p for p in sorted(CASES.glob("*.json")) if '"base"' in p.read_text()]


def pattern(name):
    return re.sub(r"\.\d+(?=\.|$)", ".*", name)


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_layers_and_tensors_are_those_of_transformers(path):
    data = json.loads(path.read_text())
    model, base = read_config(data["config"], data["name"]), data["base"]
    assert model.total == base["total"]
    assert set(model.tied) == {tuple(pair) for pair in base["tied"]}
    layers = Counter(
        (pattern(x.name), x.kind, x.d_in, x.d_out, x.bias, x.kernel)
        for x in model.layers
    )
    assert layers == {
        (
            *(m[key] for key in ("pattern", "kind", "d_in", "d_out", "bias")),
            tuple(m.get("kernel", ())),
        ): m["count"]
        for m in base["modules"]
    }
    tensors = Counter((pattern(p.name), p.shape) for p in model.parameters)
    assert tensors == {
        (p["pattern"], tuple(p["shape"])): p["count"] for p in base["other_parameters"]
    }


# Classes whose own defaults are no model: 4096 / 96 heads, no number of experts.
NO_MODEL = {"glm4_moe", "dots1"}


@pytest.mark.parametrize("text", ["false", "true", ""])
def test_a_switch_is_no_text(text):
    config = {"model_type": "llama", "tie_word_embeddings": text}
    with pytest.raises(LlmcalcError, match="tie_word_embeddings: .* is not true or"):
        read_config(config, "config.json")


@pytest.mark.parametrize("model_type", sorted(FAMILIES.keys() - NO_MODEL))
def test_every_family_stands_by_its_class_s_defaults_alone(model_type):
    model = read_config({"model_type": model_type}, "config.json")
    assert model.total > 0
    assert len({layer.name for layer in model.layers}) == len(model.layers)
    assert any("architectures" in text for text in model.assumed)


# Published totals of models whose config leaves fields out, as their pages give them
# or PEFT counts them (transformers 5.24.0, no weights).
LLAMA = {"model_type": "llama", "architectures": ["LlamaForCausalLM"]}


@pytest.mark.parametrize(
    ("config", "total"),
    [
        (LLAMA, 6_738_415_616),
        ({"model_type": "gpt2", "architectures": ["GPT2LMHeadModel"]}, 124_439_808),
        ({"model_type": "bert", "architectures": ["BertModel"]}, 109_482_240),
        (
            {"model_type": "t5", "architectures": ["T5ForConditionalGeneration"]},
            60_506_624,
        ),
        (
            {
                **{"model_type": "bloom", "n_embed": 1024, "n_layer": 24},
                "architectures": ["BloomForCausalLM"],
            },
            559_214_592,
        ),
        (
            {
                **{"model_type": "qwen2_vl", "hidden_size": 3584, "vocab_size": 152064},
                **{"intermediate_size": 18944, "num_hidden_layers": 28},
                **{"num_attention_heads": 28, "num_key_value_heads": 4},
                "vision_config": {"embed_dim": 1280, "hidden_size": 3584},
                "architectures": ["Qwen2VLForConditionalGeneration"],
            },
            8_291_375_616,
        ),
        (
            {"model_type": "gpt_oss", "num_hidden_layers": 24, "num_local_experts": 32},
            20_914_757_184,
        ),
        (
            {
                **{"model_type": "RefinedWebModel", "n_layer": 32, "n_head": 71},
                "architectures": ["RWForCausalLM"],
            },
            6_921_720_704,
        ),
    ],
)
def test_totals_of_known_models(config, total):
    assert read_config(config, "config.json").total == total


def test_flan_t5_is_counted_untied_as_its_checkpoint_loads():
    tied = read_config({"model_type": "t5"}, "config.json")
    untied = read_config({"model_type": "t5", "tie_word_embeddings": False}, "x")
    assert untied.total - tied.total == 32128 * 512


def test_missing_fields_are_listed_with_what_their_class_takes():
    given_fields = {"hidden_size": 64, "num_attention_heads": 4}
    model = read_config({**LLAMA, **given_fields}, "config.json")
    assert "intermediate_size = 11008" in model.assumed
    assert "head_dim = 16 (hidden_size//num_attention_heads)" in model.assumed
    assert not any(text.startswith("hidden_size") for text in model.assumed)


def test_null_and_missing_are_not_the_same():
    mistral = {"model_type": "mistral", "num_attention_heads": 4, "hidden_size": 32}
    missing = read_config(mistral, "x").layers[1 + 32]
    null = read_config({**mistral, "num_key_value_heads": None}, "x").layers[1 + 32]
    assert (missing.name, missing.d_out) == ("model.layers.0.self_attn.k_proj", 64)
    assert null.d_out == 32


def test_vision_and_text_have_configs_of_their_own():
    config = {
        "model_type": "gemma3",
        "architectures": ["Gemma3ForConditionalGeneration"],
        "text_config": {"hidden_size": 64, "num_hidden_layers": 1},
        "vision_config": {"hidden_size": 32, "num_hidden_layers": 1},
    }
    model = read_config(config, "config.json")
    names = {layer.name: layer for layer in model.layers}
    text = names["model.language_model.layers.0.self_attn.q_proj"]
    assert (text.d_in, text.d_out) == (64, 8 * 256)
    assert names["model.vision_tower.head.attention"].kind == "MultiheadAttention"
    assert "text_config.vocab_size = 262208" in model.assumed


@pytest.mark.parametrize(
    ("config", "named"),
    [
        ({}, "no model_type"),
        ({"model_type": 7}, "7 is not in the table"),
        ({"model_type": "newmodel"}, "'newmodel' is not in the table of families"),
        (
            {"model_type": "newmodel", "text_config": {"model_type": "llama"}},
            "its text_config alone, llama, is",
        ),
        ({"peft_type": "LORA"}, "is an adapter's config"),
        ({**LLAMA, "architectures": ["LlamaForDreaming"]}, "'LlamaForDreaming'"),
        ({**LLAMA, "hidden_size": -8}, "hidden_size: -8 is not a size"),
        ({**LLAMA, "hidden_size": 8.5}, "hidden_size: 8.5 is not a size"),
        ({**LLAMA, "hidden_size": True}, "hidden_size: True is not a size"),
        ({**LLAMA, "hidden_size": "8"}, "hidden_size: '8' is not a size"),
        ({**LLAMA, "hidden_size": 0}, "0"),
        ({**LLAMA, "num_attention_heads": 0}, "num_attention_heads 0"),
        ({**LLAMA, "num_attention_heads": 33}, "4096 is not a multiple of"),
        ({**LLAMA, "num_hidden_layers": 10**9}, "1000000000 are too many"),
        ({**LLAMA, "vocab_size": [1]}, "vocab_size: [1] is not a size"),
        ({"model_type": "vit", "image_size": [1, 2, 3]}, "image_size: [1, 2, 3]"),
        ({"model_type": "gemma3", "text_config": 3}, "text_config: 3 is not an object"),
        (
            {"model_type": "stablelm", "qk_layernorm": True, "num_hidden_layers": 9999},
            "are too many",
        ),
    ],
)
def test_what_is_no_model_s_config_is_named(config, named):
    with pytest.raises(LlmcalcError, match=re.escape(named)) as caught:
        read_config(config, "config.json")
    assert str(caught.value).startswith("config.json: ")
    assert "\n" not in str(caught.value)
