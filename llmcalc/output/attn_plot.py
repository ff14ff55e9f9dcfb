"""Two curves over the same points, drawn with letters on one fixed scale.

Imported only for tables and pictures, so rich may load at the top.
"""

from collections.abc import Sequence
from typing import NamedTuple

from rich.text import Text

from llmcalc.output.canvas import Canvas

_HEIGHT = 9
_MARGIN = 5
_WIDEST = 64


class Line(NamedTuple):
    """A curve: what it is called, its letter and colour, its values from 0 to 1."""

    name: str
    letter: str
    style: str
    values: Sequence[float]


def plot(canvas: Canvas, points: Sequence[str], lines: Sequence[Line]) -> Text:
    """Return curves from 0 to 1, straight between their points, with axes and legend.

    ``points`` are the labels below, evenly spaced; the first line is drawn on top.
    """
    width = min(_WIDEST, canvas.width - _MARGIN - 2)
    cells = [[(" ", "")] * width for _ in range(_HEIGHT)]
    for line in reversed(lines):
        for column in range(width):
            at = column * (len(points) - 1) / (width - 1)
            value = _between(line.values, at)
            row = round((1 - value) * (_HEIGHT - 1))
            cells[row][column] = (line.letter, line.style)
    text = Text()
    for row, marks in enumerate(cells):
        level = 1 - row / (_HEIGHT - 1)
        text.append(f"{level:.2f} " if row % 2 == 0 else " " * _MARGIN, "dim")
        for letter, style in marks:
            text.append(letter, style)
        text.append("\n")
    text.append(" " * _MARGIN + _labels(points, width) + "\n", "dim")
    for line in lines:
        text.append(f"{line.letter} {line.name}  ", line.style)
    return text


def _between(values: Sequence[float], at: float) -> float:
    """Return the value at a place between two points."""
    left = min(int(at), len(values) - 2)
    part = at - left
    return values[left] * (1 - part) + values[left + 1] * part


def _labels(points: Sequence[str], width: int) -> str:
    """Return the labels below their points, without those that would touch."""
    text = ""
    for index, label in enumerate(points):
        column = round(index * (width - 1) / (len(points) - 1))
        start = min(max(0, column - len(label) // 2), width - len(label))
        if start >= len(text) + (index > 0):
            text = text.ljust(start) + label
    return text
