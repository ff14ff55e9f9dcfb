"""What `lora` draws of the adapted modules: as many columns as have room.

Imported only for tables and pictures, so rich may load at the top.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

from rich.console import RenderableType

from llmcalc.core.lora.estimate import Estimate, Module
from llmcalc.output.canvas import Canvas, grid
from llmcalc.output.charts import bar
from llmcalc.output.lora_text import NARROW, WIDE, tree


class _Column(NamedTuple):
    """A column: the cell of a module, its side, the least width that shows it."""

    cell: Callable[[Module], Any]
    side: str = "right"
    least: int = 0


_COLUMNS = {
    "module": _Column(lambda m: m.name, "left"),
    "count": _Column(lambda m: m.copies),
    "layers": _Column(lambda m: m.layers, least=WIDE),
    "d_in": _Column(lambda m: m.d_in, least=NARROW),
    "d_out": _Column(lambda m: m.d_out, least=NARROW),
    "rank": _Column(lambda m: m.rank, least=NARROW),
    "scaling": _Column(lambda m: f"{m.scaling:.4g}", least=NARROW),
    "each": _Column(lambda m: m.lora_params, least=WIDE),
    "trains": _Column(lambda m: m.copies * m.lora_params),
}


def draw_modules(canvas: Canvas, e: Estimate) -> RenderableType:
    """Return a row for each pattern of names; columns that would fold it are left out.

    These say what other columns, or the figures above, say as well.
    """
    shown = [name for name, c in _COLUMNS.items() if canvas.width >= c.least]
    spare = [] if any(m.scaling != e.scaling for m in e.modules) else ["scaling"]
    spare += ["each", "layers"]
    if not any(m.layers for m in e.modules):
        shown = [name for name in shown if name != "layers"]
    bar_width = 12 if canvas.width >= WIDE else 6
    rows = _rows(canvas, e, shown)
    while spare and _width(shown, rows) + bar_width > canvas.width:
        last = spare.pop(0)
        shown = [name for name in shown if name != last]
        rows = _rows(canvas, e, shown)
    columns = [(name, _COLUMNS[name].side) for name in shown]
    if canvas.width < NARROW:
        return grid(canvas, columns, rows)
    trained = [module.copies * module.lora_params for module in e.modules]
    shares = iter([bar(canvas, one / max(trained), bar_width) for one in trained])
    # A row of a place alone has no figures.
    barred = [[*row, next(shares) if row[1] else ""] for row in rows]
    return grid(canvas, [*columns, ("", "left")], barred)


def _rows(canvas: Canvas, e: Estimate, shown: list[str]) -> list[list[str]]:
    cells = [[_COLUMNS[name].cell(module) for name in shown] for module in e.modules]
    return [list(map(canvas.number, row)) for row in tree(cells)]


def _width(shown: list[str], rows: list[list[str]]) -> int:
    """Return the width of the table without its bars: two blanks beside a column."""
    columns = zip(shown, *rows, strict=True)
    return sum(max(map(len, column)) + 2 for column in columns) + 2
