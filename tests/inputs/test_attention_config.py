"""The scale that configs set: a case for every way in which a family does it."""

import json
import math
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from llmcalc.errors import LlmcalcError
from llmcalc.inputs.models.attention_config import (
    attention_of_config,
    family_of,
    read_attention_config,
)
from llmcalc.inputs.models.attention_defaults import DEFAULT_FAMILIES
from llmcalc.inputs.models.attention_families import FAMILIES
from llmcalc.inputs.models.attention_rules import RULES
from llmcalc.inputs.source import resolve_file

YARN = {"rope_type": "yarn", "factor": 40, "original_max_position_embeddings": 4096}
V2_LITE = {**YARN, "mscale": 0.707, "mscale_all_dim": 0.707}
MLA = {"qk_nope_head_dim": 128, "qk_rope_head_dim": 64, "num_attention_heads": 16}
# Fields of a config, then the width of a head, the scale and the field that set it.
CASES = {
    "gemma2-9b": (
        {"model_type": "gemma2", "hidden_size": 3584, "num_attention_heads": 16,
         "head_dim": 256, "query_pre_attn_scalar": 256},
        256, 1 / 16, "query_pre_attn_scalar",
    ),
    "gemma2-27b": (
        {"model_type": "gemma2", "head_dim": 128, "query_pre_attn_scalar": 144},
        128, 1 / 12, "query_pre_attn_scalar",
    ),
    "gemma3-27b": (
        {"model_type": "gemma3_text", "head_dim": 128, "query_pre_attn_scalar": 168},
        128, 168**-0.5, "query_pre_attn_scalar",
    ),
    "gemma3n": (
        {"model_type": "gemma3n_text", "head_dim": 256}, 256, 1.0, "model_type",
    ),
    "gemma-2b": (
        {"model_type": "gemma", "hidden_size": 2048, "num_attention_heads": 8,
         "head_dim": 256},
        256, 1 / 16, "head_dim",
    ),
    "step": ({"model_type": "step3p5", "head_dim": 64}, 64, 0.125, "head_dim"),
    "granite": (
        {"model_type": "granite", "hidden_size": 4096, "num_attention_heads": 32,
         "attention_multiplier": 0.0078125},
        128, 0.0078125, "attention_multiplier",
    ),
    "granite without": (
        {"model_type": "granitemoe", "hidden_size": 64, "num_attention_heads": 4},
        16, 1.0, "attention_multiplier",
    ),
    "hyperclovax": (
        {"model_type": "hyperclovax", "head_dim": 64, "attention_multiplier": None},
        64, 0.125, "head_dim",
    ),
    "t5": (
        {"model_type": "t5", "d_model": 512, "d_kv": 64, "num_heads": 8},
        64, 1.0, "model_type",
    ),
    "gpt-neo": (
        {"model_type": "gpt_neo", "hidden_size": 2048, "num_heads": 16},
        128, 1.0, "model_type",
    ),
    "inkling": ({"model_type": "inkling_text", "head_dim": 64}, 64, 1 / 64, "head_dim"),
    "mpt": (
        {"model_type": "mpt", "d_model": 4096, "n_heads": 32,
         "attn_config": {"softmax_scale": 0.5}},
        128, 0.5, "attn_config.softmax_scale",
    ),
    "mpt without": (
        {"model_type": "mpt", "d_model": 4096, "n_heads": 32,
         "attn_config": {"softmax_scale": None}},
        128, 128**-0.5, "d_model / n_heads",
    ),
    "gpt2": (
        {"model_type": "gpt2", "n_embd": 768, "n_head": 12},
        64, 0.125, "n_embd / n_head",
    ),
    "gpt2 unscaled": (
        {"model_type": "gpt2", "n_embd": 768, "n_head": 12,
         "scale_attn_weights": False},
        64, 1.0, "scale_attn_weights",
    ),
    "deepseek-v2-lite": (
        {"model_type": "deepseek_v2", **MLA, "rope_scaling": V2_LITE},
        192, 192**-0.5 * (0.1 * 0.707 * math.log(40) + 1) ** 2,
        "rope_scaling.mscale_all_dim",
    ),
    "deepseek without yarn": (
        {"model_type": "deepseek_v3", **MLA, "rope_scaling": None},
        192, 192**-0.5, "qk_nope_head_dim + qk_rope_head_dim",
    ),
    "deepseek, settings by a newer name": (
        {"model_type": "deepseek_v3", **MLA,
         "rope_parameters": {**YARN, "mscale": 1.0, "mscale_all_dim": 1.0}},
        192, 192**-0.5 * (0.1 * math.log(40) + 1) ** 2,
        "rope_parameters.mscale_all_dim",
    ),
    "kimi-linear": (
        {"model_type": "kimi_linear", **MLA}, 192, 192**-0.5,
        "qk_nope_head_dim + qk_rope_head_dim",
    ),
    "gpt-oss": (
        {"model_type": "gpt_oss", "head_dim": 64,
         "rope_scaling": {**YARN, "factor": 32}},
        64, 0.125, "head_dim",
    ),
    "privacy filter": (
        {"model_type": "openai_privacy_filter", "head_dim": 64}, 64, 0.125, "head_dim",
    ),
    "llama": (
        {"model_type": "llama", "hidden_size": 4096, "num_attention_heads": 32},
        128, 128**-0.5, "hidden_size / num_attention_heads",
    ),
    "mistral with a head_dim apart": (
        {"model_type": "mistral", "hidden_size": 5120, "num_attention_heads": 32,
         "head_dim": 128},
        128, 128**-0.5, "head_dim",
    ),
    "deberta": (
        {"model_type": "deberta-v2", "hidden_size": 768, "num_attention_heads": 12,
         "pos_att_type": "p2c|c2p"},
        64, (64 * 3) ** -0.5, "pos_att_type",
    ),
    "deberta, one term": (
        {"model_type": "deberta", "hidden_size": 768, "num_attention_heads": 12,
         "pos_att_type": ["c2p"]},
        64, (64 * 2) ** -0.5, "pos_att_type",
    ),
    "deberta, no term": (
        {"model_type": "deberta", "hidden_size": 768, "num_attention_heads": 12},
        64, 0.125, "hidden_size / num_attention_heads",
    ),
    "zamba2": (
        {"model_type": "zamba2", "hidden_size": 2048, "num_attention_heads": 32},
        128, 0.125, "hidden_size / num_attention_heads",
    ),
    "cvt": (
        {"model_type": "cvt", "embed_dim": [64, 192, 384], "num_heads": [1, 3, 6]},
        64, 0.125, "embed_dim",
    ),
    "grok": (
        {"model_type": "grok-1", "head_dim": 128},
        128, 0.08838834764831845, "attn_output_multiplier",
    ),
    "xlnet": ({"model_type": "xlnet", "d_head": 64}, 64, 0.125, "d_head"),
}  # fmt: skip


