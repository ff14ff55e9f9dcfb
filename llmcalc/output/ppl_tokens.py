"""Tokens coloured by surprisal, and the most surprising ones in their context.

Imported only for tables and pictures, so rich may load at the top.
"""

import math
from collections.abc import Sequence

from rich.cells import cell_len
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from llmcalc.core.perplexity import LN2
from llmcalc.core.surprisal import SurprisingToken
from llmcalc.output.canvas import Canvas, grid
from llmcalc.output.heat import style_of

# Bits of surprisal from which a colour holds; the scale is even in lightness, and the
# last levels are underlined too, so that they show without colours.
_LEVELS = (0.0, 1.0, 2.0, 4.0, 8.0, 16.0)
_UNDERLINED = 8.0
# The gap between columns, the width from which log-probs stand beside bits, and what
# a context should have at least, else the place stands below it.
_GAP = 2
_BRIEF = 60
_CONTEXT_WIDTH = 30
# What would move the cursor is shown by its escape.
_VISIBLE = {code: f"\\x{code:02x}" for code in (*range(9), *range(11, 32), 127)}
_VISIBLE[9] = "\\t"


def text_view(canvas: Canvas, texts: Sequence[tuple[str, float]]) -> RenderableType:
    """Return the text with each token in the colour of its surprisal, and a legend."""
    shown = Text(overflow="fold")
    for token, logprob in texts:
        shown.append(token.translate(_VISIBLE), style=_style(-logprob / LN2))
    return Group(_legend(), shown, Text())


def worst_view(
    canvas: Canvas, worst: Sequence[SurprisingToken], name: str | None
) -> Table:
    """Return the most surprising tokens, their context and their place.

    ``name`` is the only file: it stands in the title, not in each place.
    """
    heads = ["bits"] if canvas.width < _BRIEF else ["bits", "log-prob"]
    rows = [_numbers(canvas, token)[: len(heads)] for token in worst]
    places = [_place(token, name) for token in worst]
    room = canvas.width - _width(heads, rows)
    beside = room - _GAP - max(map(cell_len, places)) >= _CONTEXT_WIDTH
    if beside:
        room -= _GAP + max(map(cell_len, places))
    spoken = any(token.token is not None for token in worst)
    for row, token, place in zip(rows, worst, places, strict=True):
        cells = [_context(canvas, token, room)] if spoken else []
        where = Text(place, "dim", overflow="fold")
        if cells and not beside:
            cells[0].append("\n" if cells[0] else "").append(where)
        else:
            cells.append(where)
        row.extend(cells)
    columns = [(head, "right") for head in heads]
    columns += [("in context", "left")] if spoken else []
    columns += [("at", "left")] if beside or not spoken else []
    title = f"most surprising of {name}" if name else "most surprising"
    return grid(canvas, columns, rows, title=title)


def _numbers(canvas: Canvas, token: SurprisingToken) -> list[Text]:
    return [
        Text(canvas.number(-token.logprob / LN2)),
        Text(canvas.number(token.logprob)),
    ]


def _width(heads: Sequence[str], rows: Sequence[Sequence[Text]]) -> int:
    """Return the columns that the numbers and the margins of the table take."""
    widths = [
        max(len(head), *(row[index].cell_len for row in rows))
        for index, head in enumerate(heads)
    ]
    return sum(widths) + _GAP * len(widths) + 2


def _style(bits: float) -> str:
    level = sum(bits >= least for least in _LEVELS) - 1
    style = style_of(max(0, level) / (len(_LEVELS) - 1))
    return f"{style} bold underline" if bits >= _UNDERLINED else style


def _legend() -> Text:
    legend = Text("bits ", "dim")
    for least, most in zip(_LEVELS, (*_LEVELS[1:], math.inf), strict=True):
        label = f" {least:g}-{most:g} " if math.isfinite(most) else f" {least:g}+ "
        legend.append(label, style=_style(least))
    return legend


def _context(canvas: Canvas, token: SurprisingToken, room: int) -> Text:
    """Return a token in brackets, and as much of the text around it as has room."""
    if token.token is None:
        return Text()
    marked = f"[{_line(canvas, token.token)}]"
    before, after = _line(canvas, token.before), _line(canvas, token.after)
    room = max(0, room - cell_len(marked))
    # What one side does not need is for the other.
    left = max(room // 2, room - cell_len(after))
    kept = _head(before[::-1], left)[::-1]
    text = Text(kept, "dim", overflow="fold")
    text.append(marked, _style(-token.logprob / LN2))
    return text.append(_head(after, room - cell_len(kept)), "dim")


def _head(text: str, room: int) -> str:
    """Return the beginning of a text that takes so many columns."""
    while cell_len(text) > room:
        text = text[: max(0, room)] if len(text) > room else text[:-1]
    return text


def _line(canvas: Canvas, text: str) -> str:
    return canvas.text(text.translate(_VISIBLE).replace("\n", "\\n"))


def _place(token: SurprisingToken, name: str | None) -> str:
    """Return where a token stands, of the path of its list the last step."""
    place = token.place.removeprefix(f"{name}: ") if name else token.place
    record, colon, entry = place.rpartition(": ")
    place = f"{record}{colon}{entry.rpartition('.')[2]}"
    known = token.document in (None, name)
    return place if known else f"{place} ({token.document})"
