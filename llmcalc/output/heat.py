"""A matrix as coloured cells on a scale that colour-blind people can read.

Imported only for tables and pictures, so rich may load at the top.
"""

from collections.abc import Sequence
from typing import NamedTuple

from rich.cells import cell_len
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from llmcalc.output.canvas import Canvas

# Anchors of viridis (van der Walt and Smith, 2015): even in lightness, so that it also
# reads in grey and with any kind of colour blindness.
_VIRIDIS = (
    (68, 1, 84), (72, 40, 120), (62, 74, 137), (49, 104, 142), (38, 130, 142),
    (31, 158, 137), (53, 183, 121), (109, 205, 89), (180, 222, 44), (253, 231, 37),
)  # fmt: skip
_LABEL_WIDTH = 16


class Scale(NamedTuple):
    """The values of the darkest and the lightest colour, and decimals in a cell."""

    low: float
    high: float
    digits: int = 2


def heat(
    canvas: Canvas,
    matrix: Sequence[Sequence[float]],
    scale: Scale,
    labels: tuple[Sequence[str], Sequence[str]] | None = None,
) -> RenderableType:
    """Return rows of cells coloured on a scale, with a legend.

    ``labels`` name rows and columns (else their indices). Cells hold the number
    where they fit; columns and rows that do not fit are counted below the matrix.
    """
    n_rows, n_columns = len(matrix), len(matrix[0]) if len(matrix) else 0
    row_names, column_names = labels or (
        [str(i) for i in range(n_rows)],
        [str(i) for i in range(n_columns)],
    )
    cell = max(5, scale.digits + 3)
    margin = min(_LABEL_WIDTH, max(map(len, row_names), default=1), canvas.width // 3)
    room = canvas.width - margin - 2
    longest = max(map(cell_len, column_names), default=0)
    if n_columns * (longest + 1) <= room:
        # Names stand whole where there is room for all of them.
        cell = max(cell, longest)
    shown = max(1, min(n_columns, room // (cell + 1)))
    table = Table(box=None, show_header=True, padding=(0, 1, 0, 0), pad_edge=False)
    table.add_column("", overflow="fold", max_width=margin)
    for name in column_names[:shown]:
        table.add_column(name, justify="right", overflow="fold", width=cell)
    for name, values in zip(row_names, matrix, strict=False):
        cells = (_cell(float(value), scale, cell) for value in values[:shown])
        table.add_row(Text(name), *cells)
    parts: list[RenderableType] = [table, _legend(canvas, scale)]
    if shown < n_columns:
        left = n_columns - shown
        words = "column is" if left == 1 else "columns are"
        parts.append(Text(f"{left} more {words} not shown", "dim"))
    return Group(*parts)


def colour(fraction: float) -> tuple[int, int, int]:
    """Return the colour of a place from 0 to 1 on the scale.

    >>> colour(0.0), colour(1.0)
    ((68, 1, 84), (253, 231, 37))
    """
    place = min(1.0, max(0.0, fraction)) * (len(_VIRIDIS) - 1)
    index = min(int(place), len(_VIRIDIS) - 2)
    part = place - index
    low, high = _VIRIDIS[index], _VIRIDIS[index + 1]
    red, green, blue = (
        round(a + (b - a) * part) for a, b in zip(low, high, strict=True)
    )
    return red, green, blue


def style_of(fraction: float) -> str:
    """Return a style with that background and a text that can be read on it."""
    red, green, blue = colour(fraction)
    # Luma of ITU-R BT.601: dark letters on a light cell.
    light = 0.299 * red + 0.587 * green + 0.114 * blue > 140
    return f"{'black' if light else 'white'} on rgb({red},{green},{blue})"


def _cell(value: float, scale: Scale, width: int) -> Text:
    span = scale.high - scale.low
    fraction = (value - scale.low) / span if span > 0 else 0.5
    return Text(f"{value:.{scale.digits}f}".rjust(width), style=style_of(fraction))


def _legend(canvas: Canvas, scale: Scale) -> Text:
    low, high = canvas.number(scale.low), canvas.number(scale.high)
    steps = max(2, min(12, (canvas.width - len(low) - len(high) - 2) // 2))
    text = Text(f"{low} ")
    for step in range(steps):
        text.append("  ", style=style_of(step / (steps - 1)))
    return text.append(f" {high}")
