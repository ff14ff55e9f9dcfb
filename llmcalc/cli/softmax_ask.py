"""Read the logits, put the questions, hand over the report: one row or many.

Start-up is a feature: numpy loads where the input or a question needs it.
"""

from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

from llmcalc.cli.softmax_words import check_together, engine_notes
from llmcalc.core.distribution import analyse
from llmcalc.core.distribution_rows import analyse_rows
from llmcalc.core.filters import active
from llmcalc.core.questions import ALL_ORDERS, Other, Row, Settings
from llmcalc.errors import LlmcalcError
from llmcalc.inputs.logits import Logits, read_logits
from llmcalc.inputs.source import Source, Typed
from llmcalc.output.report import Report
from llmcalc.output.softmax import report, row_warnings
from llmcalc.output.softmax_fields import Shown

if TYPE_CHECKING:
    from llmcalc.output.npy_file import NpyFile


# Logits between which the pages of a mapped file are let go.
_LET_GO = 1 << 24


class Asked(NamedTuple):
    """What the options ask for beside the settings of every row.

    ``compare`` is a file of logits or the word rows; ``objects`` tells that whole
    JSON objects are to be written.
    """

    settings: Settings
    order_given: str | None
    compare: str | None
    answers: str | None
    position: int | None
    output: str | None
    base: str
    log: bool
    show: int
    objects: bool
    quiet: bool

    def check(self) -> None:
        """Raise LlmcalcError for what is out of range or contradicts."""
        settings = self.settings
        compared = self.compare is not None or settings.compare is not None
        check_together(settings, compared)
        if settings.order != ALL_ORDERS and active(settings.filters):
            from llmcalc.core.engines import check_order

            check_order(settings.order, settings.filters)
        if self.output is not None and settings.order == ALL_ORDERS:
            raise LlmcalcError("--output holds one distribution; name one --order")
        if self.output is not None and settings.sweep:
            raise LlmcalcError("--output holds one distribution; leave --sweep out")
        plain = Settings(temperature=settings.temperature)
        others = (compared, self.output is not None, self.position is not None)
        if self.answers is not None and (any(others) or settings != plain):
            raise LlmcalcError(
                "--labels is a question of its own; give it a -t at most"
            )


def answer(values: Sequence[Typed | Source], asked: Asked) -> Report:
    """Return the report of all that is asked about the logits of the values."""
    piped = any(isinstance(value, Source) and value.path is None for value in values)
    if piped and "-" in (asked.compare, asked.answers):
        raise LlmcalcError("standard input (-) can be read only once")
    logits = read_logits(values)
    if asked.answers is not None:
        from llmcalc.cli.softmax_calibration import calibrate

        return calibrate(logits, asked.answers, asked.settings.temperature)
    others = None
    if asked.compare is not None:
        from llmcalc.cli.softmax_compare import compared

        logits, others = compared(logits, asked.compare, asked.position)
    elif asked.position is not None:
        logits = logits.pick(asked.position)
    shown = Shown(
        settings=asked.settings,
        shape=logits.shape,
        labels=logits.labels,
        listed_mass=logits.listed_mass,
        base=asked.base,
        log=asked.log,
        show=asked.show,
    )
    notes = list(logits.notes)
    notes += engine_notes(
        asked.order_given, asked.settings.temperature, asked.settings.filters
    )
    if logits.shape == ():
        return _one(logits, others, shown, asked, notes)
    return _many(logits, others, shown, asked, notes)


def _one(
    logits: Logits, others: Logits | None, shown: Shown, asked: Asked, notes: list[str]
) -> Report:
    other = None if others is None else Other(others.rows[0], others.place)
    row = analyse(logits.rows[0], asked.settings, logits.place, 0, other)
    if asked.output is not None:
        with _npy(asked.output, logits) as file:
            file.write(_written(row, asked))
    notes += row_warnings(row, shown, logits.place)
    return report(row, shown, notes, asked.objects)


def _many(
    logits: Logits, others: Logits | None, shown: Shown, asked: Asked, notes: list[str]
) -> Report:
    from llmcalc.output.softmax_rows import report_rows
    from llmcalc.output.softmax_summary import summarize

    again = partial(_rows, logits, others, asked)
    if asked.output is None:
        summary = summarize(again(), shown, logits.place)
    else:
        with _npy(asked.output, logits) as file:
            summary = summarize(_saved(again(), file, asked), shown, logits.place)
    return report_rows(again, summary, shown, notes, asked.objects)


def _rows(logits: Logits, others: Logits | None, asked: Asked) -> Iterator[Row]:
    """Yield the answers of every row; what a file maps does not pile up in memory."""
    from llmcalc.inputs.mapped import let_go
    from llmcalc.output.progress import progress

    compared = None if others is None else (others.rows, others.place)
    rows = analyse_rows(logits.rows, asked.settings, logits.place, compared)
    seen = 0
    with progress("softmax", len(logits.rows), asked.quiet) as advance:
        for row in rows:
            yield row
            advance(1)
            seen += row.softmax.n
            if seen > _LET_GO:
                let_go(logits.rows)
                seen = 0


def _npy(path: str, logits: Logits) -> "NpyFile":
    from llmcalc.output.npy_file import NpyFile

    lengths = {len(row) for row in logits.rows}
    if len(lengths) > 1:
        raise LlmcalcError(
            "--output: the rows differ in length; pick one by --position"
        )
    return NpyFile(path, (*logits.shape, lengths.pop()))


def _saved(rows: Iterable[Row], file: "NpyFile", asked: Asked) -> Iterator[Row]:
    for row in rows:
        file.write(_written(row, asked))
        yield row


def _written(row: Row, asked: Asked) -> Any:
    from llmcalc.output.softmax_fields import logs

    return logs(row, asked.base) if asked.log else row.softmax.probs
