"""The K rows of a corpus that are most like each query, exact, in blocks."""

import threading
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from llmcalc.core.similarity.blocks import (
    Block,
    Hits,
    Search,
    block_of,
    hits,
    in_threads,
    opposite,
    starts,
)
from llmcalc.core.similarity.candidates import Candidates
from llmcalc.core.similarity.metrics import admitted, row_scores
from llmcalc.core.similarity.rows import Rows
from llmcalc.errors import LlmcalcError

# Entries of the estimates and components of the corpus that a thread holds at a time.
_ESTIMATES = 1 << 20
_COMPONENTS = 1 << 20
_LEAST = 64
# Queries in work at a time, and neighbours kept for them.
_QUERIES = 1024
_KEPT = 1 << 20
# Exact scores that a thread works out in one go.
_SCORES = 512


class Nearest(NamedTuple):
    """For each query, the indices of its neighbours and their scores, best first.

    Both have shape (queries, k). Where zero rows of the corpus are left out and fewer
    than k rows remain, the index is -1 and the score -inf.
    """

    indices: NDArray[np.intp]
    scores: NDArray[np.float64]


def nearest(queries: Rows, corpus: Rows, k: int, search: Search) -> Nearest:
    """Return the ``k`` rows of ``corpus`` (all, if fewer) nearest to each query.

    Best first, ties by index; the scores are exact and depend on neither blocks nor
    threads. Raises LlmcalcError for rows of different dimensions, NaN, infinities
    and zero vectors.

    >>> from llmcalc.core.similarity.rows import rows_of
    >>> corpus = rows_of(np.array([[1.0, 0], [1, 1], [0, 2]]))
    >>> nearest(rows_of(np.array([[0.0, 3]])), corpus, 2, Search()).indices
    array([[2, 1]])
    """
    same_dimension(queries, corpus)
    queries, corpus = (admitted(search.metric, rows) for rows in (queries, corpus))
    k = min(k, corpus.n)
    step = max(1, min(_QUERIES, _KEPT // max(k, 1)))
    found = Nearest(
        np.full((queries.n, k), -1, dtype=np.intp), np.full((queries.n, k), -np.inf)
    )
    for start in starts(queries.n, step):
        query = block_of(queries, start, step, search.metric)
        some = slice(start, start + step)
        if k:
            _fill(
                Nearest(found.indices[some], found.scores[some]), query, corpus, search
            )
    return found


def reaching(found: Nearest, threshold: float) -> tuple[Nearest, int]:
    """Return only the neighbours whose score reaches the threshold (inclusive).

    The count is of the queries all of whose neighbours do: they may have more.
    """
    kept = found.scores >= threshold
    full = int(kept.all(axis=1).sum())
    indices = np.where(kept, found.indices, -1)
    return Nearest(indices, np.where(kept, found.scores, -np.inf)), full


def same_dimension(left: Rows, right: Rows) -> None:
    """Raise LlmcalcError, naming both, unless rows of both have one dimension."""
    if left.dim != right.dim:
        raise LlmcalcError(
            f"{left.where(0)} has {left.dim} components, "
            f"{right.where(0)} has {right.dim}"
        )


def _fill(part: Nearest, query: Block, corpus: Rows, search: Search) -> None:
    """Find the neighbours of one block of queries."""
    count, k = part.scores.shape
    pool = Candidates(count, k)
    step = _step(count, corpus, search)

    other = opposite(corpus, search.metric)

    def estimate_block(start: int) -> float:
        block, guess = other.estimated(query, start, step)
        pool.add(guess, start)
        return float(count * block.height / corpus.n)

    in_threads(estimate_block, starts(corpus.n, step), search)
    queries, rows, crowded, bars = pool.shortlist()
    scores = np.empty(len(rows))

    def score(low: int) -> float:
        some = slice(low, low + _SCORES)
        left = query.rows, queries[some] + query.unit.start
        scores[some] = row_scores(search.metric, left, (corpus, rows[some]))
        return 0

    in_threads(score, starts(len(rows), _SCORES), search)
    _rank(part, queries, rows, scores)
    if len(crowded):
        _fill_crowded(part, (crowded, bars[crowded, None]), query, corpus, search)


def _rank(part: Nearest, queries: Any, rows: Any, scores: Any) -> None:
    """Put the best candidates of each query in order: by score, then by index."""
    order = np.lexsort((rows, -scores, queries))
    queries, rows, scores = queries[order], rows[order], scores[order]
    place = np.arange(len(queries)) - np.searchsorted(queries, queries)
    kept = place < part.scores.shape[1]
    part.indices[queries[kept], place[kept]] = rows[kept]
    part.scores[queries[kept], place[kept]] = scores[kept]


def _fill_crowded(
    part: Nearest, crowd: tuple[Any, Any], query: Block, corpus: Rows, search: Search
) -> None:
    """Find the neighbours of queries with many near ties, by exact scores.

    ``crowd`` holds the queries and the least estimates that their neighbours have.
    """
    crowded, bars = crowd
    stored = query.rows.stored[crowded + query.unit.start]
    rows = query.rows._replace(stored=stored)
    again = block_of(rows, 0, len(crowded), search.metric)
    best = _Best(len(crowded), part.scores.shape[1])
    step = _step(len(crowded), corpus, search)
    other = opposite(corpus, search.metric)

    def exact_block(start: int) -> float:
        block, guess = other.estimated(again, start, step)
        best.add(hits(search.metric, (again, block), guess, best.floors(), bars))
        return 0

    in_threads(exact_block, starts(corpus.n, step), search)
    best.indices[np.isneginf(best.scores)] = -1
    part.indices[crowded], part.scores[crowded] = best.indices, best.scores


class _Best:
    """The best exact scores so far of some queries; shared by the threads."""

    def __init__(self, count: int, k: int) -> None:
        self.indices = np.full((count, k), np.iinfo(np.intp).max)
        self.scores = np.full((count, k), -np.inf)
        self._lock = threading.Lock()

    def floors(self) -> NDArray[np.float64]:
        """Return the score that a row must reach for each query, shape (m, 1)."""
        return np.array(self.scores[:, -1:])

    def add(self, found: Hits) -> None:
        """Take up what is better than what is there; ties go to the lower index."""
        if not len(found.left):
            return
        with self._lock:
            queries, place = np.unique(found.left, return_inverse=True)
            k = self.scores.shape[1]
            owner = np.concatenate([np.repeat(np.arange(len(queries)), k), place])
            index = np.concatenate([self.indices[queries].ravel(), found.right])
            score = np.concatenate([self.scores[queries].ravel(), found.scores])
            order = np.lexsort((index, -score, owner))
            begins = np.searchsorted(owner[order], np.arange(len(queries)))
            best = order[begins[:, None] + np.arange(k)]
            self.indices[queries] = index[best]
            self.scores[queries] = score[best]


def _step(count: int, corpus: Rows, search: Search) -> int:
    """Return how many rows of the corpus a thread takes at a time."""
    fitting = min(_ESTIMATES // count, _COMPONENTS // corpus.dim)
    return search.block or max(_LEAST, fitting)
