"""The rows that may be among the K nearest of each query, by float32 estimates."""

import threading
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from llmcalc.core.similarity.metrics import Estimate

# Places beyond k that a query has for candidates too close to call.
_SPARE = 16


class Shortlist(NamedTuple):
    """Candidate rows of queries, and the queries that have more than were kept.

    ``bars`` is the least estimate of a row that can be among the k best of a query.
    """

    queries: NDArray[np.intp]
    rows: NDArray[np.intp]
    crowded: NDArray[np.intp]
    bars: NDArray[np.float64]


class Candidates:
    """The best estimates so far for each query; shared by the threads."""

    def __init__(self, count: int, k: int) -> None:
        """Make room for ``k`` candidates of ``count`` queries, and some more."""
        self._k = k
        self._places = k + max(_SPARE, k // 4)
        self._estimates = np.full((count, self._places), -np.inf)
        self._rows = np.full((count, self._places), -1, dtype=np.intp)
        self._kth = np.full(count, -np.inf)
        self._slack = 0.0
        self._lock = threading.Lock()

    def add(self, guess: Estimate, start: int) -> None:
        """Take up the rows from ``start`` whose estimates can be among the best."""
        with self._lock:
            self._slack = max(self._slack, guess.slack)
            bar = self._kth - 2 * self._slack
        matrix = guess.matrix
        fresh = np.flatnonzero(np.isneginf(bar))
        if len(fresh) and matrix.shape[1] > self._k:
            reached = np.partition(matrix[fresh], -self._k, axis=1)[:, -self._k]
            bar[fresh] = reached - 2 * guess.slack
        found = np.flatnonzero(matrix >= lowest(bar, matrix.dtype)[:, None])
        queries, places = np.divmod(found, matrix.shape[1])
        if len(found):
            estimates = matrix.ravel()[found].astype(np.float64)
            with self._lock:
                self._merge(queries, places + start, estimates)

    def shortlist(self) -> Shortlist:
        """Return the candidates that float32 can't tell apart from the k best."""
        bars = self._kth - 2 * self._slack
        close = (self._estimates >= bars[:, None]) & (self._rows >= 0)
        queries, places = np.nonzero(close)
        crowded = np.flatnonzero(close.all(axis=1))
        return Shortlist(queries, self._rows[queries, places], crowded, bars)

    def _merge(
        self, queries: NDArray[np.intp], rows: NDArray[np.intp], estimates: NDArray[Any]
    ) -> None:
        """Keep the best of what is there and of what came, query by query."""
        # ``queries`` is in ascending order: a run for each query.
        changed, begin, count = np.unique(
            queries, return_index=True, return_counts=True
        )
        owner = np.repeat(np.arange(len(changed)), count)
        place = np.arange(len(queries)) - np.repeat(begin, count) + self._places
        shape = (len(changed), self._places + int(count.max()))
        pool, names = np.full(shape, -np.inf), np.full(shape, -1, dtype=np.intp)
        pool[:, : self._places] = self._estimates[changed]
        names[:, : self._places] = self._rows[changed]
        pool[owner, place] = estimates
        names[owner, place] = rows
        best = np.argpartition(pool, -self._places, axis=1)[:, -self._places :]
        pool = np.take_along_axis(pool, best, axis=1)
        self._estimates[changed] = pool
        self._rows[changed] = np.take_along_axis(names, best, axis=1)
        self._kth[changed] = np.partition(pool, -self._k, axis=1)[:, -self._k]


def lowest(bar: Any, dtype: np.dtype[Any]) -> NDArray[Any]:
    """Return bounds in the dtype of the estimates, none above its argument.

    They are finite, so that -inf, the mark of a row that is left out, never passes.
    """
    with np.errstate(over="ignore"):
        bounds = np.nextafter(np.asarray(bar, dtype=dtype), np.array(-np.inf, dtype))
    least: NDArray[Any] = np.maximum(bounds, np.finfo(dtype).min)
    return least
