"""The ways in which families come by their scale: a function for each word of a row."""

from collections.abc import Callable
from typing import NamedTuple

from llmcalc.core.attention_scale import default_scale
from llmcalc.errors import LlmcalcError
from llmcalc.inputs.models import attention_families as words
from llmcalc.inputs.models.attention_families import Family
from llmcalc.inputs.models.attention_fields import Fields


class Width(NamedTuple):
    """The width of a head and the fields that say it."""

    d_k: int
    source: str


# The scale, and the field that set it.
Scaled = tuple[float, str]


def _root_width(_family: Family, _fields: Fields, width: Width) -> Scaled:
    return default_scale(width.d_k), width.source


def _root_field(family: Family, fields: Fields, width: Width) -> Scaled:
    value = _or_default(family, fields, fields.positive(family.field))
    if value is None:
        return _root_width(family, fields, width)
    return value**-0.5, family.field


def _field(family: Family, fields: Fields, width: Width) -> Scaled:
    value = _or_default(family, fields, fields.number(family.field))
    if value is None:
        return _root_width(family, fields, width)
    return value, family.field


def _or_default(family: Family, fields: Fields, value: float | None) -> float | None:
    """Return the value; where it is missing, the family's default, if it has one."""
    if value is None and family.default is not None:
        return fields.assume(family.field, family.default)
    return value


def _one(_family: Family, _fields: Fields, _width: Width) -> Scaled:
    return 1.0, "model_type"


def _inverse_width(_family: Family, _fields: Fields, width: Width) -> Scaled:
    return 1 / width.d_k, width.source


def _root_half_width(_family: Family, _fields: Fields, width: Width) -> Scaled:
    return float((width.d_k / 2) ** -0.5), width.source


def _switch(family: Family, fields: Fields, width: Width) -> Scaled:
    if fields.get("scale_attn_by_inverse_layer_idx") is True:
        fields.notes.append("scale_attn_by_inverse_layer_idx: / (layer + 1) as well")
    if fields.get(family.field) is False:
        return 1.0, family.field
    return _root_width(family, fields, width)


def _root_model(family: Family, fields: Fields, width: Width) -> Scaled:
    value = fields.positive(family.field)
    if value is None:
        return _root_width(family, fields, width)
    return value**-0.5, family.field


def _position_terms(family: Family, fields: Fields, width: Width) -> Scaled:
    """DeBERTa adds content-position scores and divides by the number of all terms."""
    kinds = fields.get(family.field) or []
    terms = kinds.lower().split("|") if isinstance(kinds, str) else kinds
    if not isinstance(terms, list) or not all(isinstance(t, str) for t in terms):
        raise LlmcalcError(
            f"{fields.name}: {family.field}: {kinds!r:.40} is no list of texts"
        )
    counted = sum(term.strip() in ("c2p", "p2c") for term in terms)
    if not counted:
        return _root_width(family, fields, width)
    return float((width.d_k * (1 + counted)) ** -0.5), family.field


def _learned(family: Family, fields: Fields, _width: Width) -> Scaled:
    raise LlmcalcError(
        f"{fields.name}: {fields.get('model_type')} has no fixed scale: {family.note}"
    )


RULES: dict[str, Callable[[Family, Fields, Width], Scaled]] = {
    words.ROOT_WIDTH: _root_width,
    words.ROOT_FIELD: _root_field,
    words.FIELD: _field,
    words.ONE: _one,
    words.INVERSE_WIDTH: _inverse_width,
    words.ROOT_HALF_WIDTH: _root_half_width,
    words.SWITCH: _switch,
    words.ROOT_MODEL: _root_model,
    words.POSITION_TERMS: _position_terms,
    words.NO_SCALE: _learned,
}
