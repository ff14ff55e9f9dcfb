"""Where a table is drawn: its width, its digits, its characters.

Imported only for tables and pictures, so rich may load at the top.
"""

import sys
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Column, Table
from rich.text import Text

from llmcalc.output.report import Report

DIGITS = 6
# A pipe has no width: nothing is folded there, and drawings take this much.
_PIPE_WIDTH = 10_000
DRAWING_WIDTH = 100


class Canvas(NamedTuple):
    """Columns of the terminal, significant digits, whether blocks can be drawn."""

    width: int
    precision: int = DIGITS
    unicode: bool = True

    def number(self, value: Any) -> str:
        """Return a number as a person reads it: thousands commas, few digits.

        >>> Canvas(80).number(4194304), Canvas(80).number(2 / 3)
        ('4,194,304', '0.666667')
        """
        if hasattr(value, "tolist"):
            value = value.tolist()
        if isinstance(value, bool) or value is None or isinstance(value, str):
            return "" if value is None else str(value)
        if isinstance(value, int):
            return f"{value:,}"
        return f"{value:.{self.precision}g}"

    def share(self, wide: int, narrow: int) -> int:
        """Return ``wide`` columns of 80, in proportion, but at least ``narrow``."""
        return max(narrow, min(wide, self.width * wide // 80))


def print_table(report: Report, precision: int | None) -> None:
    """Draw a report on standard output, in its width and its characters."""
    piped = not sys.stdout.isatty()
    # Without a height too, FORCE_COLOR with TERM=dumb means 80 columns again.
    console = Console(
        markup=False,
        emoji=False,
        highlight=False,
        width=_PIPE_WIDTH if piped else None,
        height=25 if piped else None,
    )
    blocks = console.encoding.lower().startswith("utf")
    width = DRAWING_WIDTH if piped else console.width
    draw(report, console, Canvas(width, precision or DIGITS, blocks))


def draw(report: Report, console: Console, canvas: Canvas) -> None:
    """Draw the view of a report on a console."""
    for renderable in report.view(canvas):
        console.print(renderable)


def facts(
    canvas: Canvas, rows: Iterable[tuple[str, Any, str]], title: str | None = None
) -> Table:
    """Return names, right-aligned values and their units, a row each."""
    table = Table(
        Column(overflow="fold", style="dim"),
        Column(justify="right", overflow="fold", style="bold"),
        Column(overflow="fold", style="dim"),
        title=title,
        title_justify="left",
        box=None,
        show_header=False,
        padding=(0, 1, 0, 0),
    )
    for name, value, unit in rows:
        shown = value if isinstance(value, Text) else canvas.number(value)
        table.add_row(name, shown, unit)
    return table


def grid(
    canvas: Canvas,
    columns: Sequence[tuple[str, str]],
    rows: Iterable[Sequence[Any]],
    title: str | None = None,
) -> Table:
    """Return a table; columns are (header, "left" or "right"); cells fold."""
    heads = [
        Column(header, justify="right" if side == "right" else "left", overflow="fold")
        for header, side in columns
    ]
    table = Table(
        *heads,
        title=title,
        title_justify="left",
        box=SIMPLE_HEAD,
        pad_edge=False,
        padding=(0, 1, 0, 0),
    )
    for row in rows:
        cells = (c if isinstance(c, Text) else canvas.number(c) for c in row)
        table.add_row(*cells)
    return table
