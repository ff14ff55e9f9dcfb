"""From what was asked of `ppl` to its result: check, read, compute.

Start-up is a feature: the pool and the comparison load only when they are needed.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

from llmcalc.cli.ppl_gather import (
    WORTH,
    Tally,
    Wants,
    inputs_of,
    size_of,
    tally_input,
)
from llmcalc.core.corpus import LISTED, Corpus, DocumentFigures
from llmcalc.core.corpus_figures import Length, corpus_figures
from llmcalc.core.summary import exp
from llmcalc.core.surprisal import joined, lowest_of
from llmcalc.errors import LlmcalcError
from llmcalc.inputs.logprobs.document import ReadOptions
from llmcalc.inputs.logprobs.families import NAMES
from llmcalc.inputs.logprobs.notes import Notes
from llmcalc.inputs.source import resolve, resolve_file
from llmcalc.output.ppl import Found, Recognised
from llmcalc.output.show import Output, is_terminal

ZEROS = (
    "every log-prob is 0, as if each token were certain: the server was probably not "
    "asked for log-probs, or did not compute them"
)
SOME_BYTES = (
    "some sequences do not give their bytes, so bits_per_byte is left out; --bytes or "
    "--text gives them"
)


class Asked(NamedTuple):
    """The options of `ppl` that are not those of the output."""

    options: ReadOptions
    length: tuple[int | None, str | None, int | None]  # --bytes, --text, --words
    compare: str | None
    by: str | None
    tokens: bool
    worst: int
    workers: int | None


def ppl_result(values: Sequence[str] | None, asked: Asked, output: Output) -> Found:
    """Return what `ppl` was asked for; raises LlmcalcError for what is wrong."""
    options = asked.options
    _check(asked)
    length = _length(asked.length)
    inputs = inputs_of(resolve(values, options.column))
    if asked.compare is not None:
        from llmcalc.cli.ppl_compare import compared

        return compared(inputs, resolve_file(asked.compare), asked, length)
    wants = _wants(asked, output)
    if asked.workers is None and sum(map(size_of, inputs)) < WORTH:
        tallies = [tally_input(one, options, wants, output.quiet) for one in inputs]
    else:
        from llmcalc.cli.ppl_pool import gather

        tallies = gather(inputs, options, wants, asked.workers, output.quiet)
    found = pooled(tallies, asked, length)
    return found._replace(**_looks(tallies, asked))


def pooled(tallies: Sequence[Tally], asked: Asked, length: Length) -> Found:
    """Return the figures of all inputs together, and of each where that is asked."""
    first, several = tallies[0], len(tallies) > 1
    whole, notes, files = Corpus(listed(asked.by)), Notes(), list[DocumentFigures]()
    for tally in tallies:
        if tally.unit != first.unit:
            raise LlmcalcError(
                f"{tally.name}: is scored by {tally.unit}, {first.name} by "
                f"{first.unit}: they cannot be pooled"
            )
        tally.corpus.close()
        if several or tally.corpus.clusters.scored == 1:
            tally.corpus.name_documents(tally.name)
        files.append(_file_figures(tally))
        whole.merge(tally.corpus)
        notes.merge(tally.notes)
    figures = corpus_figures(whole, first.unit, length)
    warnings = notes.lines()
    if figures.max_logprob == 0 and figures.min_logprob == 0:
        warnings.append(ZEROS)
    if 0 < whole.extent.with_bytes < whole.extent.pieces and not figures.bytes:
        warnings.append(SOME_BYTES)
    return Found(
        figures=figures,
        recognised=recognised(tallies),
        by=asked.by,
        files=tuple(files),
        warnings=warnings,
    )


def listed(by: str | None) -> float:
    """Return how many documents are kept by name."""
    if by == "document":
        return float("inf")
    return LISTED if by is None else 0


def recognised(tallies: Sequence[Tally]) -> Recognised:
    """Return what the inputs were taken for, each kind once."""
    each = [(tally.format, tally.part, tally.base) for tally in tallies]
    return Recognised(
        *(", ".join(dict.fromkeys(kinds)) for kinds in zip(*each, strict=True))
    )


def _check(asked: Asked) -> None:
    options = asked.options
    if options.nll and options.probs:
        raise LlmcalcError("--nll and --probs contradict: log-probs are one or none")
    if options.probs and options.base is not None:
        raise LlmcalcError("--probs has no base; leave --base out")
    if options.input_format is not None and options.input_format not in NAMES:
        raise LlmcalcError(
            f"--input-format {options.input_format!r} is not known; one of: "
            f"{', '.join(NAMES)}"
        )
    if asked.compare is not None and (asked.tokens or asked.worst):
        raise LlmcalcError("--compare goes without --tokens and --worst")


def _length(given: tuple[int | None, str | None, int | None]) -> Length:
    nbytes, text, words = given
    if text is None:
        return Length(nbytes, words)
    if nbytes is not None:
        raise LlmcalcError("give --bytes or --text, not both")
    with resolve_file(text).open() as stream:
        content = stream.read()
    counted = len(content.split()) if words is None else words
    return Length(len(content), counted or None)


def _wants(asked: Asked, output: Output) -> Wants:
    drawn = output.format == "table" or output.save is not None
    drawn |= output.format == "auto" and output.field is None and is_terminal()
    return Wants(listed(asked.by), drawn, asked.worst, asked.tokens)


def _file_figures(tally: Tally) -> DocumentFigures:
    whole = tally.corpus.pooled
    if not whole.n:
        skipped = tally.corpus.extent.skipped
        without = f" ({skipped} entries without a log-prob)" if skipped else ""
        raise LlmcalcError(f"{tally.name}: no token is scored{without}")
    count = whole.n if whole.counted else None
    return DocumentFigures(tally.name, count, exp(whole.mean_nll()))


def _looks(tallies: Sequence[Tally], asked: Asked) -> dict[str, Any]:
    """Return what is to be looked at: the course, the worst tokens, the text."""
    course, worst = tallies[0].course, [*tallies[0].worst]
    for tally in tallies[1:]:
        course = joined(course, tally.course)
        worst = lowest_of(worst, [*tally.worst], asked.worst)
    texts = tuple(text for tally in tallies for text in tally.texts)
    return {"course": course, "worst": tuple(worst), "texts": texts}
