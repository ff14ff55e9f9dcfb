"""The dot product of two vectors of doubles, without any rounding."""

import math
from collections.abc import Sequence

# Every double is an integer over 2^1074, so a product of two is one over 2^2148.
_PRODUCT_BITS = 2148


def exact_dot(q: Sequence[float], k: Sequence[float]) -> int:
    """Return q.k without rounding, as an integer in units of 2^-2148.

    >>> exact_dot([1e8, 1.0, -1e8], [1e8, 1.0, 1e8]) >> 2148
    1
    """
    total = 0
    for a, b in zip(q, k, strict=True):
        (top, bottom), (other, below) = a.as_integer_ratio(), b.as_integer_ratio()
        bits = bottom.bit_length() + below.bit_length() - 2
        total += top * other << (_PRODUCT_BITS - bits)
    return total


def exact_times(dot: int, factor: float) -> float:
    """Return factor * dot for a dot of ``exact_dot``, rounded once.

    >>> exact_times(exact_dot([1e200], [1e200]), 1e-300)
    1e+100
    """
    top, bottom = factor.as_integer_ratio()
    try:
        return dot * top / (bottom << _PRODUCT_BITS)
    except OverflowError:
        return math.inf if (dot > 0) == (top > 0) else -math.inf


def exact_parts(dot: int) -> tuple[float, int]:
    """Return a dot of ``exact_dot`` as (m, e) with the dot m 2^e, |m| at most 1.

    >>> exact_parts(exact_dot([3.0], [1.0]))
    (0.75, 2)
    """
    bits = abs(dot).bit_length()
    return dot / (1 << bits), bits - _PRODUCT_BITS
