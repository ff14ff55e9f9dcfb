"""The histogram of surprisal and its course from the first token to the last.

Imported only for tables and pictures, so rich may load at the top.
"""

import math
from collections.abc import Iterator

from rich.console import RenderableType
from rich.text import Text

from llmcalc.core.surprisal import EDGES, Course
from llmcalc.output.canvas import Canvas, grid
from llmcalc.output.charts import bar, sparkline


def course_view(canvas: Canvas, course: Course, unit: str) -> Iterator[RenderableType]:
    """Yield how many tokens surprise how much, and a sparkline along the sequence."""
    total, most = sum(course.counts), max(course.counts)
    last = max(index for index, count in enumerate(course.counts) if count)
    # What the other columns leave of a narrow terminal.
    width = max(4, min(30, canvas.width - 28))
    yield grid(
        canvas,
        [("bits", "right"), (f"{unit}s", "right"), ("%", "right"), ("", "left")],
        (
            (
                _edges(low, high),
                count,
                f"{100 * count / total:.1f}",
                bar(canvas, count / most, width),
            )
            for low, high, count in zip(
                EDGES[: last + 1], EDGES[1:], course.counts, strict=False
            )
        ),
        title="surprisal",
    )
    means = course.means()
    if len(means) > 1:
        finite = [bits for bits in means if math.isfinite(bits)]
        line = sparkline(canvas, means)
        if finite:
            low, high = canvas.number(min(finite)), canvas.number(max(finite))
            label = f"{low} to {high} bits, start to end"
            fits = line.cell_len + len(label) + 2 <= canvas.width
            line = line + Text(("  " if fits else "\n") + label, "dim")
        yield line


def _edges(low: float, high: float) -> str:
    return f"{low:g} or more" if high == math.inf else f"{low:g} to {high:g}"
