"""`attn-scale` without vectors as a person reads it: the scale and what set it.

Imported only for tables and pictures, so rich may load at the top.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from rich.console import RenderableType
from rich.text import Text

from llmcalc.core.attention_scale import ModelScale, ScaleFacts
from llmcalc.output.canvas import Canvas, facts, grid
from llmcalc.output.charts import bar

# From here on a ratio says more than what it is above 1.
_FEW = 2


def draw_scales(
    found: Sequence[ScaleFacts], model: ModelScale | None, canvas: Canvas
) -> Iterator[RenderableType]:
    """Yield the table of one scale, or a row for each of several."""
    if len(found) == 1:
        yield facts(canvas, _rows(found[0], model, canvas))
        if model is not None:
            for note in model.notes:
                yield Text(f"note: {note}", "dim")
        return
    most = max(abs(one.scale) for one in found) or 1.0
    width = canvas.share(32, 6)
    yield grid(
        canvas,
        [("d_k", "right"), ("scale", "right"), ("std of q.k", "right"), ("", "left")],
        (
            (one.d_k, one.scale, one.unscaled_std, _bar(canvas, one, most, width))
            for one in found
        ),
    )


def _bar(canvas: Canvas, one: ScaleFacts, most: float, width: int) -> Text:
    return bar(canvas, abs(one.scale) / most, width)


def _rows(
    one: ScaleFacts, model: ModelScale | None, canvas: Canvas
) -> Iterable[tuple[str, Any, str]]:
    if model is not None:
        words = "" if model.known else "not a known family"
        yield "model_type", model.model_type or "none", words
    yield "d_k", one.d_k, "components of a head"
    yield "scale", one.scale, f"set by {one.source}"
    yield "default_scale", one.default_scale, "1/sqrt(d_k)"
    yield "ratio", one.ratio, ratio_words(one.ratio, canvas)
    yield "unscaled_std", one.unscaled_std, "std of q.k, sqrt(d_k)"
    if one.group is not None:
        yield "group", one.group, "query heads a key head"
    if model is not None and model.mscale is not None:
        yield "mscale", model.mscale, "YaRN; its square is in the scale"
    if model is not None and model.rope_factor is not None:
        yield "rope_factor", model.rope_factor, "on cos and sin, beside the scale"
    if model is not None and model.softcap is not None:
        yield "softcap", model.softcap, "c tanh(score / c)"


def ratio_words(ratio: float, canvas: Canvas) -> str:
    """Return a ratio to the default as a person says it, behind the number.

    >>> ratio_words(0.75, Canvas(80)), ratio_words(16.0, Canvas(80))
    ('25 % below the default', 'times the default')
    """
    if ratio == 1:
        return "the default"
    if not 0 < ratio < _FEW:
        return "times the default"
    percent = f"{abs(ratio - 1) * 100:.{min(3, canvas.precision)}g}"
    return f"{percent} % {'below' if ratio < 1 else 'above'} the default"
