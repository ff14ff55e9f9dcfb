"""What a person sees of `ppl`: its figures, its course, its documents.

Imported only for tables and pictures, so rich may load at the top.
"""

import math
from collections.abc import Iterable, Iterator

from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from llmcalc.core.corpus import DocumentFigures
from llmcalc.core.perplexity import LN2, Perplexity
from llmcalc.output.canvas import Canvas, grid
from llmcalc.output.charts import bar
from llmcalc.output.ppl import Found
from llmcalc.output.ppl_comparison import comparison_view
from llmcalc.output.ppl_course import course_view
from llmcalc.output.ppl_figures import Figure, figure_table
from llmcalc.output.ppl_tokens import text_view, worst_view

# Without --by document, so many documents are shown.
_SHOWN = 20


def ppl_view(canvas: Canvas, found: Found) -> Iterator[RenderableType]:
    """Yield the tables of a perplexity, what matters most first."""
    figures = found.figures
    yield figure_table(canvas, _figures(figures))
    yield _recognised(found)
    if figures.n == 1:
        yield Text(f"one {figures.unit}: no standard error", "dim")
    if found.comparison is not None:
        yield from comparison_view(canvas, figures, found.comparison, found.by)
    if found.texts:
        yield text_view(canvas, found.texts)
    if found.worst:
        name = str(found.files[0].id) if len(found.files) == 1 else None
        # The name of the only document says nothing of where in it a token stands.
        several = figures.n_documents > 1
        worst = [t if several else t._replace(document=None) for t in found.worst]
        yield worst_view(canvas, worst, name)
    if sum(found.course.counts) > 1:
        yield from course_view(canvas, found.course, figures.unit)
    if found.by == "file" or (found.by is None and len(found.files) > 1):
        yield _listed(canvas, "file", found.files, len(found.files))
    if found.by in (None, "document") and figures.n_documents > 1:
        shown = figures.documents
        shown = shown if found.by else shown[:_SHOWN]
        if found.comparison is None:
            yield _listed(canvas, "document", shown, figures.n_documents)


def _figures(figures: Perplexity) -> Iterator[Figure]:
    unit = figures.unit
    yield Figure("perplexity", figures.ppl, f"a {unit}", figures.se_ppl, figures.ci95)
    if figures.ci95_clustered is not None:
        error = figures.ppl * (figures.se_mean_nll_clustered or 0)
        yield Figure("  by document", "", "", error, figures.ci95_clustered)
    if figures.ppl == math.inf or figures.ppl > 1e15:
        yield Figure("log10 of it", figures.log10_ppl)
    yield Figure("mean nll", figures.mean_nll, f"nats a {unit}", figures.se_mean_nll)
    yield Figure(f"bits a {unit}", figures.bits_per_token, "", _bits(figures))
    yield Figure("bits a byte", figures.bits_per_byte)
    yield Figure("byte perplexity", figures.byte_ppl, "a byte")
    if unit != "word":
        yield Figure("word perplexity", figures.word_ppl, "a word")
    yield Figure("mean perplexity", figures.mean_ppl, "of documents")
    if figures.without_oov is not None:
        yield Figure("without OOV", figures.without_oov.ppl, f"a {unit}")
    yield Figure("ppl1", figures.ppl1, "without ends")
    yield Figure("log-likelihood", figures.sum_logprob, "nats")
    yield Figure("lowest log-prob", figures.min_logprob, "nats")
    yield Figure("highest log-prob", figures.max_logprob, "nats")
    yield from _counts(figures)


def _counts(figures: Perplexity) -> Iterator[Figure]:
    yield Figure(f"{figures.unit}s", figures.n)
    yield Figure("skipped", figures.skipped or None)
    yield Figure("unknown words", figures.oov)
    if figures.without_oov is not None and figures.without_oov.n != figures.n:
        yield Figure("other words", figures.without_oov.n)
    yield Figure("sentences", figures.sentences)
    yield Figure("bytes", figures.bytes)
    if figures.unit != "word":
        yield Figure("words", figures.words)
    if figures.n_documents > 1:
        yield Figure("documents", figures.n_documents)


def _bits(figures: Perplexity) -> float | None:
    se = figures.se_mean_nll
    return None if se is None else se / LN2


def _recognised(found: Found) -> Text:
    kind = found.recognised
    part = "" if kind.part == "all" else f", {kind.part}"
    return Text(f"read as {kind.format}{part}, base {kind.base}", "dim")


def _listed(
    canvas: Canvas, kind: str, shown: Iterable[DocumentFigures], total: int
) -> Table:
    rows = list(shown)
    logs = [math.log(row.ppl) if math.isfinite(row.ppl) else 0.0 for row in rows]
    most = max(logs, default=0.0) or 1.0
    width = canvas.share(20, 5)
    table = grid(
        canvas,
        [(kind, "left"), ("n", "right"), ("ppl", "right"), ("its log", "left")],
        (
            (str(row.id), row.n, row.ppl, bar(canvas, log / most, width))
            for row, log in zip(rows, logs, strict=True)
        ),
    )
    if len(rows) < total:
        table.caption = f"{total - len(rows):,} more: --by {kind}"
        table.caption_justify = "left"
    return table
