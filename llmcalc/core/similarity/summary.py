"""What a set of vectors is like as a whole: its mean, lengths and duplicates."""

import threading
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from llmcalc.core.similarity.background import Background
from llmcalc.core.similarity.blocks import Search, block_of, in_threads, starts
from llmcalc.core.similarity.rows import Rows
from llmcalc.core.similarity.unit import double_units

# A row of float16 that was normalised is at most so far from length 1.
_UNIT_TOLERANCE = 1e-3
# Components of rows in work at a time.
_COMPONENTS = 1 << 18
_HASH_SEED = 1


class Summary(NamedTuple):
    """Figures of a set of ``n`` rows of ``dim`` components.

    ``mean_similarity`` is the mean cosine of all pairs, computed from every row;
    ``anisotropy`` the length of the mean unit vector (0: no common direction, 1: one
    direction). ``duplicates`` counts rows equal to an earlier one, ``not_unit`` those
    whose length differs from 1 by more than 0.001, ``zero_rows`` zero vectors, which
    the other figures leave out.
    """

    n: int
    dim: int
    mean_similarity: float
    anisotropy: float
    median_similarity: float
    duplicates: int
    zero_rows: int
    not_unit: int
    min_norm: float
    max_norm: float


def summarise(rows: Rows, background: Background, search: Search) -> Summary:
    """Return the figures of a set of two rows or more, in one pass over it.

    With unit rows x_i: mean of all pairs = (|sum x_i|^2 - n) / (n (n - 1)),
    anisotropy = |sum x_i| / n (K. Ethayarajh, "How Contextual are Contextualized Word
    Representations?", 2019, uses the mean cosine itself).

    >>> from llmcalc.core.similarity.background import background
    >>> from llmcalc.core.similarity.rows import rows_of
    >>> rows = rows_of(np.array([[1.0, 0], [0, 2]]))
    >>> summary = summarise(rows, background(rows), Search())
    >>> summary.mean_similarity, summary.not_unit, summary.max_norm
    (0.0, 1, 2.0)
    """
    totals = _Totals(rows.dim)
    step = max(1, _COMPONENTS // rows.dim)

    def add(start: int) -> float:
        totals.add(rows, start, step)
        return min(step, rows.n - start)

    in_threads(add, starts(rows.n, step), search)
    n = totals.count
    square = totals.square()
    return Summary(
        n=rows.n,
        dim=rows.dim,
        mean_similarity=(square - n) / (n * (n - 1)) if n > 1 else np.nan,
        anisotropy=float(np.sqrt(square)) / n if n else np.nan,
        median_similarity=background.quantile(0.5) if background.pairs else np.nan,
        duplicates=duplicates(rows.stored),
        zero_rows=rows.n - n,
        not_unit=totals.not_unit,
        min_norm=totals.least if n else 0.0,
        max_norm=totals.most if n else 0.0,
    )


def duplicates(stored: NDArray[Any]) -> int:
    """Return how many rows equal an earlier one to the bit.

    Rows are ordered by a 64-bit hash; those of one hash are compared.
    """
    hashes = np.concatenate(
        [_hashes(stored[start : start + 4096]) for start in range(0, len(stored), 4096)]
    )
    order = np.argsort(hashes, kind="stable")
    same = np.flatnonzero(hashes[order[1:]] == hashes[order[:-1]])
    count = 0
    for start in range(0, len(same), 4096):
        some = same[start : start + 4096]
        equal = stored[order[some]] == stored[order[some + 1]]
        count += int(equal.all(axis=1).sum())
    return count


def _hashes(stored: NDArray[Any]) -> NDArray[np.uint64]:
    row_bytes = np.ascontiguousarray(stored).view(np.uint8).reshape(len(stored), -1)
    spare = -row_bytes.shape[1] % 4
    words = np.pad(row_bytes, ((0, 0), (0, spare))).view(np.uint32)
    factors = np.random.default_rng(_HASH_SEED).integers(
        1, 2**63, words.shape[1], dtype=np.uint64
    )
    hashes: NDArray[np.uint64] = (words * (2 * factors + 1)).sum(axis=1)
    return hashes


class _Totals:
    """Sums over the rows; blocks are added in order of their start."""

    def __init__(self, dim: int) -> None:
        self._sums: dict[int, NDArray[np.float64]] = {}
        self._dim = dim
        self._lock = threading.Lock()
        self.count = self.not_unit = 0
        self.least, self.most = np.inf, 0.0

    def add(self, rows: Rows, start: int, step: int) -> None:
        """Add the rows of one block."""
        unit, lengths = double_units(rows, slice(start, start + step))
        kept = ~np.isnan(unit[:, 0])
        if not kept.all():
            block_of(rows, start, step, "cosine")  # refuses what is to be refused
            unit, lengths = unit[kept], lengths[kept]
        with self._lock:
            self._sums[start] = unit.sum(axis=0)
            self.count += len(lengths)
            self.not_unit += int((np.abs(lengths - 1) > _UNIT_TOLERANCE).sum())
            if len(lengths):
                self.least = min(self.least, float(lengths.min()))
                self.most = max(self.most, float(lengths.max()))

    def square(self) -> float:
        """Return the square of the length of the sum of all unit rows."""
        total = np.zeros(self._dim)
        for start in sorted(self._sums):
            total += self._sums[start]
        return float(total @ total)
