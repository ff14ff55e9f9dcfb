"""Which tokens each sampling filter keeps: top-k, top-p, min-p, typical and the rest.

A filter looks at the candidates of a row and says which of them stay. Boundaries are
compared within a few roundings, so an exact hit is a hit; where engines differ in
more than that there are two filters.
"""

from collections.abc import Callable

import numpy as np

from llmcalc.core.candidates import (
    Candidates,
    Kept,
    Mask,
    best_of,
    cumulated,
    cut,
    until,
)
from llmcalc.core.softmax_rows import Floats

# Four roundings of a double: what a threshold that is hit exactly may miss it by.
ROUNDING = 4 * 2.0**-52
# What a filter does with candidates that tie at its last place.
KEPT_TIE = "keeps all that tie at its last place, more than were asked for"
# transformers' top-h looks at the best 100 tokens only (TopHLogitsWarper.top_n).
TOP_H_CANDIDATES = 100

Filter = Callable[[Candidates, float], Kept]


def top_k_with_ties(row: Candidates, k: float) -> Kept:
    """Keep what is not below the k-th best logit: all tied ones (transformers, vLLM).

    >>> top_k_with_ties(Candidates(np.array([3.0, 2, 2, 1]), 1), 2).mask.tolist()
    [True, True, True, False]
    """
    if k >= len(row.logits):
        return Kept(np.ones(len(row.logits), dtype=np.bool_))
    mask = row.logits >= np.partition(row.logits, -int(k))[-int(k)]
    return Kept(mask, KEPT_TIE if np.count_nonzero(mask) > k else "")


def top_k_exact(row: Candidates, k: float) -> Kept:
    """Keep exactly k, the lowest index first within a tie (llama.cpp, SGLang).

    >>> top_k_exact(Candidates(np.array([3.0, 2, 2, 1]), 1), 2) # doctest: +ELLIPSIS
    Kept(mask=array([ True,  True, False, False]), tie='cuts inside a tie; ...')
    """
    return best_of(row.logits, int(k))


def top_p(row: Candidates, p: float) -> Kept:
    """Keep the smallest prefix whose mass reaches p: the token that crosses p stays.

    >>> row = Candidates(np.log([0.4, 0.3, 0.2, 0.1]), 1)
    >>> [int(top_p(row, p).mask.sum()) for p in (0, 0.7, 0.71)]
    [1, 2, 3]
    """
    falling = -row.logits
    return cut(falling, until(falling, row.probs, p - ROUNDING))


def min_p(row: Candidates, fraction: float) -> Kept:
    """Keep p >= fraction of the best probability, the best always.

    >>> min_p(Candidates(np.log([0.5, 0.3, 0.2]), 1), 0.5).mask.tolist()
    [True, True, False]
    """
    threshold = fraction * row.probs.max() * (1 - ROUNDING)
    return Kept(_with_best(row, row.probs >= threshold))


def typical_with_ties(row: Candidates, mass: float) -> Kept:
    """Keep the most typical up to a mass, all tied in distance too (transformers).

    The distance is \\|-ln p - H\\|; the last one kept is the first whose running sum
    reaches ``mass`` (Meister et al. 2022, arXiv 2202.00666).

    >>> row = Candidates(np.log([0.4, 0.2, 0.2, 0.2]), 1)
    >>> typical_with_ties(row, 0.5).mask.tolist()
    [False, True, True, True]
    """
    distance = _atypicality(row)
    last = distance[until(distance, row.probs, mass - ROUNDING)[-1]]
    return Kept(distance <= last + ROUNDING * max(1.0, row.entropy))


def typical_exact(row: Candidates, mass: float) -> Kept:
    """Keep the most typical until their sum is above a mass (llama.cpp).

    >>> row = Candidates(np.log([0.4, 0.2, 0.2, 0.2]), 1)
    >>> typical_exact(row, 0.5)
    Kept(mask=array([False,  True,  True,  True]), tie='')
    """
    distance = _atypicality(row)
    return cut(distance, until(distance, row.probs, mass + ROUNDING, "right"))


def epsilon(row: Candidates, cutoff: float) -> Kept:
    """Keep p >= cutoff, the best always (Hewitt et al. 2022, arXiv 2210.15191).

    >>> epsilon(Candidates(np.log([0.9, 0.06, 0.04]), 1), 0.05).mask.tolist()
    [True, True, False]
    """
    return Kept(_with_best(row, row.probs >= cutoff * (1 - ROUNDING)))


def eta(row: Candidates, cutoff: float) -> Kept:
    """Keep p >= min(cutoff, sqrt(cutoff) exp(-H)), the best always (same paper).

    >>> eta(Candidates(np.log([0.9, 0.06, 0.04]), 1), 0.05).mask.tolist()
    [True, True, False]
    """
    return epsilon(row, min(cutoff, np.sqrt(cutoff) * np.exp(-row.entropy)))


def top_h(row: Candidates, share: float) -> Kept:
    """Keep the best while their part of the entropy stays within a share of it.

    Of the best 100 alone: keep while the running sum of -p ln p <= share H, the best
    always (transformers' TopHLogitsWarper; p and H are those of the 100).

    >>> top_h(Candidates(np.log([0.5, 0.3, 0.2]), 1), 0.7).mask.tolist()
    [True, True, False]
    """
    listed = np.flatnonzero(best_of(row.logits, TOP_H_CANDIDATES).mask)
    order = listed[np.argsort(-row.logits[listed], kind="stable")]
    best = Candidates(row.logprobs[order], 1.0)
    present = best.probs > 0
    terms = -best.probs * np.where(present, best.logprobs, 0.0)
    within = cumulated(terms) <= share * best.entropy * (1 + ROUNDING)
    return cut(-row.logits, order[: max(1, int((within & present).sum()))])


def top_n_sigma(row: Candidates, n: float) -> Kept:
    """Keep logits >= max - n sigma, sigma their population deviation (llama.cpp).

    >>> top_n_sigma(Candidates(np.array([4.0, 1, 0, -1]), 1), 1).mask.tolist()
    [True, False, False, False]
    """
    best = row.logits.max()
    if np.isinf(best):
        return Kept(row.logits == best)
    # Halves cannot overflow, and a power of two keeps squares in range.
    gaps = row.logits / 2 - best / 2
    gaps /= 2.0 ** np.floor(np.log2(max(-gaps.min(), 2.0**-1000)))
    return Kept(gaps >= -n * np.std(gaps) * (1 + ROUNDING))


def _with_best(row: Candidates, mask: Mask) -> Mask:
    best: Mask = row.logits == row.logits.max()
    return mask | best


def _atypicality(row: Candidates) -> Floats:
    """Return |-ln p - H| of each candidate."""
    return np.abs(-row.logprobs - row.entropy)
