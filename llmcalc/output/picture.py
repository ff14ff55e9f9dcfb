"""The table as a file: SVG, HTML or text.

Imported only for ``--save``, so rich may load at the top.
"""

import io
import re
from pathlib import Path

from rich.console import Console

from llmcalc.errors import naming
from llmcalc.output.canvas import DIGITS, DRAWING_WIDTH, Canvas, draw
from llmcalc.output.report import Report

# The picture is to look the same without the network.
_REMOTE_FONT = re.compile(r"@font-face \{.*?\}\s*", re.DOTALL)


def save_picture(report: Report, path: str, precision: int | None) -> None:
    """Write the view of a report to a .svg, .html or .txt file; raises OSError."""
    console = Console(
        record=True,
        file=io.StringIO(),
        width=DRAWING_WIDTH,
        color_system="truecolor",
        force_terminal=True,
        markup=False,
        emoji=False,
        highlight=False,
        legacy_windows=False,
        _environ={},
    )
    draw(report, console, Canvas(DRAWING_WIDTH, precision or DIGITS))
    ending = Path(path).suffix.lower()
    if ending == ".svg":
        svg = console.export_svg(title="llmcalc", unique_id="llmcalc")
        text = _REMOTE_FONT.sub("", svg)
    elif ending == ".html":
        text = console.export_html(inline_styles=True)
    else:
        text = console.export_text()
    # Half of a surrogate pair, as in a broken token, has no UTF-8.
    with naming(path):
        Path(path).write_text(text, encoding="utf-8", errors="backslashreplace")
