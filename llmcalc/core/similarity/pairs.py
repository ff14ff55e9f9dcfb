"""The best pairs of the rows of one set, or of two, and how many reach a threshold."""

import threading
from typing import NamedTuple

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
from llmcalc.core.similarity.metrics import (
    Estimate,
    admitted,
    counted,
    estimate_scale,
)
from llmcalc.core.similarity.nearest import same_dimension
from llmcalc.core.similarity.pair_metric import MetricName
from llmcalc.core.similarity.rows import Rows

# Rows of a block: one on the left against one on the right is a task of a thread.
_ROWS = 1024
# Pairs beyond the wanted ones that wait until the best of all are picked.
_WAITING = 1 << 16


class Pairs(NamedTuple):
    """Pairs of row indices, best first, ties by index; ``left`` < ``right`` in a set.

    ``reached`` is how many of the ``possible`` pairs reach the threshold (all, where
    there is none).
    """

    left: NDArray[np.intp]
    right: NDArray[np.intp]
    scores: NDArray[np.float64]
    reached: int
    possible: int


class Wanted(NamedTuple):
    """The ``k`` best pairs of those whose score is at least ``threshold``."""

    k: int
    threshold: float = -np.inf


def best_pairs(left: Rows, right: Rows | None, wanted: Wanted, search: Search) -> Pairs:
    """Return the best pairs of rows of ``left``, or of ``left`` with ``right``.

    Exact scores, best first, ties by index, whatever the blocks and threads; the
    count of those that reach the threshold (inclusive) is exact, too. Raises
    LlmcalcError for rows of different dimensions, NaN, infinities and zero vectors.

    >>> from llmcalc.core.similarity.rows import rows_of
    >>> rows = rows_of(np.array([[1.0, 0], [0, 1], [2, 0]]))
    >>> best_pairs(rows, None, Wanted(1), Search()).right
    array([2])
    """
    left = admitted(search.metric, left)
    others = left if right is None else admitted(search.metric, right)
    same_dimension(left, others)
    best = _BestPairs(search.metric, wanted, right is None)
    other = opposite(others, search.metric)
    step = search.block or _ROWS
    for start in starts(left.n, step):
        stripe = block_of(left, start, step, search.metric)
        first = start if right is None else 0
        share = stripe.height / (others.n - first)

        def look(low: int, stripe: Block = stripe, share: float = share) -> float:
            block, guess = other.estimated(stripe, low, step)
            best.look(stripe, block, guess)
            return share * block.height

        in_threads(look, range(first, others.n, step), search)
    n = counted(search.metric, left)
    possible = n * (n - 1) // 2
    if right is not None:
        possible = n * counted(search.metric, others)
    return best.pairs(possible)


class _BestPairs:
    """The best pairs so far; shared by the threads."""

    def __init__(self, metric: MetricName, wanted: Wanted, one_set: bool) -> None:
        self._metric = metric
        self._wanted = wanted
        self._one_set = one_set
        self._floor = wanted.threshold
        self._reached = 0
        self._kept: list[Hits] = []
        self._waiting = 0
        self._lock = threading.Lock()

    def look(self, left: Block, right: Block, guess: Estimate) -> None:
        """Take up the pairs of two blocks that are good enough."""
        if self._one_set and left.unit.start == right.unit.start:
            guess.matrix[np.tri(left.height, right.height, dtype=bool)] = -np.inf
        floor = self._floor
        least = self._kth_estimate(guess) if floor == -np.inf else -np.inf
        found = hits(self._metric, (left, right), guess, floor, least)
        reached = len(found.left)
        if floor > self._wanted.threshold > -np.inf:
            reached = self._count(left, right, guess)
        with self._lock:
            self._reached += reached
            self._kept.append(found)
            self._waiting += len(found.left)
            if self._waiting > self._wanted.k + min(self._wanted.k, _WAITING):
                self._pick()

    def pairs(self, possible: int) -> Pairs:
        """Return the best of all."""
        self._pick()
        (found,) = self._kept
        limited = self._wanted.threshold > -np.inf
        return Pairs(*found, self._reached if limited else possible, possible)

    def _kth_estimate(self, guess: Estimate) -> float:
        """Return the least estimate that the k best pairs of a block can have."""
        k, size = self._wanted.k, guess.matrix.size
        if not 0 < k < size:
            return -np.inf
        reached = np.partition(guess.matrix, size - k, axis=None)[size - k]
        return float(reached) - 2 * guess.slack

    def _count(self, left: Block, right: Block, guess: Estimate) -> int:
        """Return how many pairs reach the threshold; only doubtful ones exactly."""
        threshold = self._wanted.threshold
        sure = guess.matrix > estimate_scale(self._metric, threshold) + 2 * guess.slack
        count = int(np.count_nonzero(sure))
        guess.matrix[sure] = -np.inf
        doubtful = hits(self._metric, (left, right), guess, threshold)
        return count + len(doubtful.left)

    def _pick(self) -> None:
        """Keep the k best of what was found."""
        left, right, scores = (
            np.concatenate(parts) for parts in zip(*self._kept, strict=True)
        )
        order = np.lexsort((right, left, -scores))[: self._wanted.k]
        self._kept = [Hits(left[order], right[order], scores[order])]
        self._waiting = len(order)
        if self._wanted.k and len(order) == self._wanted.k:
            self._floor = max(self._floor, float(scores[order[-1]]))
