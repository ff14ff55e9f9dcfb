"""Where the surprise sits: histogram, course, the most surprising tokens."""

import heapq
import math
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from llmcalc.core.perplexity import LN2

if TYPE_CHECKING:
    from numpy.typing import NDArray

# Bits of surprisal: a certain token has 0, one of 2**b equal choices has b.
EDGES = (0.0, 0.5, 1.0, 2.0, 4.0, 8.0, 16.0, 32.0, math.inf)
# A course has at most so many cells; then two become one.
_CELLS = 512
# So many tokens of context on each side.
_CONTEXT = 5


class Course(NamedTuple):
    """Histogram of surprisal and its mean along the sequence; two of them merge."""

    counts: tuple[int, ...] = (0,) * (len(EDGES) - 1)
    cells: tuple[tuple[int, float], ...] = ()  # tokens and their nats, in order
    width: int = 1  # tokens a full cell

    def means(self) -> list[float]:
        """Return the bits a token of each cell."""
        return [nats / n / LN2 for n, nats in self.cells]


def course_of(logprobs: "Sequence[float] | NDArray[Any]") -> Course:
    """Return the course of log-probs in nats.

    >>> course_of([0.0, -math.log(2), -math.inf]).counts
    (1, 0, 1, 0, 0, 0, 0, 1)
    """
    n, width = len(logprobs), 1
    while n > _CELLS * width:
        width *= 2
    counts, nats = _counted(logprobs, width)
    sizes = [min(width, n - start) for start in range(0, n, width)]
    return Course(tuple(counts), tuple(zip(sizes, nats, strict=True)), width)


def joined(a: Course, b: Course) -> Course:
    """Return the course of what b follows a."""
    width = max(a.width, b.width)
    cells = [*_widened(a, width), *_widened(b, width)]
    counts = tuple(map(sum, zip(a.counts, b.counts, strict=True)))
    course = Course(counts, tuple(cells), width)
    while len(course.cells) > _CELLS:
        width *= 2
        course = Course(counts, tuple(_widened(course, width)), width)
    return course


class Spoken(Protocol):
    """A sequence whose tokens may have a text and a place."""

    @property
    def id(self) -> str:
        """Its name; empty where it has none."""

    @property
    def logprobs(self) -> "Sequence[float] | NDArray[Any]":
        """Nats of the scored entries."""

    @property
    def tokens(self) -> Sequence[str] | None:
        """Their texts."""

    @property
    def where(self) -> "Placed":
        """Names the place of each."""


class Placed(Protocol):
    """What names the place of an entry."""

    def place(self, entry: int) -> str:
        """Return the place of the entry of that index."""


class SurprisingToken(NamedTuple):
    """One token with the text around it, and where it stands."""

    logprob: float
    token: str | None
    before: str
    after: str
    document: str | None
    place: str


def most_surprising(document: Spoken, k: int) -> list[SurprisingToken]:
    """Return the k tokens of the lowest log-prob of a sequence, lowest first."""
    logprobs = document.logprobs
    if hasattr(logprobs, "dtype") and len(logprobs) > k:
        import numpy as np

        limit = np.partition(logprobs, k - 1)[k - 1]
        candidates: Iterable[int] = np.flatnonzero(logprobs <= limit).tolist()
    else:
        candidates = range(len(logprobs))
    lowest = heapq.nsmallest(k, candidates, key=logprobs.__getitem__)
    return [_token(document, index) for index in lowest]


def lowest_of(
    a: list[SurprisingToken], b: list[SurprisingToken], k: int
) -> list[SurprisingToken]:
    """Return the k lowest of both, lowest first; of equals the earlier."""
    return sorted([*a, *b], key=_logprob)[:k]


def _logprob(token: SurprisingToken) -> float:
    return token.logprob


def _token(document: Spoken, index: int) -> SurprisingToken:
    tokens = document.tokens
    before = after = ""
    if tokens is not None:
        before = "".join(tokens[max(0, index - _CONTEXT) : index])
        after = "".join(tokens[index + 1 : index + 1 + _CONTEXT])
    return SurprisingToken(
        float(document.logprobs[index]),
        None if tokens is None else tokens[index],
        before,
        after,
        document.id or None,
        document.where.place(index),
    )


def _counted(logprobs: Any, width: int) -> tuple[list[int], list[float]]:
    """Return the counts between the edges and the nats of each ``width`` entries."""
    starts = range(0, len(logprobs), width)
    if hasattr(logprobs, "dtype"):
        import numpy as np

        most = np.finfo(np.float64).max
        bits = np.clip(-logprobs / LN2, 0, most)
        counts = np.histogram(bits, np.array([*EDGES[:-1], most]))[0].tolist()
        return counts, (-np.add.reduceat(logprobs, np.array(starts))).tolist()
    counts = [0] * (len(EDGES) - 1)
    for logprob in logprobs:
        counts[_bin(-logprob / LN2)] += 1
    return counts, [-sum(logprobs[start : start + width]) for start in starts]


def _bin(bits: float) -> int:
    return max(0, sum(bits >= edge for edge in EDGES[:-1]) - 1)


def _widened(course: Course, width: int) -> Iterable[tuple[int, float]]:
    """Return cells of a greater width: each of several neighbours."""
    step = width // course.width
    for start in range(0, len(course.cells), step):
        group = course.cells[start : start + step]
        yield sum(n for n, _ in group), math.fsum(nats for _, nats in group)
