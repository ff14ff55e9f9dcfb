"""The table of `ppl --compare`: two models on the same tokens.

Imported only for tables and pictures, so rich may load at the top.
"""

import math
from collections.abc import Iterator

from rich.console import RenderableType
from rich.table import Table

from llmcalc.core.comparison import Comparison
from llmcalc.core.perplexity import Perplexity
from llmcalc.output.canvas import Canvas, grid
from llmcalc.output.charts import bar
from llmcalc.output.ppl_figures import Figure, figure_table

# Without --by document, so many documents are shown.
_SHOWN = 20
# Below this width the lengths of documents are left out.
_BRIEF = 60


def comparison_view(
    canvas: Canvas, figures: Perplexity, comparison: Comparison, by: str | None
) -> Iterator[RenderableType]:
    """Yield how the second model does against the first, in all and by document."""
    title = "second file against first"
    yield figure_table(canvas, _figures(figures.unit, comparison), title)
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
    columns = [("document", "left"), ("n", "right"), ("ppl", "right")]
    columns += [("second", "right"), ("ratio", "right")]
    rows = ([one.id, one.n, one.ppl, one.ppl_b, one.ppl_ratio] for one in shown)
    if canvas.width < _BRIEF:
        del columns[1]
        rows = ([*row[:1], *row[2:]] for row in rows)
    table = grid(canvas, columns, rows)
    if len(shown) < total:
        table.caption = f"{total - len(shown):,} more: --by document"
        table.caption_justify = "left"
    return table


def _figures(unit: str, comparison: Comparison) -> Iterator[Figure]:
    """Yield the figures of the second model; the errors are paired."""
    yield Figure("its perplexity", comparison.ppl_b, f"a {unit}")
    yield Figure(
        "ratio",
        comparison.ppl_ratio,
        _percent(comparison.ppl_ratio),
        comparison.se_ppl_ratio,
        comparison.ci95_ratio,
    )
    if comparison.ci95_ratio_clustered is not None:
        error = (comparison.ppl_ratio or 0) * (comparison.se_ln_ratio_clustered or 0)
        interval = comparison.ci95_ratio_clustered
        yield Figure("  by document", "", "", error, interval)
    yield Figure("p-value", comparison.p_value, "two-sided")
    yield Figure("  by document", comparison.p_value_clustered, "two-sided")


def _percent(ratio: float | None) -> str:
    if ratio is None or not math.isfinite(ratio):
        return ""
    word = "worse" if ratio > 1 else "better"
    return f"{abs(ratio - 1):.2%} {word}" if ratio != 1 else "the same"
