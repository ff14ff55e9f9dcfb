"""The tables of `ppl`: figures, course, documents, comparison, tokens.

Imported only for tables and pictures, so rich may load at the top.
"""

from collections.abc import Iterator

from rich.console import RenderableType

from llmcalc.output.canvas import Canvas, facts
from llmcalc.output.ppl import Found


def ppl_view(canvas: Canvas, found: Found) -> Iterator[RenderableType]:
    """Yield what a person sees."""
    yield facts(canvas, [("ppl", found.figures.ppl, "")])
