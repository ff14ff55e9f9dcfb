"""All similarities of the rows of one set, or of one with another."""

import numpy as np
from numpy.typing import NDArray

from llmcalc.core.similarity.blocks import Search, block_of, in_threads, starts
from llmcalc.core.similarity.metrics import admitted, block_scores
from llmcalc.core.similarity.nearest import same_dimension
from llmcalc.core.similarity.rows import Rows

# Rows and columns of a block that a thread works out at a time.
_ROWS = 512


def similarity_matrix(
    left: Rows, right: Rows | None, out: NDArray[np.float64], search: Search
) -> None:
    """Fill ``out``, shape (m, n), with the scores of ``left`` rows with ``right`` ones.

    Without ``right``, of the rows of ``left``: symmetric to the bit, the cosine of a
    row with itself exactly 1. ``out`` may be a memory-mapped file. Zero rows that are
    left out give NaN. Raises LlmcalcError for rows of different dimensions, NaN,
    infinities and zero vectors.

    >>> from llmcalc.core.similarity.rows import rows_of
    >>> out = np.empty((2, 2))
    >>> similarity_matrix(rows_of(np.array([[1.0, 0], [3, 4]])), None, out, Search())
    >>> out.tolist()
    [[1.0, 0.6], [0.6, 1.0]]
    """
    left = admitted(search.metric, left)
    others = left if right is None else admitted(search.metric, right)
    same_dimension(left, others)
    step = search.block or _ROWS
    for rows in (left,) if right is None else (left, others):
        for start in starts(rows.n, step):
            block_of(rows, start, step, search.metric)
    sign = -1.0 if search.metric == "euclidean" else 1.0

    def fill(place: tuple[int, int]) -> float:
        rows, columns = (slice(low, low + step) for low in place)
        scores = block_scores(search.metric, (left, rows), (others, columns))
        scores[np.isneginf(scores)] = np.nan
        scores *= sign
        out[rows, columns] = scores
        if right is None:
            out[columns, rows] = scores.T
        return scores.size / others.n

    for row in starts(left.n, step):
        columns = range(row if right is None else 0, others.n, step)
        in_threads(fill, ((row, column) for column in columns), search)
