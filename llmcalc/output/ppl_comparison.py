"""The table of `ppl --compare`: two models on the same tokens.

Imported only for tables and pictures, so rich may load at the top.
"""

import math
from collections.abc import Iterator

from rich.console import RenderableType
from rich.table import Table

from llmcalc.core.comparison import Comparison
from llmcalc.core.perplexity import Perplexity
from llmcalc.output.canvas import Canvas, facts, grid
from llmcalc.output.charts import bar

# Without --by document, so many documents are shown.
_SHOWN = 20


def comparison_view(
    canvas: Canvas, figures: Perplexity, comparison: Comparison, by: str | None
) -> Iterator[RenderableType]:
    """Yield how the second model does against the first, in all and by document."""
    yield facts(canvas, _facts(canvas, comparison), title="second file against first")
    total = comparison.worse + comparison.better + comparison.ties
    width = canvas.share(40, 8)
    yield grid(
        canvas,
        [(f"{figures.unit}s", "left"), ("n", "right"), ("", "left")],
        (
            (name, count, bar(canvas, count / total, width, style))
            for name, count, style in (
                ("worse", comparison.worse, "magenta"),
                ("better", comparison.better, "cyan"),
                ("ties", comparison.ties, "white"),
            )
        ),
    )
    if len(comparison.documents) > 1 and by in (None, "document"):
        yield _documents(canvas, comparison, figures.n_documents, by)


def _documents(
    canvas: Canvas, comparison: Comparison, total: int, by: str | None
) -> Table:
    shown = comparison.documents if by else comparison.documents[:_SHOWN]
    table = grid(
        canvas,
        [
            ("document", "left"),
            ("n", "right"),
            ("ppl", "right"),
            ("second", "right"),
            ("ratio", "right"),
        ],
        ((one.id, one.n, one.ppl, one.ppl_b, one.ppl_ratio) for one in shown),
    )
    if len(shown) < total:
        table.caption = f"{total - len(shown):,} more: --by document"
        table.caption_justify = "left"
    return table


def _facts(
    canvas: Canvas, comparison: Comparison
) -> Iterator[tuple[str, float | str | None, str]]:
    yield "perplexity", comparison.ppl_b, "of the second"
    yield "ratio", comparison.ppl_ratio, _percent(comparison.ppl_ratio)
    if comparison.se_ppl_ratio is not None:
        yield "  +-", comparison.se_ppl_ratio, "paired, by token"
    if comparison.ci95_ratio is not None:
        low, high = map(canvas.number, comparison.ci95_ratio)
        yield "  95 %", f"{low} to {high}", ""
    if comparison.ci95_ratio_clustered is not None:
        low, high = map(canvas.number, comparison.ci95_ratio_clustered)
        yield "  by document", f"{low} to {high}", ""
    if comparison.p_value is not None:
        yield "p-value", comparison.p_value, "two-sided, by token"
    if comparison.p_value_clustered is not None:
        yield "p-value", comparison.p_value_clustered, "by document"


def _percent(ratio: float | None) -> str:
    if ratio is None or not math.isfinite(ratio):
        return ""
    word = "worse" if ratio > 1 else "better"
    return f"{abs(ratio - 1):.2%} {word}" if ratio != 1 else "the same"
