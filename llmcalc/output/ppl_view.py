"""What a person sees of `ppl`: its figures, its course, its documents.

Imported only for tables and pictures, so rich may load at the top.
"""

import math
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from llmcalc.core.corpus import DocumentFigures
from llmcalc.core.perplexity import Perplexity
from llmcalc.output.canvas import Canvas, facts, grid
from llmcalc.output.charts import bar
from llmcalc.output.ppl import Found
from llmcalc.output.ppl_comparison import comparison_view
from llmcalc.output.ppl_course import course_view
from llmcalc.output.ppl_tokens import text_view, worst_view

# Below this width, errors and intervals stand in lines of their own.
_WIDE = 72
# Without --by document, so many documents are shown.
_SHOWN = 20


class Figure(NamedTuple):
    """A line of the table: a figure, its unit, its standard error and interval."""

    name: str
    value: float | int | str | None
    unit: str = ""
    error: float | None = None
    interval: tuple[float, float] | None = None


def ppl_view(canvas: Canvas, found: Found) -> Iterator[RenderableType]:
    """Yield the tables of a perplexity, what matters most first."""
    figures = found.figures
    yield _table(canvas, list(_figures(figures)))
    yield _recognised(found)
    if figures.n == 1:
        yield Text(f"one {figures.unit}: no standard error", "dim")
    if found.comparison is not None:
        yield from comparison_view(canvas, figures, found.comparison, found.by)
    if found.texts:
        yield text_view(canvas, found.texts)
    if found.worst:
        yield worst_view(canvas, found.worst)
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
        yield Figure(
            "  by document",
            "",
            "",
            figures.ppl * (figures.se_mean_nll_clustered or 0),
            figures.ci95_clustered,
        )
    yield Figure("mean nll", figures.mean_nll, f"nats a {unit}", figures.se_mean_nll)
    yield Figure(f"bits a {unit}", figures.bits_per_token, "", _bits(figures))
    if figures.ppl == math.inf or figures.ppl > 1e15:
        yield Figure("log10 of it", figures.log10_ppl)
    if figures.bytes is not None:
        yield Figure("bits a byte", figures.bits_per_byte, f"{figures.bytes:,} bytes")
        yield Figure("byte perplexity", figures.byte_ppl, "a byte")
    if figures.words is not None:
        yield Figure("word perplexity", figures.word_ppl, f"{figures.words:,} words")
    if figures.mean_ppl is not None:
        count = f"of {figures.n_documents:,} documents"
        yield Figure("mean perplexity", figures.mean_ppl, count)
    if figures.oov is not None:
        yield from _ngram(figures)
    yield Figure("log-likelihood", figures.sum_logprob, "nats")
    skipped = f"{figures.skipped:,} skipped" if figures.skipped else ""
    yield Figure(f"{unit}s", figures.n, skipped)
    yield Figure("lowest log-prob", figures.min_logprob, "nats")
    yield Figure("highest log-prob", figures.max_logprob, "nats")


def _ngram(figures: Perplexity) -> Iterator[Figure]:
    yield Figure("unknown words", figures.oov)
    if figures.without_oov is not None:
        count = f"{figures.without_oov.n:,} words"
        yield Figure("without these", figures.without_oov.ppl, count)
    if figures.ppl1 is not None:
        yield Figure("ppl1", figures.ppl1, "without sentence ends")


def _bits(figures: Perplexity) -> float | None:
    se = figures.se_mean_nll
    return None if se is None else se / math.log(2)


def _table(canvas: Canvas, figures: list[Figure]) -> Table:
    known = [figure for figure in figures if figure.value is not None]
    if canvas.width < _WIDE:
        return facts(canvas, _narrow(canvas, known))
    table = grid(
        canvas,
        [("", "left"), ("", "right"), ("", "left"), ("+-", "right"), ("95 %", "left")],
        ((*figure[:3], *_spread(canvas, figure)) for figure in known),
    )
    table.columns[1].style = "bold"
    for index in (0, 2):
        table.columns[index].style = "dim"
    return table


def _spread(canvas: Canvas, figure: Figure) -> tuple[str, str]:
    error = "" if figure.error is None else canvas.number(figure.error)
    interval = ""
    if figure.interval is not None:
        low, high = map(canvas.number, figure.interval)
        interval = f"{low} to {high}"
    return error, interval


def _narrow(
    canvas: Canvas, figures: Iterable[Figure]
) -> Iterator[tuple[str, float | int | str | None, str]]:
    for figure in figures:
        error, interval = _spread(canvas, figure)
        yield figure[:3]
        if error:
            yield "  +-", error, ""
        if interval:
            low, _, high = interval.partition(" to ")
            yield "  95 % from", low, ""
            yield "  to", high, ""


def _recognised(found: Found) -> Text:
    figures, kind = found.figures, found.recognised
    part = "" if kind.part == "all" else f", {kind.part}"
    documents = (
        f", {figures.n_documents:,} documents" if figures.n_documents > 1 else ""
    )
    return Text(f"read as {kind.format}{part}, base {kind.base}{documents}", "dim")


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
