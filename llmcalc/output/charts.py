"""Bars, sparklines, histograms and curves of blocks, with ASCII where need be.

Imported only for tables and pictures, so rich may load at the top.
"""

import itertools
import math
from collections.abc import Iterable, Sequence
from typing import Any

from rich.table import Table
from rich.text import Text

from llmcalc.output.canvas import Canvas, grid

_EIGHTHS = " ▏▎▍▌▋▊▉█"
_LEVELS = "▁▂▃▄▅▆▇█"
_RISING = " ▁▂▃▄▅▆▇█"
_ASCII_LEVELS = "_.-=+*%#"


def bar(canvas: Canvas, fraction: float, width: int, style: str = "cyan") -> Text:
    """Return a bar that fills ``fraction`` of ``width`` columns, to an eighth.

    A negative fraction is drawn hollow, so that it shows without colour.

    >>> bar(Canvas(80), 0.5, 4).plain, bar(Canvas(80, unicode=False), 0.5, 4).plain
    ('██', '##')
    >>> bar(Canvas(80), -0.5, 4).plain
    '░░'
    """
    fraction = 0.0 if math.isnan(fraction) else max(-1.0, min(1.0, fraction))
    if fraction < 0:
        hollow = "░" if canvas.unicode else "-"
        return Text(hollow * round(-fraction * width), style=style)
    if not canvas.unicode:
        return Text("#" * round(fraction * width), style=style)
    full, eighths = divmod(round(fraction * width * 8), 8)
    return Text("█" * full + _EIGHTHS[eighths].strip(), style=style)


def sparkline(
    canvas: Canvas, values: Sequence[float], floor: float | None = None
) -> Text:
    """Return values as a line of blocks, the lowest to the highest; many are averaged.

    ``floor`` is drawn lowest where it is below all values.

    >>> sparkline(Canvas(80), [0.0, 1.0, 2.0]).plain
    '▁▅█'
    >>> sparkline(Canvas(80), [9.0, 10.0], floor=0.0).plain
    '▇█'
    """
    levels = _LEVELS if canvas.unicode else _ASCII_LEVELS
    shown = condensed(values, min(60, canvas.width - 2))
    floors = [] if floor is None else [floor]
    heights = _fractions([*shown, *floors])[: len(shown)]
    top = len(levels) - 1
    return Text("".join(levels[int(h * top + 0.5)] for h in heights), style="cyan")


def histogram(
    canvas: Canvas, edges: Sequence[float], counts: Sequence[int], header: str
) -> Table:
    """Return counts between edges (one more than counts), a bar each."""
    most = max(counts, default=0) or 1
    names = [f"{canvas.number(low)} to" for low in edges]
    taken = max(map(len, (header, *names))) + max(5, len(canvas.number(most)))
    # Beside those two columns, and what parts them.
    width = max(8, min(canvas.share(40, 8), canvas.width - taken - 6))
    return grid(
        canvas,
        [(header, "right"), ("count", "right"), ("", "left")],
        (
            (name, count, bar(canvas, count / most, width))
            for name, count in zip(names, counts, strict=False)
        ),
    )


def curve(
    canvas: Canvas, values: Sequence[float], height: int = 6, style: str = "cyan"
) -> Text:
    """Return values as columns of blocks ``height`` rows tall, with their range."""
    width = min(60, max(8, canvas.width - 12))
    shown = condensed(values, width)
    heights = _fractions(shown)
    step = max(1, width // max(1, len(heights)))
    lines = []
    for row in range(height - 1, -1, -1):
        cells = (_cell(canvas, h * height - row) * step for h in heights)
        lines.append("".join(cells).rstrip())
    finite = [value for value in shown if math.isfinite(value)]
    if finite:
        lines[0] += f" {canvas.number(max(finite))}"
        lines[-1] += f" {canvas.number(min(finite))}"
    return Text("\n".join(lines), style=style)


def condensed(values: Sequence[Any], width: int) -> list[float]:
    """Return at most ``width`` means of neighbouring values, in order."""
    n = len(values)
    if n <= width:
        return [float(value) for value in values]
    cuts = [i * n // width for i in range(width + 1)]
    return [
        math.fsum(values[low:high]) / (high - low)
        for low, high in itertools.pairwise(cuts)
    ]


def _cell(canvas: Canvas, filled: float) -> str:
    level = max(0, min(8, round(filled * 8)))
    return _RISING[level] if canvas.unicode else ("#" if level >= 4 else " ")


def _fractions(values: Iterable[float]) -> list[float]:
    given = list(values)
    finite = [value for value in given if math.isfinite(value)]
    low, high = (min(finite), max(finite)) if finite else (0.0, 0.0)
    # Halves first: the range of two doubles can exceed the largest one.
    half = high / 2 - low / 2

    def place(value: float) -> float:
        if math.isnan(value):
            return 0.0
        if half == 0 or not math.isfinite(value):
            return 0.5 if math.isfinite(value) else float(value > 0)
        return (value / 2 - low / 2) / half

    return [place(value) for value in given]