@pytest.mark.parametrize("case", CASES)
def test_scale_and_the_field_that_set_it(case):
    config, d_k, scale, source = CASES[case]
    found = attention_of_config(config, "config.json")
    assert found.width.d_k == d_k
    assert found.scale == pytest.approx(scale, rel=1e-15, abs=0)
    assert found.source == source
    assert found.known


def test_every_rule_has_a_family_and_every_family_a_rule():
    assert {row.rule for row in FAMILIES} == set(RULES)


def test_no_type_stands_in_two_rows():
    types = [kind for row in (*FAMILIES, *DEFAULT_FAMILIES) for kind in row.types]
    assert len(types) == len(set(types)) > 250


def test_softcap_of_the_family_is_the_configs_its_default_or_none():
    gemma = {"model_type": "gemma2", "head_dim": 256, "query_pre_attn_scalar": 256}
    read = [
        attention_of_config({**gemma, **more}, "c")
        for more in (
            {"attn_logit_softcapping": 30},
            {},
            {"attn_logit_softcapping": None},
        )
    ]
    assert [found.softcap for found in read] == [30.0, 50.0, None]
    assert read[1].assumed == ("attn_logit_softcapping = 50",)
    assert read[0].assumed == ()
    llama = {"model_type": "llama", "head_dim": 64, "attn_logit_softcapping": 30}
    assert attention_of_config(llama, "c").softcap is None


@pytest.mark.parametrize("softcap", [0, -1.0, "big", True])
def test_a_softcap_that_is_none_is_refused(softcap):
    config = {"model_type": "gemma2", "attn_logit_softcapping": softcap}
    with pytest.raises(LlmcalcError, match="c: attn_logit_softcapping"):
        attention_of_config(config, "c")


def test_fields_that_are_left_off_are_told():
    found = attention_of_config({"model_type": "gemma3_text"}, "c")
    assert found.width.d_k == 256
    assert found.assumed == ("head_dim = 256", "query_pre_attn_scalar = 256")


