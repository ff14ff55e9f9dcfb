"""The variance theorem as a person sees it: two tables and two curves.

Imported only for tables and pictures, so rich may load at the top.
"""

from collections.abc import Iterator, Sequence
from typing import Any

from rich.console import RenderableType
from rich.text import Text

from llmcalc.core.attention import Saturation
from llmcalc.core.attention_simulation import VarianceTheorem
from llmcalc.output.canvas import Canvas, grid
from llmcalc.output.charts import bar, curve

# Narrower than this, the bars beside the figures go.
_BARS_FROM = 64
_CURVES_FROM = 3


def draw_simulation(
    found: Sequence[VarianceTheorem], canvas: Canvas
) -> Iterator[RenderableType]:
    """Yield the variances, the saturation before and after, and their curves."""
    first = found[0]
    yield grid(
        canvas,
        [("d_k", "right"), ("Var(q.k)", "right"), ("/ d_k", "right"),
         ("scaled", "right"), ("std error", "right")],
        (_variances(one, canvas) for one in found),
        f"{canvas.number(first.trials)} pairs, seed {first.seed}",
    )  # fmt: skip
    columns = [("d_k", "right"), ("scale", "right"), ("best", "right")]
    if canvas.width >= _BARS_FROM:
        columns += [("", "left")]
    columns += [("choices", "right"), ("trace", "right"), ("> .99", "right")]
    yield grid(
        canvas,
        columns,
        (row for one in found for row in _saturations(one, canvas)),
        f"softmax over {canvas.number(first.keys)} keys, before and after",
    )
    if len(found) >= _CURVES_FROM:
        yield from _curves(found, canvas)


def _variances(one: VarianceTheorem, canvas: Canvas) -> Sequence[Any]:
    few = canvas._replace(precision=min(canvas.precision, 4))
    return [
        one.d_k,
        few.number(one.unscaled_variance),
        few.number(one.unscaled_variance / one.d_k),
        few.number(one.scaled_variance),
        few.number(one.std_error),
    ]


def _saturations(one: VarianceTheorem, canvas: Canvas) -> Iterator[Sequence[Any]]:
    for name, scale, saturation in (
        (str(one.d_k), "1", one.unscaled),
        ("", f"{one.scale:.3g}", one.scaled),
    ):
        if saturation is not None:
            yield [name, scale, *_figures(saturation, canvas)]


def _figures(saturation: Saturation, canvas: Canvas) -> Iterator[Any]:
    yield f"{saturation.top1:.3f}"
    if canvas.width >= _BARS_FROM:
        yield bar(canvas, saturation.top1, canvas.share(20, 6))
    yield f"{saturation.effective_choices:.1f}"
    yield f"{saturation.jacobian_trace:.3f}"
    yield f"{saturation.saturated_rows:.0%}"


def _curves(
    found: Sequence[VarianceTheorem], canvas: Canvas
) -> Iterator[RenderableType]:
    """Yield the trace of the Jacobian over the list of widths, before and after."""
    widths = f"d_k {found[0].d_k} to {found[-1].d_k}"
    for words, style, traces in (
        ("scale 1", "red", [_trace(one.unscaled) for one in found]),
        ("scaled", "cyan", [_trace(one.scaled) for one in found]),
    ):
        yield Text(f"Jacobian trace, {words}, {widths}:")
        yield curve(canvas, traces, 4, style)


def _trace(saturation: Saturation | None) -> float:
    return float("nan") if saturation is None else saturation.jacobian_trace
