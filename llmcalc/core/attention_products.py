"""Dot products of queries and keys in double precision, whatever cancels.

A block goes through one matrix product; the few entries that cancel are found by a
second one of the absolute values and worked out again exactly. Rows that would
overflow or vanish are brought near 1 by a power of two that the result carries.
"""

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from llmcalc.core.exact_dot import exact_dot, exact_parts

Floats = NDArray[np.float64]
Integers = NDArray[np.int32]

# Below this share of sum |q_i k_i| a running sum has lost more than 9 of its bits.
_CANCELLED = 2.0**-9
# Rows between 2^-300 and 2^300 stay as they are: no product of them overflows.
_ORDINARY = 300
# What vanishes below 2^-1074 and meets a factor of 2^300 is less than 2^-74 of 2^-700:
# below it a sum may have lost bits.
_TINY = -700
# Numbers that one step of the exact sums holds at a time: they stay in the cache.
_BLOCK = 1 << 14


class Products(NamedTuple):
    """Dot products as ``mantissa * 2**exponent``; the exponent is 0 as a rule.

    ``masked`` are those that were given as -inf; their mantissa is 0.
    """

    mantissa: Floats
    exponent: Integers
    masked: NDArray[np.bool_] | None = None

    def times(self, factor: float, halvings: Integers | None = None) -> Floats:
        """Return factor * products / 2**halvings, infinite beyond a double."""
        scale, shift = math.frexp(factor)
        with np.errstate(over="ignore", under="ignore"):
            if halvings is not None or self.exponent.any() or abs(shift) > _ORDINARY:
                exponent = self.exponent + shift
                if halvings is not None:
                    exponent = exponent - halvings
                return np.ldexp(self.mantissa * scale, exponent)
            return self.mantissa * factor

    def magnitude(self) -> Integers:
        """Return the exponents e with every product below 2**e."""
        return np.asarray(self.exponent + np.frexp(self.mantissa)[1], dtype=np.int32)


def dot_products(queries: Floats, keys: Floats) -> Products:
    """Return q.k of every query with every key: [..., L, d] x [..., S, d] -> [L, S].

    The relative error stays below 1e-13 even where the terms cancel, and products
    beyond the range of a double keep their digits.

    >>> q = np.array([[1e8, 1.0, -1e8]])
    >>> dot_products(q, np.array([[1e8, 1.0, 1e8]])).times(1.0)
    array([[1.]])
    """
    with np.errstate(all="ignore"):
        q, q_exponent, q_smallest = _near_one(queries)
        k, k_exponent, k_smallest = _near_one(keys)
        k_across = np.swapaxes(k, -1, -2)
        sums = q @ k_across
        magnitudes = np.abs(q) @ np.abs(k_across)
        _sum_exactly(sums, q, k, np.abs(sums) < _CANCELLED * magnitudes)
    exponent = q_exponent[..., :, None] + k_exponent[..., None, :]
    if q_smallest + k_smallest < _TINY:
        some_q, some_k = np.any(q != 0, axis=-1), np.any(k != 0, axis=-1)
        tiny = np.abs(sums) < 2.0**_TINY
        tiny &= np.asarray(some_q)[..., :, None] & np.asarray(some_k)[..., None, :]
        for at in map(tuple, np.argwhere(tiny)):
            key_at = (*at[:-2], at[-1])
            dot = exact_dot(queries[at[:-1]].tolist(), keys[key_at].tolist())
            sums[at], exponent[at] = exact_parts(dot)
    return Products(sums, exponent)


def _near_one(rows: Floats) -> tuple[Floats, Integers, int]:
    """Return rows / 2**exponent, the exponents, and the least exponent of an entry.

    An exponent other than 0 brings the largest entry of its row into [1/2, 1).
    """
    sizes = np.abs(rows)
    largest = np.frexp(sizes.max(axis=-1, initial=0.0))[1]
    exponent = np.where(np.abs(largest) < _ORDINARY, 0, largest).astype(np.int32)
    if not exponent.any():
        # The usual case: one exponent is read, not that of every entry.
        least = float(sizes.min(where=sizes > 0, initial=1.0))
        return rows, exponent, math.frexp(least)[1]
    entries = np.frexp(rows)[1] - exponent[..., None]
    smallest = int(entries.min(where=rows != 0, initial=0))
    return np.ldexp(rows, -exponent[..., None]), exponent, smallest


def _sum_exactly(sums: Floats, q: Floats, k: Floats, which: NDArray[np.bool_]) -> None:
    """Replace the chosen sums by ones rounded about once, in blocks."""
    places = np.argwhere(which)
    step = max(1, _BLOCK // q.shape[-1])
    for start in range(0, len(places), step):
        at = places[start : start + step].T
        key_at = (*at[:-2], at[-1])
        product, rest = _two_product(q[tuple(at[:-1])], k[key_at])
        terms = np.concatenate([product, rest], axis=-1)
        exact = _tree_sum(terms)
        # Beyond 2^40 of cancellation the tree's own rounding shows.
        hard = np.abs(exact) < 2.0**-40 * np.abs(terms).sum(axis=-1)
        exact[hard] = [math.fsum(line) for line in terms[hard].tolist()]
        sums[tuple(at)] = exact


def _tree_sum(terms: Floats) -> Floats:
    """Sum the last axis in pairs, with the sum of what the roundings left off."""
    left_off = np.zeros(terms.shape[:-1])
    while terms.shape[-1] > 1:
        odd = terms[..., terms.shape[-1] & ~1 :]
        a, b = terms[..., 0 : terms.shape[-1] & ~1 : 2], terms[..., 1::2]
        pair = a + b
        back = pair - a
        left_off += ((a - (pair - back)) + (b - back)).sum(axis=-1)
        terms = np.concatenate([pair, odd], axis=-1)
    return terms[..., 0] + left_off


def _two_product(a: Floats, b: Floats) -> tuple[Floats, Floats]:
    """Return a b rounded, and what rounding left off, exactly (Dekker 1971)."""
    product = a * b
    a_high, a_low = _halves(a)
    b_high, b_low = _halves(b)
    rest = a_high * b_high - product
    return product, ((rest + a_high * b_low) + a_low * b_high) + a_low * b_low


def _halves(x: Floats) -> tuple[Floats, Floats]:
    """Return x as a sum of two doubles of 26 bits (Veltkamp's splitting)."""
    wide = x * 134217729.0  # 2^27 + 1
    high = wide - (wide - x)
    return high, x - high