@pytest.mark.parametrize("key", ["text_config", "llm_config", "language_config"])
def test_the_language_model_of_a_multimodal_config(key):
    text = {"model_type": "granite", "head_dim": 64, "attention_multiplier": 0.5}
    outer = {"model_type": "llava", "hidden_size": 1, "vision_config": {}, key: text}
    found = attention_of_config(outer, "c")
    assert (found.model_type, found.scale) == ("granite", 0.5)
    nested = {"model_type": "omni", "thinker_config": outer}
    assert attention_of_config(nested, "c").scale == 0.5


def test_a_language_model_without_a_type_has_that_of_the_whole():
    outer = {"model_type": "gemma3", "text_config": {"query_pre_attn_scalar": 168}}
    found = attention_of_config(outer, "c")
    assert (found.model_type, found.scale) == ("gemma3", 168**-0.5)


def test_an_unknown_family_says_so_and_has_the_default():
    config = {"model_type": "new", "hidden_size": 768, "num_attention_heads": 12}
    found = attention_of_config(config, "c")
    assert (found.scale, found.known) == (0.125, False)
    telling = attention_of_config({**config, "query_pre_attn_scalar": 9}, "c")
    assert telling.scale == 0.125
    assert any("query_pre_attn_scalar 9" in note for note in telling.notes)


def test_an_unknown_family_with_latent_attention_has_its_full_width():
    found = attention_of_config({"model_type": "new", **MLA}, "c")
    assert found.width.d_k == 192


@pytest.mark.parametrize(
    ("rope", "magnitude"),
    [
        ({"type": "yarn", "factor": 4}, 0.1 * math.log(4) + 1),
        ({"rope_type": "yarn", "factor": 4, "attention_factor": 1.5}, 1.5),
        ({**V2_LITE}, None),
        ({**V2_LITE, "mscale": 1.0},
         (0.1 * math.log(40) + 1) / (0.0707 * math.log(40) + 1)),
        ({"rope_type": "linear", "factor": 4}, None),
        ({"rope_type": "llama3", "factor": 8}, None),
        ({"type": "longrope", "factor": 32, "original_max_position_embeddings": 4096},
         math.sqrt(1 + math.log(32) / math.log(4096))),
        ({"type": "su", "original_max_position_embeddings": 4096},
         math.sqrt(1 + math.log(32) / math.log(4096))),
        ({"full_attention": {"rope_type": "yarn", "factor": 4},
          "sliding_attention": {}},
         0.1 * math.log(4) + 1),
    ],
)  # fmt: skip
def test_what_cos_and_sin_carry_is_told_beside_the_scale(rope, magnitude):
    config = {"model_type": "qwen2", "head_dim": 64, "rope_scaling": rope,
              "max_position_embeddings": 131072}  # fmt: skip
    found = attention_of_config(config, "c")
    assert found.scale == 0.125
    assert found.mscale is None
    if magnitude is None:
        assert found.rope_factor is None
    else:
        assert found.rope_factor == pytest.approx(magnitude, rel=1e-15, abs=0)
        assert any("cos and sin" in note for note in found.notes)


def test_deepseek_v4_forces_the_magnitude_to_one():
    config = {"model_type": "deepseek_v4", "head_dim": 512, "rope_scaling": YARN}
    assert attention_of_config(config, "c").rope_factor is None


@pytest.mark.parametrize(
    ("fields", "group"),
    [
        ({"num_attention_heads": 32, "num_key_value_heads": 8}, 4),
        ({"num_attention_heads": 71, "multi_query": True}, 71),
        ({"num_attention_heads": 128, "num_kv_heads": 8, "multi_query": True,
          "new_decoder_architecture": True}, 16),
        ({"num_attention_heads": 32}, None),
    ],
)  # fmt: skip
def test_query_heads_that_share_a_key_head(fields, group):
    found = attention_of_config({"model_type": "falcon", "head_dim": 64, **fields}, "c")
    assert found.width.group == group


