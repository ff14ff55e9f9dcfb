"""Tokens coloured by surprisal, and the most surprising ones in their context.

Imported only for tables and pictures, so rich may load at the top.
"""

import math
from collections.abc import Sequence

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from llmcalc.core.surprisal import LN2, SurprisingToken
from llmcalc.output.canvas import Canvas, grid
from llmcalc.output.heat import style_of

# Bits of surprisal from which a colour holds; the scale is even in lightness, and the
# last levels are underlined too, so that they show without colours.
_LEVELS = (0.0, 1.0, 2.0, 4.0, 8.0, 16.0)
_UNDERLINED = 8.0
# What would move the cursor is shown by its escape.
_VISIBLE = {code: f"\\x{code:02x}" for code in (*range(9), *range(11, 32), 127)}
_VISIBLE[9] = "\\t"


def text_view(canvas: Canvas, texts: Sequence[tuple[str, float]]) -> RenderableType:
    """Return the text with each token in the colour of its surprisal, and a legend."""
    shown = Text(overflow="fold")
    for token, logprob in texts:
        shown.append(token.translate(_VISIBLE), style=_style(-logprob / LN2))
    return Group(_legend(), shown, Text())


def worst_view(canvas: Canvas, worst: Sequence[SurprisingToken]) -> Table:
    """Return the most surprising tokens, their context and their place."""
    return grid(
        canvas,
        [("bits", "right"), ("log-prob", "right"), ("token", "left"), ("at", "left")],
        (
            (-token.logprob / LN2, token.logprob, _context(token), _place(token))
            for token in worst
        ),
        title="most surprising",
    )


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


def _context(token: SurprisingToken) -> Text:
    text = Text(overflow="fold")
    text.append(_line(token.before), "dim")
    text.append(_line(token.token or ""), _style(-token.logprob / LN2))
    text.append(_line(token.after), "dim")
    return text


def _line(text: str) -> str:
    return text.translate(_VISIBLE).replace("\n", "\\n")


def _place(token: SurprisingToken) -> str:
    return f"{token.place} ({token.document})" if token.document else token.place
