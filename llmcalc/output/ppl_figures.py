"""Figures with their units, errors and intervals, as a table of any width.

Imported only for tables and pictures, so rich may load at the top.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from rich.console import Console
from rich.table import Table

from llmcalc.output.canvas import Canvas, facts, grid


class Figure(NamedTuple):
    """A line of the table: a figure, its unit, its standard error and interval."""

    name: str
    value: float | int | str | None
    unit: str = ""
    error: float | None = None
    interval: tuple[float, float] | None = None


# A line of a narrow table: a name, a number, a unit.
Line = tuple[str, float | int | str | None, str]


def figure_table(
    canvas: Canvas, figures: Iterable[Figure], title: str | None = None
) -> Table:
    """Return the figures that exist, a line each; where that is too wide, several."""
    known = [figure for figure in figures if figure.value is not None]
    columns = [("", "left"), ("", "right"), ("", "left")]
    if any(figure.error is not None for figure in known):
        columns += [("+-", "right"), ("95 %", "left")]
    rows = ((*figure[:3], *_spread(canvas, figure)) for figure in known)
    table = grid(canvas, columns, (row[: len(columns)] for row in rows), title)
    if Console(width=2 * canvas.width).measure(table).maximum > canvas.width:
        return facts(canvas, _fitted(canvas, list(_lines(canvas, known))), title)
    table.show_header = any(head for head, _ in columns)
    table.columns[1].style = "bold"
    for index in (0, 2):
        table.columns[index].style = "dim"
    return table


def _spread(canvas: Canvas, figure: Figure) -> tuple[str, str]:
    error = "" if figure.error is None else canvas.number(figure.error)
    interval = ""
    if figure.interval is not None:
        low, high = map(canvas.number, figure.interval)
        interval = f"{low} to {high}"
    return error, interval


def _lines(canvas: Canvas, figures: Iterable[Figure]) -> Iterator[Line]:
    """Yield a line a number."""
    for figure in figures:
        error, interval = _spread(canvas, figure)
        yield figure.name, figure.value, figure.unit
        if error:
            yield "  +-", error, ""
        if interval:
            low, _, high = interval.partition(" to ")
            yield "  95 % from", low, ""
            yield "  to", high, ""


def _fitted(canvas: Canvas, lines: Sequence[Line]) -> Iterator[Line]:
    """Leave out what is too long of the units: "a token" where the name says it."""
    numbers = [canvas.number(value) for _, value, _ in lines]
    room = canvas.width - max(len(name) for name, _, _ in lines) - 3
    room -= max(map(len, numbers))
    for (name, _, unit), number in zip(lines, numbers, strict=True):
        short = unit if len(unit) <= room else unit.partition(" a ")[0]
        yield name, number, short if len(short) <= room else ""