@pytest.mark.parametrize(
    ("config", "words"),
    [
        ({"model_type": "llama"}, "hidden_size"),
        ({"model_type": "llama", "hidden_size": 100, "num_attention_heads": 3},
         "100.*3"),
        ({"model_type": "llama", "head_dim": "wide"}, "head_dim: 'wide'"),
        ({"model_type": "llama", "head_dim": 64.5}, "head_dim: 64.5"),
        ({"model_type": "llama", "head_dim": -64}, "head_dim: -64"),
        ({"model_type": "deepseek_v3", "qk_nope_head_dim": 128}, "qk_rope_head_dim"),
        ({"model_type": "swinv2", "head_dim": 32}, "learned"),
        ({"model_type": "gemma2", "query_pre_attn_scalar": 0}, "query_pre_attn_scalar"),
        ({"model_type": "deepseek_v3", **MLA,
          "rope_scaling": {"type": "yarn", "mscale_all_dim": 1.0}},
         "rope_scaling.*factor"),
    ],
)  # fmt: skip
def test_configs_that_do_not_tell_are_refused_by_field(config, words):
    with pytest.raises(LlmcalcError, match=re.compile(f"c.json: .*{words}")):
        attention_of_config(config, "c.json")


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"[1, 2]", "holds no JSON object|several"),
        (b'{"a": 1} {"b": 2}', "several"),
        (b'{"head_dim": 8, "head_dim": 16}', "'head_dim' twice"),
        (b"3", "is not a config"),
        (b"", "is not a config"),
        (b"\x93NUMPY\x01\x00", "is not a config"),
    ],
)
def test_what_is_no_config_is_refused(content, words, tmp_path):
    path = tmp_path / "config.json"
    path.write_bytes(content)
    with pytest.raises(LlmcalcError, match=rf"config\.json: .*({words})"):
        read_attention_config(resolve_file(str(path)))


def test_the_config_of_a_folder_is_read(tmp_path):
    with pytest.raises(LlmcalcError, match=r"holds no config\.json"):
        read_attention_config(resolve_file(str(tmp_path)))
    config = {"model_type": "llama", "head_dim": 64}
    (tmp_path / "config.json").write_text(json.dumps(config))
    assert read_attention_config(resolve_file(str(tmp_path))).scale == 0.125


ODD = st.sampled_from(
    [0, 1, -1, 64, 1.5, math.inf, math.nan, 1e308, 5e-324, 10**400, True, None, "x",
     "yarn", "su", "c2p|p2c", [], [64, 128], ["c2p"], [None], {},
     {"softmax_scale": "x"}]
)  # fmt: skip
ROPE_KEYS = ["rope_type", "type", "factor", "mscale", "mscale_all_dim",
             "attention_factor", "original_max_position_embeddings"]  # fmt: skip
TYPES = [family.types[0] for family in FAMILIES]
FIELDS = sorted(
    {name for f in FAMILIES for name in (f.field, *f.width) if name}
    | {"hidden_size", "num_attention_heads", "num_key_value_heads", "text_config",
       "rope_scaling", "max_position_embeddings", "attn_logit_softcapping",
       "attn_config", "original_max_position_embeddings"}
)  # fmt: skip


@settings(max_examples=300)
@given(
    st.sampled_from(TYPES),
    st.dictionaries(st.sampled_from(FIELDS), ODD, max_size=4),
    st.dictionaries(st.sampled_from(ROPE_KEYS), ODD, max_size=4),
)
def test_any_values_give_a_finite_scale_or_name_the_file(model_type, odd, rope):
    usual = {"model_type": model_type, "hidden_size": 64, "num_attention_heads": 4}
    config = {**usual, "rope_scaling": rope, **odd}
    try:
        scale = attention_of_config(config, "c.json").scale
    except LlmcalcError as error:
        assert str(error).startswith("c.json: ")
    else:
        assert math.isfinite(scale)


def test_a_file_is_read_whatever_its_name(tmp_path):
    path = tmp_path / "model"
    path.write_text(json.dumps({"model_type": "llama", "head_dim": 64}))
    assert read_attention_config(resolve_file(str(path))).scale == 0.125


@pytest.mark.parametrize(
    ("field", "layers"),
    [("global_head_dim", "full-attention"), ("swa_head_dim", "sliding-window")],
)
def test_layers_of_another_width_are_noted(field, layers):
    config = {"model_type": "gemma4_text", "head_dim": 256}
    for width in (None, 256):
        assert layers not in str(attention_of_config({**config, field: width}, "c"))
    notes = attention_of_config({**config, field: 512}, "c").notes
    assert f"heads of {layers} layers are 512 wide ({field})" in notes


def test_a_config_without_a_type_is_no_known_family():
    model = attention_of_config({"head_dim": 64}, "c")
    assert (model.model_type, model.known, model.scale) == ("", False, 0.125)


def test_types_are_found_by_their_exact_name():
    assert family_of("gemma2") is not None
    assert family_of("gemma") is not family_of("gemma2")
    assert family_of("gemma9000") is None
