"""What `attn-scale` found, as fields, rows and warnings.

Start-up is a feature: rich and the drawings load when a table is asked for.
"""

import math
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from llmcalc.core.attention import AttentionOptions, AttentionScores, Saturation
from llmcalc.core.attention_scale import ModelScale, ScaleFacts
from llmcalc.errors import LlmcalcError
from llmcalc.output.attn_warnings import (
    empty_warnings,
    mask_warnings,
    model_warnings,
)
from llmcalc.output.report import Report
from llmcalc.output.text import value_text

if TYPE_CHECKING:
    from rich.console import RenderableType

    from llmcalc.output.canvas import Canvas


def scale_report(found: Sequence[ScaleFacts], model: ModelScale | None) -> Report:
    """Return the report on a width, or on several; ``plain`` prints the scale."""
    rows = [_scale_fields(facts, model) for facts in found]
    fields = rows[0] if len(rows) == 1 else {"sweep": rows}
    view, warnings = partial(_scale_view, found, model), model_warnings(model)
    if len(rows) == 1:
        return Report(fields, "scale", view, None, warnings)
    return Report(fields, "sweep", view, lambda: rows, warnings, partial(_scales, rows))


def attention_report(
    result: AttentionScores,
    options: AttentionOptions,
    model: ModelScale | None,
    head: int,
) -> Report:
    """Return the report on scores; ``plain`` prints them, a query a line.

    ``head`` is the one whose weights a table shows, counted over the leading axes;
    raises LlmcalcError where it is not there.
    """
    heads = math.prod(result.shape[:-2])
    if head >= heads:
        raise LlmcalcError(f"--head {head}: there are {heads}, counted from 0")
    fields = _attention_fields(result, model)
    warnings = [
        *model_warnings(model),
        *mask_warnings(options),
        *empty_warnings(result),
    ]
    return Report(
        fields,
        "scores",
        partial(_attention_view, result, options, model, head),
        partial(score_rows, result),
        warnings,
    )


def score_rows(result: AttentionScores) -> Iterator[dict[str, Any]]:
    """Yield a row for each pair of a query and a key."""
    import numpy as np

    raw = np.asarray(result.raw)
    if raw.ndim == 0:
        yield {"raw": result.raw, "score": result.scores, "weight": result.weights}
        return
    scores, weights = np.asarray(result.scores), np.asarray(result.weights)
    axes = [*(f"axis{i}" for i in range(raw.ndim - 3)), "head", "query", "key"]
    names = axes[len(axes) - raw.ndim :]
    for at in np.ndindex(raw.shape):
        place = dict(zip(names, at, strict=True))
        yield {
            **place,
            "raw": float(raw[at]),
            "score": float(scores[at]),
            "weight": float(weights[at]),
        }


def _scales(rows: Sequence[dict[str, Any]], precision: int | None) -> Iterator[str]:
    return (value_text(row["scale"], precision) for row in rows)


def _scale_fields(facts: ScaleFacts, model: ModelScale | None) -> dict[str, Any]:
    fields = facts._asdict()
    if facts.group is None:
        del fields["group"]
    return fields if model is None else {**fields, **_model_fields(model)}


def _model_fields(model: ModelScale) -> dict[str, Any]:
    fields: dict[str, Any] = {"model_type": model.model_type, "known": model.known}
    for key in ("softcap", "mscale", "rope_factor"):
        if getattr(model, key) is not None:
            fields[key] = getattr(model, key)
    if model.assumed:
        fields["assumed"] = list(model.assumed)
    if model.notes:
        fields["notes"] = list(model.notes)
    return fields


def _attention_fields(
    result: AttentionScores, model: ModelScale | None
) -> dict[str, Any]:
    fields: dict[str, Any] = {}
    for key, value in result._asdict().items():
        if value is None or key in ("empty_rows", "shape", "head_weights"):
            continue
        figures = isinstance(value, Saturation)
        fields[key] = value._asdict() if figures else value
    if result.empty_rows:
        fields["empty_rows"] = [list(row) for row in result.empty_rows]
    if model is not None:
        own = _model_fields(model)
        own.pop("softcap", None)
        fields.update({"source": model.source, **own})
    return fields


def _scale_view(
    found: Sequence[ScaleFacts], model: ModelScale | None, canvas: "Canvas"
) -> "Iterable[RenderableType]":
    from llmcalc.output.attn_scale_view import draw_scales

    return draw_scales(found, model, canvas)


def _attention_view(
    result: AttentionScores,
    options: AttentionOptions,
    model: ModelScale | None,
    head: int,
    canvas: "Canvas",
) -> "Iterable[RenderableType]":
    from llmcalc.output.attn_view import draw_attention

    return draw_attention(result, options, model, head, canvas)
