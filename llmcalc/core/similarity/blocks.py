"""Which pairs of two blocks of rows can reach a score, and the threads that look.

Float32 estimates discard nearly all pairs; the rest get their exact score, so that
neither the size of the blocks nor the number of threads shows in a result.
"""

import os
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from typing import Any, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from llmcalc.core.similarity.buffers import Buffers
from llmcalc.core.similarity.candidates import lowest
from llmcalc.core.similarity.metrics import (
    Estimate,
    block_scores,
    estimate,
    estimate_scale,
    row_scores,
)
from llmcalc.core.similarity.pair_metric import MetricName, has_direction
from llmcalc.core.similarity.rows import Rows
from llmcalc.core.similarity.unit import UnitBlock, check_lengths, unit_block

# Above this share of a block, exact matrix products beat exact pairs one by one.
_DENSE = 1 / 64
_FEW = 64

Task = TypeVar("Task")


def _no_progress(_: float) -> None:
    """Count work that nobody watches."""


class Search(NamedTuple):
    """How to look: the metric, rows in a block and threads (None: what is quick).

    ``advance`` is called with the number of rows that are done.
    """

    metric: MetricName = "cosine"
    block: int | None = None
    workers: int | None = None
    advance: Callable[[float], None] = _no_progress


class Block(NamedTuple):
    """Consecutive rows with their unit vectors."""

    rows: Rows
    unit: UnitBlock

    @property
    def height(self) -> int:
        """How many rows the block has."""
        return len(self.unit.vectors)

    @property
    def chosen(self) -> slice:
        """The rows of the block."""
        return slice(self.unit.start, self.unit.start + self.height)


class Hits(NamedTuple):
    """Pairs of row indices with their exact scores, three arrays of one length."""

    left: NDArray[np.intp]
    right: NDArray[np.intp]
    scores: NDArray[np.float64]


def block_of(rows: Rows, start: int, count: int, metric: MetricName) -> Block:
    """Return ``count`` rows from ``start``, checked for the metric."""
    return _checked(rows, unit_block(rows, start, start + count), metric)


class Opposite(NamedTuple):
    """The rows on the other side of a search, taken block by block in threads."""

    rows: Rows
    metric: MetricName
    buffers: Buffers

    def estimated(self, left: Block, start: int, count: int) -> tuple[Block, Estimate]:
        """Return ``count`` rows from ``start``, and estimates of ``left`` with them.

        Both live until the thread asks for the next.
        """
        # With few rows on the left, scaling the products is less work.
        scale = left.height < self.rows.dim
        unit = unit_block(self.rows, start, start + count, scale, self.buffers)
        block = _checked(self.rows, unit, self.metric)
        return block, estimate(self.metric, (left.unit, unit), self.buffers)


def opposite(rows: Rows, metric: MetricName) -> Opposite:
    """Return rows to be searched."""
    return Opposite(rows, metric, Buffers())


def hits(
    metric: MetricName,
    blocks: tuple[Block, Block],
    guess: Estimate,
    floors: Any,
    least: Any = -np.inf,
) -> Hits:
    """Return the pairs of two blocks whose exact score reaches the floor.

    ``floors`` is one score, or one for each left row, shape (m, 1); ``least`` is the
    estimate that they need besides, one or one for each left row.
    """
    left, right = blocks
    low = np.maximum(estimate_scale(metric, floors) - guess.slack, least)
    possible = guess.matrix >= lowest(low, guess.matrix.dtype)
    count = np.count_nonzero(possible)
    if count > _DENSE * possible.size and count > _FEW:
        chosen = (left.rows, left.chosen), (right.rows, right.chosen)
        exact = block_scores(metric, *chosen)
        i, j = np.nonzero((exact >= floors) & possible)
        return Hits(i + left.unit.start, j + right.unit.start, exact[i, j])
    i, j = np.divmod(np.flatnonzero(possible), possible.shape[1])
    a, b = i + left.unit.start, j + right.unit.start
    scores = row_scores(metric, (left.rows, a), (right.rows, b))
    kept = scores >= (floors if np.ndim(floors) == 0 else floors[i, 0])
    return Hits(a[kept], b[kept], scores[kept])


def in_threads(
    work: Callable[[Task], float], tasks: Iterable[Task], search: Search
) -> None:
    """Do the tasks in threads; each returns the number of rows that it has done."""
    workers = search.workers or os.cpu_count() or 1
    pool = ThreadPoolExecutor(workers)
    try:
        for done in pool.map(work, tasks):
            search.advance(done)
    finally:
        pool.shutdown(cancel_futures=True)


def _checked(rows: Rows, unit: UnitBlock, metric: MetricName) -> Block:
    if not has_direction(metric):
        check_lengths(rows, unit)
    return Block(rows, unit)


def starts(count: int, step: int) -> range:
    """Return where blocks of ``step`` rows begin."""
    return range(0, count, step)
