"""Where a table is drawn: its width, its digits, its characters.

Imported only for tables and pictures, so rich may load at the top.
"""

import re
import shutil
import sys
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

from rich.box import SIMPLE_HEAD
from rich.console import Console, ConsoleOptions, RenderableType
from rich.segment import Segment
from rich.table import Column, Table
from rich.text import Text

from llmcalc.output.report import Report

DIGITS = 6
# A pipe has no width: nothing is folded there, and drawings take this much.
_PIPE_WIDTH = 10_000
DRAWING_WIDTH = 100
# Drawings need that much; what is wider than a tiny terminal is folded by it.
_NARROWEST = 20
# What would move the cursor, turn the line round or break an SVG: controls, separators
# of lines, bidirectional overrides, halves of surrogate pairs, no characters.
_UNSAFE = r"\x00-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\ud800-\udfff\ufffe\uffff"
_UNSAFE_TEXT = re.compile(f"[{_UNSAFE}]")
# What is laid out already has its line ends.
_UNSAFE_LINES = re.compile(rf"(?!\n)[{_UNSAFE}]")


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
            return "" if value is None else self.text(str(value))
        if isinstance(value, int):
            return f"{value:,}"
        return f"{value:.{self.precision}g}"

    def text(self, text: str) -> str:
        """Return a user's text as it can be drawn: what cannot be is its escape.

        >>> Canvas(80).text("a\\x1b[31m"), Canvas(80, unicode=False).text("\\u2192")
        ('a\\\\x1b[31m', '\\\\u2192')
        """
        if not self.unicode:
            text = text.encode("ascii", "backslashreplace").decode("ascii")
        return _UNSAFE_TEXT.sub(_escaped, text)

    def share(self, wide: int, narrow: int) -> int:
        """Return ``wide`` columns of 80, in proportion, but at least ``narrow``."""
        return max(narrow, min(wide, self.width * wide // 80))


def print_table(report: Report, precision: int | None) -> None:
    """Draw a report on standard output, in its width and its characters."""
    piped = not sys.stdout.isatty()
    columns = _PIPE_WIDTH if piped else shutil.get_terminal_size().columns
    # Without a height too, TERM=dumb means 80 columns again.
    console = Console(
        markup=False,
        emoji=False,
        highlight=False,
        width=columns,
        height=25,
    )
    blocks = console.encoding.lower().startswith("utf")
    width = DRAWING_WIDTH if piped else max(_NARROWEST, columns)
    draw(report, console, Canvas(width, precision or DIGITS, blocks))


def draw(report: Report, console: Console, canvas: Canvas) -> None:
    """Draw the view of a report on a console."""
    for renderable in report.view(canvas):
        console.print(_Drawable(renderable))


class _Drawable:
    """What is drawn, with every text in it made safe for a terminal and a picture."""

    def __init__(self, renderable: RenderableType) -> None:
        self._renderable = renderable

    def __rich_console__(
        self, console: Console, options: ConsoleOptions
    ) -> Iterator[Segment]:
        for text, style, control in console.render(self._renderable, options):
            safe = text if control else _UNSAFE_LINES.sub(_escaped, text)
            yield Segment(safe, style, control)


def _escaped(found: re.Match[str]) -> str:
    return found[0].encode("unicode_escape").decode("ascii")


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
