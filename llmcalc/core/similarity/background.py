"""What is normal in a set: the cosines of all its pairs, or of a sample's."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from llmcalc.core.similarity.blocks import block_of
from llmcalc.core.similarity.rows import Rows, zero_rows
from llmcalc.core.similarity.unit import double_units

# Rows whose pairs stand for those of a larger set, and the seed that draws them.
SAMPLE_ROWS = 1000
_SEED = 0
_BINS = 16


class Background(NamedTuple):
    """Cosines of pairs that stand for the set: all of them, or those of a sample.

    ``sample`` holds them in ascending order, ``pairs`` is how many there are;
    ``counts`` falls into equal bins between ``edges``.
    """

    sample: NDArray[np.float64]
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
        return Background(np.empty(0), 0, [], [])
    block_of(part, 0, part.n, "cosine")  # refuses what has no direction
    unit = double_units(part, slice(None)).vectors
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
