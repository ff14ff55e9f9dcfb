"""Products of stored rows without rounding, many at once.

Each row, scaled by a power of two, is cut into slices of so few bits that a product of
two slices over all components is an integer below 2^53: any order of summation, any
block and any number of threads give the same sum (K. Ozaki, T. Ogita, S. Oishi,
S. Rump, "Error-free transformations of matrix multiplication", 2012). The cosine made
of the sums is rounded once, so equal ones tie and parallel rows give exactly 1.
"""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from llmcalc.core.similarity.rows import Rows, scaled

Array = NDArray[np.float64]
# Components in work at a time, so that the slices stay in the cache.
_CHUNK = 1 << 17
# Veltkamp's constant: splits a double into two halves of 26 bits.
_SPLITTER = 134217729.0


class Sliced(NamedTuple):
    """Rows as sums of slices, each (m, d); row = sum of slices * 2^exponent."""

    slices: list[Array]
    exponents: NDArray[np.int32]


class Sum(NamedTuple):
    """A sum of products as a double and what it leaves over."""

    high: Array
    low: Array


def sliced(rows: Rows, chosen: Any) -> Sliced:
    """Return the chosen rows (a slice or indices) in slices, all of their bits."""
    rest, exponents = scaled(rows, chosen)
    bits = (53 - (rows.dim - 1).bit_length()) // 2
    slices: list[Array] = []
    while not slices or rest.any():
        place = bits * (len(slices) + 1)
        # In two steps: 2^place itself would overflow for the last slices.
        part = np.rint(np.ldexp(rest, place))
        np.ldexp(part, -place, out=part)
        slices.append(part)
        rest -= part
        if len(slices) == 1 and (beyond := _rounded_off(rows, chosen)) is not None:
            rest += np.ldexp(beyond, -exponents[:, None])
    return Sliced(slices, exponents)


def dots(left: Sliced, right: Sliced, product: Callable[[Array, Array], Array]) -> Sum:
    """Return the products of rows: those of slices, summed from the smallest.

    ``product`` multiplies slices row by row, or every row with every row.
    """
    places = [(i, j) for i in range(len(left.slices)) for j in range(len(right.slices))]
    places.sort(key=sum, reverse=True)
    total: Sum | None = None
    for i, j in places:
        part = product(left.slices[i], right.slices[j])
        if total is None:
            total = Sum(part, np.zeros_like(part))
        else:
            step = _two_sum(total.high, part)
            total = Sum(step.high, total.low + step.low)
    assert total is not None
    return _two_sum(total.high, total.low)


def row_products(left: Array, right: Array) -> Array:
    """Return the product of each row with the row of the same index."""
    products: Array = np.einsum("ij,ij->i", left, right)
    return products


def all_products(left: Array, right: Array) -> Array:
    """Return the product of every row with every row, shape (m, n)."""
    products: Array = left @ right.T
    return products


def cosines(uv: Sum, uu: Sum, vv: Sum) -> Array:
    """Return uv / sqrt(uu vv), rounded once and never outside [-1, 1].

    The arguments broadcast. A quotient of doubles is mended by its remainder. NaN
    where a row is zero.
    """
    square = _multiply(uu, vv)
    root = np.sqrt(square.high)
    root[root == 0] = np.nan
    whole = _two_product(root, root)
    root_low = ((square.high - whole.high) - whole.low + square.low) / (2 * root)
    quotient = uv.high / root
    back = _two_product(quotient, root)
    remainder = (uv.high - back.high) - back.low + uv.low - quotient * root_low
    cosine: Array = np.clip(quotient + remainder / root, -1.0, 1.0)
    return cosine


def self_products(rows: Sliced) -> Sum:
    """Return the square of each row's length over 4^exponent."""
    return dots(rows, rows, row_products)


def chunks(count: int, dim: int) -> Sequence[slice]:
    """Return slices of ``count`` rows that keep the work in the cache."""
    step = max(1, _CHUNK // dim)
    return [slice(low, low + step) for low in range(0, count, step)]


def _rounded_off(rows: Rows, chosen: Any) -> Array | None:
    """Return what 64-bit integers lose as doubles, None where they lose nothing."""
    picked = rows.stored[chosen]
    if picked.dtype.kind not in "iu" or picked.dtype.itemsize < 8:
        return None
    # A multiple of 2048 below 2^64 is a double.
    low = picked % 2048
    lost: Array = (picked - low).astype(np.float64) - picked.astype(np.float64) + low
    return lost if lost.any() else None


def _two_sum(a: Array, b: Array) -> Sum:
    total = a + b
    part = total - a
    return Sum(total, (a - (total - part)) + (b - part))


def _two_product(a: Array, b: Array) -> Sum:
    product = a * b
    a_high, b_high = _upper_half(a), _upper_half(b)
    a_low, b_low = a - a_high, b - b_high
    error = ((a_high * b_high - product) + a_high * b_low + a_low * b_high) + (
        a_low * b_low
    )
    return Sum(product, error)


def _upper_half(a: Array) -> Array:
    large = _SPLITTER * a
    return large - (large - a)


def _multiply(a: Sum, b: Sum) -> Sum:
    product = _two_product(a.high, b.high)
    return Sum(product.high, product.low + (a.high * b.low + a.low * b.high))
