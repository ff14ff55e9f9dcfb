"""A sweep of temperatures and the engines side by side, as tables.

Imported only for tables and pictures, so rich may load at the top.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from rich.console import RenderableType
from rich.text import Text

from llmcalc.core.filters import option_name
from llmcalc.core.questions import Row
from llmcalc.output.canvas import Canvas, grid
from llmcalc.output.charts import bar, curve

# Below so many columns a table keeps what matters most, with fewer digits.
_NARROW = 60
_NARROW_DIGITS = 3
# Columns of 80 that a bar takes, and the most it takes.
_BAR = 30
_LONGEST = 60
# Columns of the screen that a column of numbers takes, its gap included.
_COLUMN = 9

# Header, side, and whether it is for wide screens alone.
Column = tuple[str, str, bool]


def fitted(canvas: Canvas) -> Canvas:
    """Return the canvas with no more digits than its width has room for."""
    if canvas.width >= _NARROW:
        return canvas
    return canvas._replace(precision=min(canvas.precision, _NARROW_DIGITS))


def fitted_grid(
    canvas: Canvas, columns: Sequence[Column], rows: Iterable[Sequence[Any]]
) -> RenderableType:
    """Return a table without its wide columns where there is no room for them."""
    wide = canvas.width >= _NARROW
    shown = [i for i, column in enumerate(columns) if wide or not column[2]]
    return grid(
        canvas,
        [columns[i][:2] for i in shown],
        ([row[i] for i in shown] for row in rows),
    )


def bar_width(canvas: Canvas, columns: int) -> int:
    """Return how wide a bar may be beside so many columns of numbers."""
    widest = min(_BAR * canvas.width // 80, _LONGEST)
    return max(4, min(widest, canvas.width - _COLUMN * columns))


def sweep_table(row: Row, canvas: Canvas) -> Iterator[RenderableType]:
    """Yield a line a temperature with a bar of exp(H) / n, and the curve."""
    n = row.softmax.n - len(row.masked)
    columns = [
        ("T", "right", False), ("top1", "right", False), ("H nats", "right", False),
        ("exp(H)", "right", False), ("", "left", False),
    ]  # fmt: skip
    width = bar_width(canvas, 4)
    rows = (
        [*point, bar(canvas, point.effective_choices / n, width)] for point in row.sweep
    )
    yield fitted_grid(canvas, columns, rows)
    if len(row.sweep) > 1:
        yield Text("effective choices exp(H) over the temperatures", "dim")
        yield curve(canvas, [point.effective_choices for point in row.sweep])


def order_table(row: Row, canvas: Canvas) -> RenderableType:
    """Return the engines side by side: what they keep, best, effective choices."""
    n = row.softmax.n
    width = canvas.share(20, 6)
    rows: list[list[Any]] = []
    for point in row.orders:
        if point.missing:
            names = ", ".join(option_name(field) for field in point.missing)
            rows.append([point.order, Text(f"no {names}", "dim"), "", "", "", ""])
            continue
        share = bar(canvas, len(point.kept) / n, width)
        kept = f"{len(point.kept):,} of {n:,}"
        figures = [point.top1, point.effective_choices]
        rows.append([point.order, kept, *figures, share, ranges(point.kept)])
    columns = [
        ("order", "left", False), ("kept", "right", False), ("top1", "right", False),
        ("exp(H)", "right", False), ("", "left", True), ("candidates", "left", True),
    ]  # fmt: skip
    return fitted_grid(canvas, columns, rows)


def ranges(indices: Sequence[int], most: int = 8) -> str:
    """Return ascending indices as ranges, the later ones counted.

    >>> ranges([0, 1, 2, 5, 7, 8])
    '0-2, 5, 7-8'
    """
    found: list[list[int]] = []
    for index in indices:
        if found and index == found[-1][1] + 1:
            found[-1][1] = index
        else:
            found.append([index, index])
    words = [f"{a}" if a == b else f"{a}-{b}" for a, b in found[:most]]
    more = [f"{len(found) - most} more ranges"] if len(found) > most else []
    return ", ".join(words + more)
