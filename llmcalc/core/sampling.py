"""Reproducible draws from a distribution, as counts of each token."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from llmcalc.errors import LlmcalcError

# The generator counts in 64 bits.
_MAX_DRAWS = 2**63 - 1


def draw_counts(probs: NDArray[Any], draws: int, seed: int) -> NDArray[np.int64]:
    """Return how often each token comes up in independent draws, [n] in input order.

    One multinomial draw over the tokens of probability above 0, so a masked or cut
    one cannot come up, however the sum is rounded. The likeliest takes what is left
    of the draws, where a rounding of its probability is least in proportion. The
    same seed gives the same counts. Raises LlmcalcError for draws below 1.

    >>> draw_counts(np.array([0.5, 0.0, 0.5]), 1000, 7).tolist()
    [500, 0, 500]
    """
    if not 1 <= draws <= _MAX_DRAWS:
        raise LlmcalcError(f"--sample: {draws} is not from 1 to {_MAX_DRAWS}")
    drawable = np.flatnonzero(probs > 0)
    rising = drawable[np.argsort(probs[drawable], kind="stable")]
    weights = np.asarray(probs[rising], dtype=np.float64)
    generator = np.random.default_rng(seed)
    counts = np.zeros(len(probs), dtype=np.int64)
    counts[rising] = generator.multinomial(draws, weights / weights.sum())
    return counts
