"""Scores and weights as a person sees them: figures, saturation, a map of one head.

Imported only for tables and pictures, so rich may load at the top.
"""

import math
from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np
from rich.console import RenderableType
from rich.text import Text

from llmcalc.core.attention import AttentionOptions, AttentionScores, Saturation
from llmcalc.core.attention_scale import ModelScale
from llmcalc.output.canvas import Canvas, facts, grid
from llmcalc.output.charts import bar
from llmcalc.output.heat import Scale, heat

# Queries that the map of a head shows.
_ROWS = 32
# Rows of the output, and columns of the terminal for a number of it.
_OUTPUT_ROWS = 8
_CELL = 11
# Narrower than this, the bars beside the figures go.
_BARS_FROM = 64


def draw_attention(
    result: AttentionScores,
    options: AttentionOptions,
    model: ModelScale | None,
    head: int,
    canvas: Canvas,
) -> Iterator[RenderableType]:
    """Yield the figures, the saturation before and after, and the weights of a head."""
    yield facts(canvas, _facts(result, options, model, canvas))
    if result.unscaled is not None and result.scaled is not None:
        n_keys = result.shape[-1] if result.shape else 1
        choices = n_keys + (options.sink is not None)
        yield _saturation(result.unscaled, result.scaled, choices, canvas)
    if result.head_weights is not None and result.unscaled is not None:
        yield from _map(result.head_weights, _head_words(result, head), canvas)
    if result.output is not None:
        yield from _values(result.output, head, canvas)
    if model is not None:
        yield from (Text(f"note: {note}", "dim") for note in model.notes)


def _facts(
    result: AttentionScores,
    options: AttentionOptions,
    model: ModelScale | None,
    canvas: Canvas,
) -> Iterable[tuple[str, Any, str]]:
    shape = result.shape
    if not shape:
        yield "raw", result.raw, "q.k"
        yield "scores", result.scores, _product_words(result, canvas)
    else:
        words = "queries x keys, last two" if len(shape) > 1 else "in a row"
        yield "scores", " x ".join(map(str, shape)), words
    if result.d_k is not None:
        yield "d_k", result.d_k, "components"
    source = "set by " + model.source if model is not None else ""
    yield "scale", result.scale, source or _scale_words(result)
    if result.unscaled_std is not None:
        yield "unscaled_std", result.unscaled_std, "std of q.k, sqrt(d_k)"
    if result.group is not None:
        yield "group", result.group, "query heads a key head"
    if result.softcap is not None:
        yield "softcap", result.softcap, "c tanh(score / c)"
    if options.causal is not None:
        yield "causal", options.causal, ""
    if options.mask is not None:
        yield "mask", options.names[3], ""
    if options.sink is not None:
        yield "sink", ", ".join(f"{x:g}" for x in np.atleast_1d(options.sink)), ""
    if options.temperature != 1:
        yield "temperature", options.temperature, "logits are divided by it"
    if result.output is not None:
        yield "output", " x ".join(map(str, result.output.shape)), "weights @ V"


def _product_words(result: AttentionScores, canvas: Canvas) -> str:
    product = f"{canvas.number(result.raw)} x {canvas.number(result.scale)}"
    return product if result.softcap is None else f"{product}, capped"


def _scale_words(result: AttentionScores) -> str:
    return "1/sqrt(d_k)" if result.scale == result.default_scale else "as given"


def _saturation(
    before: Saturation, after: Saturation, choices: int, canvas: Canvas
) -> RenderableType:
    """Return the figures of both softmaxes side by side, with bars where they fit."""
    shares = {
        "top1": (before.top1, after.top1),
        "entropy_nats": _shares(before, after, math.log(choices), "entropy_nats"),
        "effective_choices": _shares(before, after, choices, "effective_choices"),
        "jacobian_trace": (before.jacobian_trace, after.jacobian_trace),
        "saturated_rows": (before.saturated_rows, after.saturated_rows),
    }
    bars = canvas.width >= _BARS_FROM
    blank = [("", "left")] if bars else []
    columns = [("softmax", "left"), ("scale 1", "right"), *blank, ("scaled", "right")]
    rows = []
    for name, (left, right) in shares.items():
        old, new = getattr(before, name), getattr(after, name)
        width = canvas.share(14, 6)
        cells: list[Any] = [name, old]
        cells += [bar(canvas, left, width, "red")] if bars else []
        cells += [new, *([bar(canvas, right, width)] if bars else [])]
        rows.append(cells)
    title = f"{choices} choices a row; means over rows, saturated: top1 > 0.99"
    return grid(canvas, [*columns, *blank], rows, title)


def _shares(
    before: Saturation, after: Saturation, most: float, name: str
) -> tuple[float, float]:
    if most == 0:
        return 0.0, 0.0
    return getattr(before, name) / most, getattr(after, name) / most


def _head_words(result: AttentionScores, head: int) -> str:
    heads = result.shape[:-2]
    if not heads:
        return ""
    place = np.unravel_index(head, heads)
    return f" of head {','.join(str(int(i)) for i in place)}"


def _map(weights: Any, where: str, canvas: Canvas) -> Iterator[RenderableType]:
    """Yield the weights of one head as a heat map, with what it leaves out."""
    highest = float(weights.max(initial=0.0)) or 1.0
    yield Text(f"weights{where}: queries down, keys across")
    yield heat(
        canvas,
        weights[:_ROWS].tolist(),
        Scale(0.0, highest, 2 if highest >= 0.095 else 3),
    )
    if len(weights) > _ROWS:
        left = len(weights) - _ROWS
        words = "row is" if left == 1 else "rows are"
        yield Text(f"{left} more {words} not shown", "dim")


def _values(output: Any, head: int, canvas: Canvas) -> Iterator[RenderableType]:
    """Yield the output of one head as far as it fits."""
    width = output.shape[-1]
    rows = output.reshape(-1, *output.shape[-2:])[head] if output.ndim > 2 else output
    rows = rows.reshape(-1, width)
    columns = max(1, min(width, (canvas.width - 6) // _CELL))
    few = canvas._replace(precision=min(canvas.precision, 4))
    yield grid(
        few,
        [("query", "right"), *((str(j), "right") for j in range(columns))],
        ([i, *row[:columns]] for i, row in enumerate(rows[:_OUTPUT_ROWS].tolist())),
        "output, weights @ V",
    )
    if columns < width or len(rows) > _OUTPUT_ROWS:
        yield Text(f"of {len(rows)} rows and {width} columns", "dim")
