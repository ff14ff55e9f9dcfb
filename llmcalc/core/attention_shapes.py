"""Arrays of numbers as heads and positions, and scores that are given."""

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from llmcalc.core.attention_products import Floats, Products
from llmcalc.core.attention_words import not_finite, place_words, shape_words
from llmcalc.errors import LlmcalcError

Array = NDArray[Any]
_STEP = 1 << 20


class Block(NamedTuple):
    """Some heads, counted over the flattened leading axes, and some of their rows."""

    heads: slice
    rows: slice

    def share_of(self, shape: tuple[int, ...]) -> float:
        """Return the share of [*lead, L, S] that the block is."""
        *lead, n_queries, _ = shape
        rows = (self.heads.stop - self.heads.start) * (self.rows.stop - self.rows.start)
        return float(rows / (math.prod(lead) * n_queries))

    def indices(self, lead: tuple[int, ...]) -> tuple[NDArray[np.intp], ...]:
        """Return the index of each head of the block, an array for each axis."""
        counted = np.arange(self.heads.start, self.heads.stop)
        return np.unravel_index(counted, lead)


class GivenScores(NamedTuple):
    """Scores q.k that are given, [*lead, L, S], with -inf for what is masked."""

    raw: Array
    lead: tuple[int, ...]
    row_shape: tuple[int, ...]
    key_shape: tuple[int, ...]

    @property
    def shape(self) -> tuple[int, ...]:
        """Shape of the scores with every axis: [*lead, L, S]."""
        return (*self.lead, *self.raw.shape[-2:])

    def products(self, block: Block) -> Products:
        """Return the scores of a block."""
        scores = widened(self.raw[block.indices(self.lead)][:, block.rows])
        masked = scores == -np.inf
        scores[masked] = 0.0
        exponent = np.zeros((1, 1, 1), dtype=np.int32)
        return Products(scores, exponent, masked if masked.any() else None)


def given_scores(raw: Any, name: str) -> GivenScores:
    """Return scores of any axes, the last over the keys.

    Raises LlmcalcError naming a NaN or +inf (float16 ends at 65504).
    """
    array = number_array(raw, name, masked=True)
    rows = positions(array)
    return GivenScores(rows, rows.shape[:-2], array.shape[:-1], array.shape[-1:])


def number_array(values: Any, name: str, *, masked: bool = False) -> Array:
    """Return real numbers as an array, in their own type; memory maps stay maps.

    Raises LlmcalcError for what is no number, and naming the place of a NaN or an
    infinity; with ``masked``, -inf is a mask.

    >>> number_array([1, 2], "Q").tolist()
    [1, 2]
    """
    array: Array = np.asanyarray(values)
    if array.dtype.kind not in "fiu":
        raise LlmcalcError(f"{name}: holds {array.dtype}, not real numbers")
    if array.size == 0 or array.ndim == 0:
        raise LlmcalcError(f"{name}: holds no vector, shape {shape_words(array.shape)}")
    at = first_not_finite(array, masked=masked)
    if at is not None:
        raise not_finite(name, place_words(at), float(array[at]))
    return array


def first_not_finite(array: Array, *, masked: bool = False) -> tuple[int, ...] | None:
    """Return the index of the first NaN or infinity; with ``masked``, -inf is fine.

    >>> first_not_finite(np.array([[0.0, 1.0], [-np.inf, 0.0]]))
    (1, 0)
    """
    if array.dtype.kind != "f":
        return None
    flat = array.reshape(-1)
    for start in range(0, flat.size, _STEP):
        part = flat[start : start + _STEP]
        fine = np.isfinite(part) | (part == -np.inf if masked else False)
        wrong = np.flatnonzero(~fine)
        if len(wrong):
            at = np.unravel_index(start + int(wrong[0]), array.shape)
            return tuple(int(i) for i in at)
    return None


def widened(array: Array) -> Floats:
    """Return a copy in double precision: sums never run in the input's type."""
    return np.array(array, dtype=np.float64)


def positions(array: Array) -> Array:
    """Return [..., heads, positions, width]: an axis of 1 for each that is missing."""
    missing = (1,) * (3 - array.ndim)
    return array.reshape(missing + array.shape)
