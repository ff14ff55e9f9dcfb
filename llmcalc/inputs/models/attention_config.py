"""config.json -> the scale that the model's attention really puts on q.k.

What a family does is a row of ``attention_families``; here is how a row is read.
"""

import math
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from llmcalc.core.attention_scale import HeadWidth, ModelScale, group_size, head_width
from llmcalc.errors import LlmcalcError
from llmcalc.inputs.content import kind_of
from llmcalc.inputs.models.attention_defaults import DEFAULT_FAMILIES
from llmcalc.inputs.models.attention_families import FAMILIES, NORMALISED, Family
from llmcalc.inputs.models.attention_fields import Fields
from llmcalc.inputs.models.attention_rope import rope_factors
from llmcalc.inputs.models.attention_rules import RULES, Width
from llmcalc.inputs.models.json_object import read_object
from llmcalc.inputs.source import Source

# Where multimodal configs keep that of their language model, in the order tried.
_NESTED = ("text_config", "llm_config", "language_config", "thinker_config", "decoder")
_HEADS = (
    "num_attention_heads", "n_head", "n_heads", "num_heads", "encoder_attention_heads",
    "attention_heads", "decoder_attention_heads",
)  # fmt: skip
_MODEL = ("hidden_size", "d_model", "n_embd", "n_embed", "emb_dim", "dim", "embed_dim")
_KEY_HEADS = ("num_key_value_heads", "num_kv_heads", "n_kv_heads")
_NORMED = ("use_qk_norm", "qk_layernorm", "use_qk_layernorm", "qk_norm")
# Fields by which families set another scale: an unknown family that has one may too.
_TELLING = (
    "query_pre_attn_scalar", "attention_multiplier", "attn_output_multiplier",
    "attn_logit_softcapping", "softmax_scale", "attn_config.softmax_scale",
)  # fmt: skip
# Fields for layers whose heads have a width of their own (Gemma 4, Inkling).
_LAYERS = (("global_head_dim", "full-attention"), ("swa_head_dim", "sliding-window"))
_CONFIG = "config.json"
_LATENT = ("qk_nope_head_dim", "qk_rope_head_dim")


def read_attention_config(source: Source) -> ModelScale:
    """Return the scale of the model that a config.json, or the one in a folder, tells.

    The config of the language model inside a multimodal one is found. A family that
    the table lacks has the default 1/sqrt(d_k) and ``known`` False. Raises
    LlmcalcError for what is no config, and where it does not tell the head width.
    """
    if source.path is not None and Path(source.path).is_dir():
        inside = str(Path(source.path) / _CONFIG)
        if not Path(inside).is_file():
            raise LlmcalcError(f"{source.name}: holds no {_CONFIG}")
        source = Source(inside, inside)
    with source.open() as stream:
        kind = kind_of(stream.peek(4096))
    if kind != "json":
        raise LlmcalcError(f"{source.name}: is not a {_CONFIG}, one JSON object")
    return attention_of_config(read_object(source), source.name)


def attention_of_config(config: Mapping[str, Any], name: str) -> ModelScale:
    """Return ``read_attention_config`` of an object that is read already.

    >>> gemma = {"model_type": "gemma2", "head_dim": 128, "query_pre_attn_scalar": 144}
    >>> attention_of_config(gemma, "config.json").scale
    0.08333333333333333
    """
    fields = _language_model(Fields(config, name, [], []))
    model_type = fields.get("model_type")
    if not isinstance(model_type, str):
        model_type = "" if model_type is None else str(model_type)
    family = family_of(model_type)
    known = family is not None
    if family is None:
        family = _unknown(fields)
    width = _width(family, fields)
    scale, field = RULES[family.rule](family, fields, width)
    ropes = rope_factors(family, fields)
    if ropes.mscale is not None:
        scale, field = scale * ropes.mscale * ropes.mscale, ropes.source
    if not math.isfinite(scale):
        raise LlmcalcError(f"{name}: {field} makes the scale {scale}")
    fields.notes.extend(_other_widths(fields, width))
    notes = tuple(dict.fromkeys([*fields.notes, *filter(None, [family.note])]))
    if any(fields.get(flag) is True for flag in _NORMED) and NORMALISED not in notes:
        notes += (NORMALISED,)
    return ModelScale(
        name=name,
        model_type=model_type,
        width=HeadWidth(width.d_k, _group(family, fields)),
        scale=scale,
        source=field,
        mscale=ropes.mscale,
        rope_factor=ropes.rope_factor,
        softcap=_softcap(family, fields),
        known=known,
        assumed=tuple(fields.assumed),
        notes=notes,
    )


def family_of(model_type: str) -> Family | None:
    """Return the row of a model type, None for an unknown one.

    >>> family_of("gemma2").field
    'query_pre_attn_scalar'
    """
    rows = (*FAMILIES, *DEFAULT_FAMILIES)
    return next((row for row in rows if model_type in row.types), None)


def _language_model(fields: Fields) -> Fields:
    """Return the fields of the innermost language model; its type may be the outer."""
    for key in _NESTED:
        inner = fields.get(key)
        if isinstance(inner, Mapping):
            typed = {"model_type": fields.get("model_type"), **inner}
            return _language_model(fields._replace(values=typed))
    return fields


def _unknown(fields: Fields) -> Family:
    telling = [field for field in _TELLING if fields.get(field) is not None]
    for field in telling:
        fields.notes.append(f"it has {field} {fields.get(field)}, which is not applied")
    latent = all(fields.get(field) is not None for field in _LATENT)
    return Family((), width=_LATENT if latent else ("head_dim",))


def _width(family: Family, fields: Fields) -> Width:
    """Return d_k and the fields that it is made of."""
    parts = [fields.whole(field, least=0) for field in family.width]
    given = [part for part in parts if part is not None]
    names = " + ".join(family.width)
    if len(given) == len(parts) and sum(given) > 0:
        return Width(sum(given), names)
    if given:
        raise LlmcalcError(f"{fields.name}: {names} are not both there, above 0 in sum")
    if family.width_default is not None:
        return Width(int(fields.assume(names, family.width_default)), names)
    model, heads = fields.first(_MODEL), fields.first(_HEADS)
    if model is None or heads is None:
        raise LlmcalcError(
            f"{fields.name}: has neither {names} nor both of hidden_size and "
            "num_attention_heads, so d_k is not known"
        )
    try:
        d_k = head_width(model[1], heads[1]) * family.width_times
    except LlmcalcError as error:
        raise LlmcalcError(f"{fields.name}: {error}") from None
    return Width(d_k, f"{model[0]} / {heads[0]}")


def _other_widths(fields: Fields, width: Width) -> Iterator[str]:
    for field, layers in _LAYERS:
        other = fields.whole(field)
        if other not in (None, width.d_k):
            yield f"heads of {layers} layers are {other} wide ({field})"


def _group(family: Family, fields: Fields) -> int | None:
    heads = fields.first(_HEADS)
    if heads is None or family.width == _LATENT:
        return None
    key_heads = fields.first(_KEY_HEADS)
    if fields.get("multi_query") is True and not fields.get("new_decoder_architecture"):
        return heads[1]
    if key_heads is None:
        return None
    try:
        return group_size(heads[1], key_heads[1])
    except LlmcalcError as error:
        raise LlmcalcError(f"{fields.name}: {error}") from None


def _softcap(family: Family, fields: Fields) -> float | None:
    if family.softcap is None:
        return None
    field, default = family.softcap
    if field in fields.values or default is None:
        return fields.positive(field)
    return fields.assume(field, default)
