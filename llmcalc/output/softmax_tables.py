"""A sweep of temperatures and the engines side by side, as tables.

Imported only for tables and pictures, so rich may load at the top.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

from rich.console import RenderableType
from rich.text import Text

from llmcalc.core.filters import option_name
from llmcalc.core.questions import Row
from llmcalc.output.canvas import Canvas, grid
from llmcalc.output.charts import bar, curve

# On a screen below so many columns numbers have fewer digits.
_NARROW = 60
_NARROW_DIGITS = 3
# Columns of 80 that a bar takes where there is room, and the fewest it takes.
_BAR = 30
_SHORTEST = 4
_ORDER_BAR = 20
# A text above this is left to fold, so it does not drive out numbers.
_TEXT = 12
# Columns of the screen between two columns of a table.
_BETWEEN = 2

# Header, side, and how early it goes where there is no room: 0 never, 9 first.
Column = tuple[str, str, int]


class Share(NamedTuple):
    """A cell that is drawn as a bar, in the room that the numbers leave."""

    part: float


class Line(NamedTuple):
    """The cells of a row of a table: texts, numbers and bars, and their style."""

    cells: Sequence[Any]
    style: str = ""


def fitted(canvas: Canvas) -> Canvas:
    """Return the canvas with no more digits than its width has room for."""
    return canvas if canvas.width >= _NARROW else _short(canvas)


def _short(canvas: Canvas) -> Canvas:
    return canvas._replace(precision=min(canvas.precision, _NARROW_DIGITS))


def fitted_grid(
    canvas: Canvas,
    columns: Sequence[Column],
    lines: Iterable[Line],
    longest: int = _BAR,
) -> RenderableType:
    """Return a table with as many columns and digits as there is room for.

    Its bars take what is left, at most ``longest`` of 80 columns.
    """
    lines = list(lines)
    for tried, shown in _narrower(canvas, columns):
        texts = [[_text(tried, line, i) for i in shown] for line in lines]
        room = canvas.width - _needed([columns[i][0] for i in shown], texts)
        if room >= _SHORTEST:
            break
    width = max(_SHORTEST, min(longest * canvas.width // 80, 2 * longest, room))
    cells = (
        [
            bar(canvas, line.cells[i].part, width) if text is None else text
            for i, text in zip(shown, row, strict=True)
        ]
        for line, row in zip(lines, texts, strict=True)
    )
    return grid(canvas, [columns[i][:2] for i in shown], cells)


def _narrower(
    canvas: Canvas, columns: Sequence[Column]
) -> Iterator[tuple[Canvas, list[int]]]:
    """Yield digits and columns, fewer each time: first columns, digits, the rest."""
    yield canvas, list(range(len(columns)))
    for level in range(9, 0, -1):
        shown = [i for i, column in enumerate(columns) if column[2] < level]
        if level == 9:
            yield canvas, shown
        yield _short(canvas), shown


def _text(canvas: Canvas, line: Line, index: int) -> Text | None:
    """Return a cell as text, None for a bar."""
    cell = line.cells[index]
    if isinstance(cell, Text):
        return cell
    return None if isinstance(cell, Share) else Text(canvas.number(cell), line.style)


def _needed(headers: Sequence[str], texts: Sequence[Sequence[Text | None]]) -> int:
    """Return the columns of the screen that a table takes without its bars."""
    widths = [len(header) for header in headers]
    for row in texts:
        for i, text in enumerate(row):
            if text is not None:
                length = text.cell_len
                widths[i] = max(widths[i], min(length, _TEXT) if length else 0)
    return sum(widths) + _BETWEEN * len(widths)


SWEEP_COLUMNS: tuple[Column, ...] = (
    ("T", "right", 0), ("top1", "right", 0), ("H nats", "right", 0),
    ("exp(H)", "right", 0), ("", "left", 0),
)  # fmt: skip


def sweep_table(row: Row, canvas: Canvas) -> Iterator[RenderableType]:
    """Yield a line a temperature with a bar of exp(H) / n, and the curve."""
    n = row.softmax.n - len(row.masked)
    lines = (Line([*point, Share(point.effective_choices / n)]) for point in row.sweep)
    yield fitted_grid(canvas, SWEEP_COLUMNS, lines)
    if len(row.sweep) > 1:
        yield Text("effective choices exp(H) over the temperatures", "dim")
        yield curve(canvas, [point.effective_choices for point in row.sweep])


def order_table(row: Row, canvas: Canvas) -> RenderableType:
    """Return the engines side by side: what they keep, best, effective choices."""
    n = row.softmax.n
    lines = []
    for point in row.orders:
        if point.missing:
            lacking = Text(f"no {', '.join(map(option_name, point.missing))}", "dim")
            lines.append(Line([point.order, lacking, "", "", "", ""]))
            continue
        kept = f"{len(point.kept):,} of {n:,}"
        figures = [point.top1, point.effective_choices, Share(len(point.kept) / n)]
        lines.append(Line([point.order, kept, *figures, ranges(point.kept)]))
    columns = [
        ("order", "left", 0), ("kept", "right", 0), ("top1", "right", 0),
        ("exp(H)", "right", 0), ("", "left", 9), ("candidates", "left", 9),
    ]  # fmt: skip
    return fitted_grid(canvas, columns, lines, _ORDER_BAR)


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
