"""What a set of vectors is like as a whole: its background, lengths and duplicates."""

import threading
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from llmcalc.core.similarity.blocks import Search, block_of, in_threads, starts
from llmcalc.core.similarity.rows import Rows, scaled, zero_rows

# Rows whose pairs stand for those of a larger set, and the seed that draws them.
SAMPLE_ROWS = 1000
_SEED = 0
_BINS = 16
# A row of float16 that was normalised is at most so far from length 1.
_UNIT_TOLERANCE = 1e-3
# Components of rows in work at a time.
_COMPONENTS = 1 << 18
_HASH_SEED = 1


class Background(NamedTuple):
    """Cosines of pairs that stand for the set: all of them, or those of a sample.

    ``sample`` holds them in ascending order, ``pairs`` is how many there are;
    ``counts`` falls into equal bins between ``edges``.
    """

    sample: NDArray[np.float32]
    pairs: int
    edges: list[float]
    counts: list[int]

    def percentile(self, similarity: float) -> float:
        """Return the percentage of the pairs that are less alike than this."""
        below = int(np.searchsorted(self.sample, similarity))
        return 100 * below / self.pairs

    def quantile(self, share: float) -> float:
        """Return the cosine below which that share of the pairs lies."""
        return float(self.sample[min(self.pairs - 1, int(share * self.pairs))])


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


def background(rows: Rows) -> Background:
    """Return the cosines of all pairs of the set, or of 1000 of its rows.

    The rows of a larger set are drawn with a fixed seed: the same set gives the same
    sample. Zero rows that are left out are in none of the pairs.
    """
    chosen = np.arange(rows.n)
    if rows.n > SAMPLE_ROWS:
        drawn = np.random.default_rng(_SEED).choice(rows.n, SAMPLE_ROWS, replace=False)
        chosen = np.sort(drawn)
    stored = rows.stored[chosen]
    part = rows._replace(stored=stored, where=lambda i: rows.where(int(chosen[i])))
    left_out = zero_rows(part) if rows.skip_zero else []
    if left_out:
        part = part._replace(stored=np.delete(stored, left_out, axis=0))
    if part.n < 2:
        return Background(np.empty(0, np.float32), 0, [], [])
    unit = block_of(part, 0, part.n, "cosine").unit.vectors
    cosines = (unit @ unit.T)[np.triu_indices(part.n, 1)]
    cosines.sort()
    np.clip(cosines, -1, 1, out=cosines)
    edges = _round_edges(float(cosines[0]), float(cosines[-1]))
    counts = np.histogram(cosines, edges)[0]
    return Background(cosines, len(cosines), edges, counts.tolist())


def _round_edges(low: float, high: float) -> list[float]:
    """Return edges of equal bins at round numbers that take in both ends.

    >>> _round_edges(-0.07, 0.31)
    [-0.1, -0.05, 0.0, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.35]
    """
    # Steps as hundredths, the finest that needs few bins.
    for step in (1, 2, 5, 10, 20):
        first, last = np.floor(low * 100 / step), np.ceil(high * 100 / step)
        last = max(last, first + 1)
        if last - first <= _BINS:
            break
    return [float(step * place / 100) for place in np.arange(first, last + 1)]


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
        wide, exponents = scaled(rows, slice(start, start + step))
        roots = np.sqrt(np.einsum("ij,ij->i", wide, wide))
        kept = roots > 0
        if not kept.all():
            block_of(rows, start, step, "cosine")  # refuses what is to be refused
            wide, exponents, roots = wide[kept], exponents[kept], roots[kept]
        with np.errstate(over="ignore", under="ignore"):
            lengths = np.ldexp(roots, exponents)
        wide /= roots[:, None]
        with self._lock:
            self._sums[start] = wide.sum(axis=0)
            self.count += len(roots)
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
