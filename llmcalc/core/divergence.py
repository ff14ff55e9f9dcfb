"""How far one distribution over the same tokens is from another."""

import numpy as np
from numpy.typing import NDArray

from llmcalc.core.softmax_rows import Floats
from llmcalc.errors import LlmcalcError

# Below this |ln q - ln p| the series is exact to a double and expm1(r) - r is not.
_SERIES = 0.25
# 1/2!, 1/3!, ... 1/13!: the next term is below 2^-53 of the first at |r| = 1/4.
_COEFFICIENTS = (
    1 / 2, 1 / 6, 1 / 24, 1 / 120, 1 / 720, 1 / 5040, 1 / 40320, 1 / 362880,
    1 / 3628800, 1 / 39916800, 1 / 479001600, 1 / 6227020800,
)  # fmt: skip


def kl_divergence(logprobs_p: Floats, logprobs_q: Floats) -> NDArray[np.float64]:
    """Kullback-Leibler divergence KL(p || q) = sum p ln(p / q) in nats, [...].

    Summed as p (exp(r) - 1 - r) with r = ln q - ln p, which adds sum q - sum p = 0:
    every term is then positive, so close distributions keep their digits. Infinite
    where q is 0 and p is not. Both are natural log-probabilities, [..., n]. Raises
    LlmcalcError where their lengths differ.

    >>> p, q = np.log([0.5, 0.5]), np.log([0.25, 0.75])
    >>> float(kl_divergence(p, q).round(12)), float(kl_divergence(p, p))
    (0.143841036226, 0.0)
    """
    if logprobs_p.shape[-1] != logprobs_q.shape[-1]:
        raise LlmcalcError(
            f"cannot compare {logprobs_p.shape[-1]} tokens with "
            f"{logprobs_q.shape[-1]}: they must be the same ones"
        )
    with np.errstate(all="ignore"):
        ratio = logprobs_q - logprobs_p
        p, q = np.exp(logprobs_p), np.exp(logprobs_q)
        small = ratio**2 * np.polynomial.polynomial.polyval(ratio, _COEFFICIENTS)
        near = np.abs(ratio) < _SERIES
        terms = np.where(near, p * small, q - p - p * ratio)
    terms = np.where(p == 0, q, terms)
    return np.asarray(np.maximum(terms, 0.0).sum(axis=-1))
