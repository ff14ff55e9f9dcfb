"""The candidates of a row and how the best of them are found.

Among equal ones the lowest index is the better. A vocabulary is never sorted whole
where its best tokens decide.
"""

from functools import cached_property
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from llmcalc.core.softmax_rows import Floats, SoftmaxRows, softmax_rows

Mask = NDArray[np.bool_]
Indices = NDArray[np.intp]

# What a filter does with candidates that tie at its last place.
CUT_TIE = "cuts inside a tie; the lowest indices stay, an engine may keep others"
# How many of the best are sorted first, and how many times more where they are too few.
_FIRST, _MORE = 1024, 16


class Candidates:
    """The tokens that are left and, once a filter asks, their distribution at a T.

    >>> Candidates(np.array([0.0, 0.0]), 1.0).probs.tolist()
    [0.5, 0.5]
    """

    def __init__(self, logits: Floats, temperature: float) -> None:
        self.logits = logits
        self._temperature = temperature

    @cached_property
    def _row(self) -> SoftmaxRows:
        return softmax_rows(self.logits[None], self._temperature)

    @property
    def probs(self) -> Floats:
        """Probabilities, [n]."""
        probs: Floats = self._row.probs[0]
        return probs

    @property
    def logprobs(self) -> Floats:
        """Natural logarithms of the probabilities, [n]."""
        logprobs: Floats = self._row.logprobs[0]
        return logprobs

    @property
    def entropy(self) -> float:
        """Entropy in nats."""
        return float(self._row.entropy_nats[0])


class Kept(NamedTuple):
    """Which candidates stay, and what became of equal ones at the last place."""

    mask: Mask
    tie: str = ""


def best_of(logits: Floats, count: int) -> Kept:
    """Keep the ``count`` largest, the lowest index first among equal ones.

    >>> best_of(np.array([1.0, 3.0, 3.0, 2.0]), 1).mask.tolist()
    [False, True, False, False]
    """
    if count >= len(logits):
        return Kept(np.ones(len(logits), dtype=np.bool_))
    last = np.partition(logits, -count)[-count]
    mask = logits > last
    equal = np.flatnonzero(logits == last)
    room = count - np.count_nonzero(mask)
    mask[equal[:room]] = True
    return Kept(mask, CUT_TIE if len(equal) > room else "")


def until(
    keys: Floats,
    weights: Floats,
    target: float,
    side: Literal["left", "right"] = "left",
) -> Indices:
    """Return the indices of the smallest keys, first to last, as few as are needed.

    Their weights add up to ``target`` ("right": to more); all of them where none do.

    >>> until(np.array([3.0, 1.0, 2.0]), np.array([0.2, 0.5, 0.3]), 0.7).tolist()
    [1, 2]
    """
    size = _FIRST
    while True:
        chosen = np.arange(len(keys))
        if size < len(keys):
            chosen = np.flatnonzero(keys <= np.partition(keys, size)[size])
        order = chosen[np.argsort(keys[chosen], kind="stable")]
        last = int(np.searchsorted(cumulated(weights[order]), target, side))
        if last < len(order) or len(order) == len(keys):
            return order[: last + 1]
        size *= _MORE


def cut(keys: Floats, kept: Indices) -> Kept:
    """Keep these indices, the smallest of the keys, and say whether they cut a tie.

    >>> cut(np.array([2.0, 1.0, 1.0]), np.array([1])).tie == CUT_TIE
    True
    """
    mask = np.zeros(len(keys), dtype=np.bool_)
    mask[kept] = True
    tied = np.count_nonzero(keys <= keys[kept[-1]]) > len(kept)
    return Kept(mask, CUT_TIE if tied else "")


def cumulated(values: Floats) -> NDArray[np.longdouble]:
    """Return running sums, [n].

    >>> cumulated(np.array([0.5, 0.25])).tolist() == [0.5, 0.75]
    True
    """
    # Wider sums where the machine has them: their own rounding is then no boundary.
    return np.cumsum(values, dtype=np.longdouble)
