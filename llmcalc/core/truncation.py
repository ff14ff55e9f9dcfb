"""Which tokens each sampling filter keeps: top-k, top-p, min-p, typical and the rest.

A filter looks at a row of candidates sorted by logit, best first, ties by index, and
says which of them stay. Boundaries are compared within a few roundings, so an exact
hit is a hit; where engines differ in more than that there are two filters.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from llmcalc.core.softmax_rows import Floats, softmax_rows

Mask = NDArray[np.bool_]

# Four roundings of a double: what a threshold that is hit exactly may miss it by.
ROUNDING = 4 * 2.0**-52
# What a filter does with candidates that tie at its last place.
CUT_TIE = "cuts inside a tie; the lowest indices stay, an engine may keep others"
KEPT_TIE = "keeps all that tie at its last place, more than were asked for"
# transformers' top-h looks at the best 100 tokens only (TopHLogitsWarper.top_n).
TOP_H_CANDIDATES = 100


class Candidates(NamedTuple):
    """The tokens that are left, best first, and their distribution at this point."""

    logits: Floats
    probs: Floats
    logprobs: Floats
    entropy: float


class Kept(NamedTuple):
    """Which candidates stay, and what became of equal ones at the last place."""

    mask: Mask
    tie: str = ""


Filter = Callable[[Candidates, float], Kept]


def candidates(logits: Floats, temperature: float) -> Candidates:
    """Return sorted logits with their distribution at a temperature."""
    row = softmax_rows(logits[None], temperature)
    return Candidates(logits, row.probs[0], row.logprobs[0], float(row.entropy_nats[0]))


def top_k_with_ties(row: Candidates, k: float) -> Kept:
    """Keep what is not below the k-th best logit: all tied ones (transformers, vLLM).

    >>> top_k_with_ties(candidates(np.array([3.0, 2, 2, 1]), 1), 2).mask.tolist()
    [True, True, True, False]
    """
    mask = row.logits >= row.logits[min(int(k), len(row.logits)) - 1]
    return Kept(mask, KEPT_TIE if np.count_nonzero(mask) > k else "")


def top_k_exact(row: Candidates, k: float) -> Kept:
    """Keep exactly k, the lowest index first within a tie (llama.cpp, SGLang).

    >>> top_k_exact(candidates(np.array([3.0, 2, 2, 1]), 1), 2) # doctest: +ELLIPSIS
    Kept(mask=array([ True,  True, False, False]), tie='cuts inside a tie; ...')
    """
    return _first(row.logits, int(k))


def top_p(row: Candidates, p: float) -> Kept:
    """Keep the smallest prefix whose mass reaches p: the token that crosses p stays.

    >>> row = candidates(np.log([0.4, 0.3, 0.2, 0.1]), 1)
    >>> [int(top_p(row, p).mask.sum()) for p in (0, 0.7, 0.71)]
    [1, 2, 3]
    """
    return _first(row.logits, 1 + int((_cumulated(row.probs) < p - ROUNDING).sum()))


def min_p(row: Candidates, fraction: float) -> Kept:
    """Keep p >= fraction of the best probability, the best always.

    >>> min_p(candidates(np.log([0.5, 0.3, 0.2]), 1), 0.5).mask.tolist()
    [True, True, False]
    """
    threshold = fraction * row.probs[0] * (1 - ROUNDING)
    return Kept(_with_best(row, row.probs >= threshold))


def typical_with_ties(row: Candidates, mass: float) -> Kept:
    """Keep the most typical up to a mass, all tied in distance too (transformers).

    The distance is \\|-ln p - H\\|; the last one kept is the first whose running sum
    reaches ``mass`` (Meister et al. 2022, arXiv 2202.00666).

    >>> row = candidates(np.log([0.4, 0.2, 0.2, 0.2]), 1)
    >>> typical_with_ties(row, 0.5).mask.tolist()
    [False, True, True, True]
    """
    distance, order = _typical_order(row)
    reached = _cumulated(row.probs[order]) >= mass - ROUNDING
    last = int(np.argmax(reached)) if reached.any() else len(order) - 1
    return Kept(distance <= distance[order[last]])


def typical_exact(row: Candidates, mass: float) -> Kept:
    """Keep the most typical until their sum is above a mass (llama.cpp).

    >>> row = candidates(np.log([0.4, 0.2, 0.2, 0.2]), 1)
    >>> typical_exact(row, 0.5)
    Kept(mask=array([False,  True,  True,  True]), tie='')
    """
    distance, order = _typical_order(row)
    above = _cumulated(row.probs[order]) > mass + ROUNDING
    last = int(np.argmax(above)) if above.any() else len(order) - 1
    mask = np.zeros(len(order), dtype=np.bool_)
    mask[order[: last + 1]] = True
    tie = last + 1 < len(order) and distance[order[last]] == distance[order[last + 1]]
    return Kept(mask, CUT_TIE if tie else "")


def epsilon(row: Candidates, cutoff: float) -> Kept:
    """Keep p >= cutoff, the best always (Hewitt et al. 2022, arXiv 2210.15191).

    >>> epsilon(candidates(np.log([0.9, 0.06, 0.04]), 1), 0.05).mask.tolist()
    [True, True, False]
    """
    return Kept(_with_best(row, row.probs >= cutoff * (1 - ROUNDING)))


def eta(row: Candidates, cutoff: float) -> Kept:
    """Keep p >= min(cutoff, sqrt(cutoff) exp(-H)), the best always (same paper).

    >>> eta(candidates(np.log([0.9, 0.06, 0.04]), 1), 0.05).mask.tolist()
    [True, True, False]
    """
    return epsilon(row, min(cutoff, np.sqrt(cutoff) * np.exp(-row.entropy)))


def top_h(row: Candidates, share: float) -> Kept:
    """Keep the best while their part of the entropy stays within a share of it.

    Of the best 100 alone: keep while the running sum of -p ln p <= share H, the best
    always (transformers' TopHLogitsWarper; p and H are those of the 100).

    >>> top_h(candidates(np.log([0.5, 0.3, 0.2]), 1), 0.7).mask.tolist()
    [True, True, False]
    """
    best = candidates(row.logprobs[:TOP_H_CANDIDATES], 1.0)
    present = best.probs > 0
    terms = -best.probs * np.where(present, best.logprobs, 0.0)
    within = _cumulated(terms) <= share * best.entropy * (1 + ROUNDING)
    return _first(row.logits, max(1, int((within & present).sum())))


def top_n_sigma(row: Candidates, n: float) -> Kept:
    """Keep logits >= max - n sigma, sigma their population deviation (llama.cpp).

    >>> top_n_sigma(candidates(np.array([4.0, 1, 0, -1]), 1), 1).mask.tolist()
    [True, False, False, False]
    """
    best = row.logits[0]
    if np.isinf(best):
        return Kept(row.logits == best)
    # Halves cannot overflow, and a power of two keeps squares in range.
    gaps = row.logits / 2 - best / 2
    gaps /= 2.0 ** np.floor(np.log2(max(-gaps.min(), 2.0**-1000)))
    return Kept(gaps >= -n * np.std(gaps) * (1 + ROUNDING))


def _first(logits: Floats, count: int) -> Kept:
    """Keep the first ``count`` candidates, at least one."""
    count = min(max(count, 1), len(logits))
    tie = count < len(logits) and logits[count - 1] == logits[count]
    return Kept(np.arange(len(logits)) < count, CUT_TIE if tie else "")


def _with_best(row: Candidates, mask: Mask) -> Mask:
    best: Mask = row.logits == row.logits[0]
    return mask | best


def _typical_order(row: Candidates) -> tuple[Floats, NDArray[np.intp]]:
    """Return |-ln p - H| of each candidate and the order of the smallest first."""
    distance = np.abs(-row.logprobs - row.entropy)
    return distance, np.argsort(distance, kind="stable")


def _cumulated(values: Floats) -> NDArray[np.longdouble]:
    # Wider sums where the machine has them: their own rounding is then no boundary.
    return np.cumsum(values, dtype=np.longdouble)
