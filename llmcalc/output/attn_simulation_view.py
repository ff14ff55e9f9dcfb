"""The variance theorem as a person sees it: two tables and two curves.

Imported only for tables and pictures, so rich may load at the top.
"""

from collections.abc import Iterator, Sequence
from typing import Any

from rich.console import RenderableType
from rich.text import Text

from llmcalc.core.attention import Saturation
from llmcalc.core.attention_simulation import VarianceTheorem
from llmcalc.output.attn_plot import Line, plot
from llmcalc.output.canvas import Canvas, grid
from llmcalc.output.charts import bar

# Narrower than this, the bars beside the figures go, and what the curves show.
_WIDE = 64
_CURVES_FROM = 3


def draw_simulation(
    found: Sequence[VarianceTheorem], canvas: Canvas
) -> Iterator[RenderableType]:
    """Yield the variances, the saturation before and after, and their curves."""
    first, wide = found[0], canvas.width >= _WIDE
    few = canvas._replace(precision=min(canvas.precision, 4))
    yield grid(
        few,
        [("d_k", "right"), ("Var(q.k)", "right"), *[("/ d_k", "right")] * wide,
         ("scaled", "right"), ("std error", "right")],
        (_variances(one, wide) for one in found),
        f"{canvas.number(first.trials)} pairs, seed {first.seed}",
    )  # fmt: skip
    yield grid(
        canvas,
        [("d_k", "right"), ("scale", "right"), ("top1", "right"),
         *[("", "left")] * wide, ("choices", "right"), *[("trace", "right")] * wide,
         ("> .99", "right")],
        (row for one in found for row in _saturations(one, canvas)),
        f"softmax over {canvas.number(first.keys)} keys, before and after",
    )  # fmt: skip
    if len(found) >= _CURVES_FROM:
        yield Text("trace of the softmax's Jacobian over d_k")
        yield plot(canvas, [str(one.d_k) for one in found], _traces(found))


def _variances(one: VarianceTheorem, wide: bool) -> Sequence[Any]:
    share = [one.unscaled_variance / one.d_k] if wide else []
    scaled = one.scaled_variance, one.std_error
    return [one.d_k, one.unscaled_variance, *share, *scaled]


def _saturations(one: VarianceTheorem, canvas: Canvas) -> Iterator[Sequence[Any]]:
    for name, scale, saturation in (
        (str(one.d_k), "1", one.unscaled),
        ("", f"{one.scale:.3g}", one.scaled),
    ):
        if saturation is not None:
            yield [name, scale, *_figures(saturation, canvas)]


def _figures(saturation: Saturation, canvas: Canvas) -> Iterator[Any]:
    wide = canvas.width >= _WIDE
    yield f"{saturation.top1:.3f}"
    if wide:
        yield bar(canvas, saturation.top1, canvas.share(20, 6))
    yield f"{saturation.effective_choices:.1f}"
    if wide:
        yield f"{saturation.jacobian_trace:.3f}"
    yield f"{saturation.saturated_rows:.0%}"


def _traces(found: Sequence[VarianceTheorem]) -> list[Line]:
    before = [one.unscaled.jacobian_trace for one in found if one.unscaled]
    after = [one.scaled.jacobian_trace for one in found if one.scaled]
    return [Line("scaled", "x", "cyan", after), Line("scale 1", "o", "red", before)]
