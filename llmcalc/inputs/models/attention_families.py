"""How each family of models scales q.k: a row a family, read by ``attention_config``.

The facts are those of transformers 5.24 and, for the families it lacks, of their
authors' published code.
"""

from typing import NamedTuple

# How a scale comes of d_k and the field of the row.
ROOT_WIDTH = "1/sqrt(d_k)"
ROOT_FIELD = "1/sqrt(field)"
FIELD = "field"
ONE = "1"
INVERSE_WIDTH = "1/d_k"
ROOT_HALF_WIDTH = "1/sqrt(d_k/2)"
SWITCH = "1/sqrt(d_k), or 1 where the field is false"
ROOT_MODEL = "1/sqrt(d_model)"
POSITION_TERMS = "1/sqrt(d_k (1 + position terms))"
NO_SCALE = "learned"

NORMALISED = "q and k are normalised before the product"
SINK = "a learned sink a head stands in the denominator, so weights sum to less than 1"
BY_POSITION = "queries grow with their position: x (1 + b ln(1 + floor((i+1)/L)))"


class Family(NamedTuple):
    """Model types that scale alike.

    ``field`` is the field of the rule, ``default`` its value where the config leaves
    it off (None: 1/sqrt(d_k)). ``width`` are the fields whose sum is d_k, and
    ``width_default`` their sum where they are left off (None: ``width_times``
    d_model / n_heads). ``mscale``: YaRN's factor of mscale_all_dim enters the scale,
    squared; ``magnitude``: cos and sin carry the rest of it. ``softcap`` is the
    field of the cap with its default.
    """

    types: tuple[str, ...]
    rule: str = ROOT_WIDTH
    field: str = ""
    default: float | None = None
    width: tuple[str, ...] = ("head_dim",)
    width_default: int | None = None
    width_times: int = 1
    mscale: bool = False
    magnitude: bool = True
    softcap: tuple[str, float | None] | None = None
    note: str = ""


_MLA = ("qk_nope_head_dim", "qk_rope_head_dim")
_GEMMA_CAP = ("attn_logit_softcapping", 50.0)

FAMILIES = (
    Family(
        ("gemma2", "t5gemma", "t5_gemma_module", "vaultgemma"),
        ROOT_FIELD, "query_pre_attn_scalar", 256, ("head_dim",), 256,
        softcap=_GEMMA_CAP,
    ),
    Family(
        ("gemma3", "gemma3_text", "t5gemma2", "t5gemma2_text", "t5gemma2_encoder",
         "t5gemma2_decoder", "shieldgemma2"),
        ROOT_FIELD, "query_pre_attn_scalar", 256, ("head_dim",), 256,
        softcap=("attn_logit_softcapping", None), note=NORMALISED,
    ),
    Family(
        ("step3p5", "step3p7", "step3p7_text"),
        ROOT_FIELD, "query_pre_attn_scalar", None, ("head_dim",), 128, note=NORMALISED,
    ),
    Family(
        ("gemma3n", "gemma3n_text", "gemma4", "gemma4_text", "gemma4_unified",
         "gemma4_unified_text", "diffusion_gemma", "diffusion_gemma_text",
         "embedding_gemma2", "embedding_gemma2_text"),
        ONE, width_default=256, note=NORMALISED,
    ),
    Family(
        ("granite", "granitemoe", "granitemoeshared", "granitemoehybrid",
         "granite4_vision", "granite4_vision_text", "granite_speech"),
        FIELD, "attention_multiplier", 1.0,
    ),
    Family(
        ("granite_swa", "granitemoe_swa"),
        FIELD, "attention_multiplier", 1.0, note=SINK,
    ),
    Family(
        ("granite_docling", "granite_docling_text"),
        FIELD, "attention_multiplier", 0.015625,
    ),
    Family(("hyperclovax",), FIELD, "attention_multiplier"),
    Family(("mpt",), FIELD, "attn_config.softmax_scale"),
    Family(
        ("t5", "mt5", "umt5", "longt5", "switch_transformers", "pop2piano", "udop",
         "pix2struct", "pix2struct_text_model"),
        ONE, width=("d_kv",), width_default=64,
        note="a learned position bias is added to q.k",
    ),
    Family(("gpt_neo",), ONE),
    Family(("dia", "dia_decoder", "dia_encoder"), ONE, width_default=128),
    Family(
        ("inkling_text", "inkling_mm_model"), INVERSE_WIDTH, width_default=128,
        note="queries of full layers grow: x (1 + a ln(max(n / floor, 1))), with "
        "log_scaling_alpha and log_scaling_n_floor",
    ),
    Family(
        ("gpt2", "decision_transformer", "imagegpt", "gpt_bigcode"),
        SWITCH, "scale_attn_weights",
    ),
    Family(
        ("deepseek_v2", "deepseek_v3", "deepseek_v32", "kimi_k2", "kimi_k25",
         "kimi_vl", "longcat_flash", "youtu", "axk1", "bailing_hybrid",
         "deepseek_vl_v2"),
        width=_MLA, width_default=192, mscale=True,
    ),
    Family(
        ("mistral4", "mistral_large4", "mistral_large4_text"),
        width=_MLA, width_default=128, mscale=True,
        note=BY_POSITION + ", with llama_4_scaling_beta",
    ),
    Family(("minicpm3", "axk2"), width=_MLA, width_default=96, mscale=True),
    Family(
        ("glm4_moe_lite", "glm_moe_dsa", "hy_v4", "hy_v4_vl", "hy_v4_vl_text"),
        width=_MLA, width_default=256, mscale=True,
    ),
    Family(
        ("kimi_linear", "dots3_note", "dots3_note_text"),
        width=_MLA, width_default=192,
    ),
    Family(("glm5_next", "glm5_next_text"), width=_MLA, width_default=256),
    Family(
        ("deepseek_v4",), width_default=512, magnitude=False,
        note=SINK + "; YaRN's factor is forced to 1",
    ),
    Family(
        ("gpt_oss",), width_default=64, note=SINK,
    ),
    Family(
        ("openai_privacy_filter",), width_default=64,
        note="as d_k^-1/4 on q and on k; " + SINK,
    ),
    Family(("mimo_v2_flash",), width_default=192, note=SINK),
    Family(
        ("llama4", "llama4_text"), width_default=128,
        note="in layers without RoPE "
        + BY_POSITION + ", with attn_scale and floor_scale",
    ),
    Family(
        ("ministral3",), width_default=128,
        note=BY_POSITION + ", with llama_4_scaling_beta",
    ),
    Family(("deberta", "deberta-v2"), POSITION_TERMS, "pos_att_type"),
    Family(
        ("zamba", "zamba2"), ROOT_HALF_WIDTH, width=("attention_head_dim",),
        width_times=2,
    ),
    Family(("cvt",), ROOT_MODEL, "embed_dim"),
    Family(
        ("grok-1", "grok"), FIELD, "attn_output_multiplier", 0.08838834764831845,
        width_default=128, softcap=("max_attn_value", 30.0),
    ),
    Family(
        ("swinv2", "donut-swinv2"), NO_SCALE, "logit_scale",
        note="cosine of q and k times a learned factor of at most 100",
    ),
)  # fmt: skip
