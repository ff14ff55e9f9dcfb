"""What position encodings put on q.k: YaRN's and LongRoPE's magnitudes."""

from collections.abc import Mapping
from typing import Any, NamedTuple

from llmcalc.core.attention_scale import longrope_magnitude, yarn_mscale
from llmcalc.errors import LlmcalcError
from llmcalc.inputs.models.attention_families import Family
from llmcalc.inputs.models.attention_fields import Fields

# "su" is LongRoPE's name in early configs of Phi-3.
_LONGROPE = ("longrope", "su")


class RopeFactors(NamedTuple):
    """``mscale`` enters the scale squared; cos and sin carry ``rope_factor``."""

    mscale: float | None
    rope_factor: float | None
    source: str


def rope_factors(family: Family, fields: Fields) -> RopeFactors:
    """Return the magnitudes that a config's rotary encoding brings, None for 1.

    Families with latent attention take mscale_all_dim into the scale and leave cos
    and sin the ratio of mscale to it; the others put all of it on cos and sin.
    """
    section, rope = _section(fields)
    kind = rope.get("rope_type", rope.get("type", "default"))
    nested = fields._replace(values=rope, name=f"{fields.name}: {section}")
    all_dim = nested.number("mscale_all_dim")
    mscale = None
    source = f"{section}.mscale_all_dim"
    if family.mscale and kind not in ("default", None) and all_dim:
        mscale = yarn_mscale(_factor(fields, nested), all_dim)
    magnitude = _magnitude(kind, fields, nested) if family.magnitude else 1.0
    if magnitude == 1:
        return RopeFactors(mscale, None, source)
    fields.notes.append(
        f"cos and sin carry {magnitude:.6g} ({section}): q.k of rotated components is "
        f"x {magnitude * magnitude:.6g} beside the scale"
    )
    return RopeFactors(mscale, magnitude, source)


def _section(fields: Fields) -> tuple[str, Mapping[str, Any]]:
    """Return the name and the object of the rotary settings; {} where there are none.

    Where each kind of layer has its own, those of full attention are taken.
    """
    for name in ("rope_scaling", "rope_parameters"):
        rope = fields.get(name)
        if isinstance(rope, Mapping) and rope:
            full = rope.get("full_attention")
            if isinstance(full, Mapping):
                return f"{name}.full_attention", full
            return name, rope
    return "rope_scaling", {}


def _factor(fields: Fields, nested: Fields) -> float:
    """Return the extension factor: given, else new over original positions."""
    factor = nested.positive("factor")
    if factor is not None:
        return factor
    length, original = (
        fields.positive("max_position_embeddings"),
        _original(fields, nested),
    )
    if length is None or original is None:
        raise LlmcalcError(
            f"{nested.name}: has no factor, and max_position_embeddings and "
            "original_max_position_embeddings, which give it, are not both there"
        )
    return length / original


def _original(fields: Fields, nested: Fields) -> float | None:
    inner = nested.positive("original_max_position_embeddings")
    return (
        fields.positive("original_max_position_embeddings") if inner is None else inner
    )


def _magnitude(kind: Any, fields: Fields, nested: Fields) -> float:
    """Return what cos and sin are multiplied by."""
    if kind != "yarn" and kind not in _LONGROPE:
        return 1.0
    given = nested.positive("attention_factor")
    if given is not None:
        return given
    factor = _factor(fields, nested)
    if kind == "yarn":
        mscale, all_dim = nested.number("mscale"), nested.number("mscale_all_dim")
        if mscale and all_dim:
            return yarn_mscale(factor, mscale) / yarn_mscale(factor, all_dim)
        return yarn_mscale(factor)
    original = _original(fields, nested)
    if original is None:
        raise LlmcalcError(f"{nested.name}: has no original_max_position_embeddings")
    if original <= 1:
        raise LlmcalcError(
            f"{nested.name}: original_max_position_embeddings: {original:g} is no "
            "length of a context"
        )
    return longrope_magnitude(factor, original)
