"""Read log-probs and keep their sums: one input after another, or over processes.

Start-up is a feature: processes load only for inputs that are large.
"""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

from llmcalc.core.corpus import LISTED, Corpus
from llmcalc.core.surprisal import (
    Course,
    SurprisingToken,
    course_of,
    joined,
    lowest_of,
    most_surprising,
)
from llmcalc.errors import LlmcalcError
from llmcalc.inputs.logprobs.document import Reading, ReadOptions
from llmcalc.inputs.logprobs.notes import Notes
from llmcalc.inputs.logprobs.reader import open_logprobs
from llmcalc.inputs.source import Source, Typed, Value
from llmcalc.output.progress import progress

Input = Source | list[Typed]
# With less than so many bytes for it, a process costs more than it saves.
WORTH = 8 << 20
# With more numbers than these, sums are worth loading numpy for.
_MANY = 50_000


class Wants(NamedTuple):
    """What is to be kept beside the sums."""

    listed: float = LISTED
    course: bool = False
    worst: int = 0
    texts: bool = False


class Tally(NamedTuple):
    """What was kept of one input, or of a part of one."""

    name: str
    format: str
    part: str
    base: str
    unit: str
    corpus: Corpus
    notes: Notes
    course: Course = Course()
    worst: tuple[SurprisingToken, ...] = ()
    texts: tuple[tuple[str, float], ...] = ()


def inputs_of(values: Sequence[Value]) -> list[Input]:
    """Return the inputs: numbers typed anywhere on the line are one sequence.

    >>> inputs_of([])
    []
    """
    typed = [value for value in values if isinstance(value, Typed)]
    files: list[Input] = [value for value in values if isinstance(value, Source)]
    return [typed, *files] if typed else files


def name_of(one: Input) -> str:
    """Return what messages call an input."""
    if isinstance(one, Source):
        return one.name
    return one[0].name if len(one) == 1 else "arguments"


def size_of(one: Input) -> int:
    """Return the bytes of a file as they lie there; 0 for what is no file."""
    if not isinstance(one, Source) or one.path is None:
        return 0
    path = Path(one.path)
    return path.stat().st_size if path.is_file() else 0


def tally_input(
    one: Input, options: ReadOptions, wants: Wants, quiet: bool = True
) -> Tally:
    """Read one input from its beginning to its end, with progress unless quiet.

    Raises LlmcalcError where it holds no log-probs.
    """
    reading = open_logprobs(one, options)
    try:
        with progress("reading", None, quiet) as advance:
            return tally_reading(reading, name_of(one), wants, advance)
    finally:
        reading.close()


def tally_reading(
    reading: Reading,
    name: str,
    wants: Wants,
    advance: Callable[[float], None] = lambda _: None,
) -> Tally:
    """Take in the documents of a reading as they come."""
    corpus = Corpus(wants.listed)
    course, worst = Course(), list[SurprisingToken]()
    texts: list[tuple[str, float]] = []
    for document in reading.documents:
        corpus.add(document)
        advance(len(document.logprobs))
        if corpus.pooled.n > _MANY:
            import numpy  # noqa: F401 - where it is loaded, sums take it
        if wants.course:
            course = joined(course, course_of(document.logprobs))
        if wants.worst:
            found = most_surprising(document, wants.worst)
            worst = lowest_of(worst, found, wants.worst)
        if wants.texts:
            if document.tokens is None:
                raise LlmcalcError(
                    f"{document.where.record_place()}: has no text of tokens, which "
                    "--tokens shows"
                )
            texts += zip(document.tokens, map(float, document.logprobs), strict=True)
    return Tally(
        name,
        reading.format,
        reading.part,
        reading.base,
        reading.unit,
        corpus,
        reading.notes,
        course,
        tuple(worst),
        tuple(texts),
    )


def followed(a: Tally, b: Tally, wants: Wants, continues: bool) -> Tally:
    """Return the tally of a and of what follows it; ``continues``: in its sequence."""
    a.corpus.merge(b.corpus, continues)
    a.notes.merge(b.notes)
    return a._replace(
        course=joined(a.course, b.course),
        worst=tuple(lowest_of([*a.worst], [*b.worst], wants.worst)),
        texts=a.texts + b.texts,
    )
