"""Sums of doubles and of their squares without any rounding.

Every double is an integer times 2**-1074, its square one times 2**-2148. The sums are
kept as such integers, so adding them is associative: chunks, files and processes merge
to the same last digit in whatever order. Arrays are cut into slices of few bits, whose
products and their sums over a block are exact in a double (Rump, Ogita, Oishi 2008:
error-free extraction); what comes out is converted once a block.

Start-up is a feature: numpy loads only for what is long.
"""

import math
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from numpy.typing import NDArray

# The unit of a sum is 2**-UNIT, that of a sum of squares its square.
UNIT = 1074
# The arrays of a block stay in the cache; halves of it stay below the length from which
# OpenBLAS takes threads to a product. Products of two slices of 19 bits, 2**14 of them,
# fit the 53 bits of a double.
_BLOCK = 1 << 14
_HALF = _BLOCK // 2
_SLICE = 19
_SLICES = 8
# Doubles of a usual size are integers times this power of two.
_USUAL_BITS = 200
_USUAL = 2.0**_USUAL_BITS
# Within these exponents no slice overflows and no product of slices underflows.
_REACH = 300
# Below this many numbers, loading numpy costs more than it saves; with numpy there,
# calling it does.
_SHORT, _SHORT_LOADED = 20_000, 300


class Moments(NamedTuple):
    """Exact sums of finite doubles, and their range."""

    total: int = 0  # in units of 2**-1074
    squares: int = 0  # in units of 2**-2148
    low: float = math.inf
    high: float = -math.inf


def moments(values: "Sequence[float] | NDArray[Any]") -> Moments:
    """Return the exact sum and sum of squares of finite doubles, and their range.

    A list needs no numpy unless it is long; both ways give the same integers.

    >>> sums = moments([0.1] * 10)
    >>> ratio(sums.total, 1 << UNIT), sums.low
    (1.0, 0.1)
    """
    enough = _SHORT_LOADED if "numpy" in sys.modules else _SHORT
    if len(values) < enough:
        return _plain_moments([float(value) for value in values])
    import numpy as np

    array = np.asarray(values).reshape(-1)
    total = squares = 0
    low, high = math.inf, -math.inf
    # One allocation for all blocks: else the system gives and takes them anew.
    space = np.empty((_SLICES + 1, min(_BLOCK, len(array))))
    for start in range(0, len(array), _BLOCK):
        block = array[start : start + _BLOCK].astype(np.float64, copy=False)
        sums = _block_moments(block, space[:, : len(block)])
        total += sums.total
        squares += sums.squares
        low, high = min(low, sums.low), max(high, sums.high)
    return Moments(total, squares, low, high)


def fixed(value: float) -> int:
    """Return a finite double in units of 2**-1074.

    >>> fixed(1.0) == 2**1074
    True
    """
    numerator, denominator = value.as_integer_ratio()
    return numerator << (UNIT + 1 - denominator.bit_length())


def ratio(numerator: int, denominator: int) -> float:
    """Return the double nearest to a quotient of integers; infinite beyond its range.

    >>> ratio(1, 3), ratio(-(10**400), 1)
    (0.3333333333333333, -inf)
    """
    try:
        return numerator / denominator
    except OverflowError:
        return math.inf if numerator > 0 else -math.inf


def root(numerator: int, denominator: int) -> float:
    """Return the square root of a quotient of integers that is not negative.

    Its relative error is at most one unit in the last place, at any size.

    >>> root(2, 1), root(10**800, 1)
    (1.4142135623730951, inf)
    """
    half = (numerator.bit_length() - denominator.bit_length()) // 2
    up, down = max(0, -2 * half), max(0, 2 * half)
    try:
        return math.ldexp(math.sqrt((numerator << up) / (denominator << down)), half)
    except OverflowError:
        return math.inf


def _plain_moments(values: list[float]) -> Moments:
    if not values:
        return Moments()
    scaled = [value * _USUAL for value in values]
    if all(map(float.is_integer, scaled)):
        whole, up = [*map(int, scaled)], UNIT - _USUAL_BITS
    else:
        whole, up = [*map(fixed, values)], 0
    squares = sum(number * number for number in whole)
    return Moments(sum(whole) << up, squares << 2 * up, min(values), max(values))


def _block_moments(block: "NDArray[Any]", space: "NDArray[Any]") -> Moments:
    import numpy as np

    low, high = float(block.min()), float(block.max())
    exponent = math.frexp(max(-low, high))[1]
    if abs(exponent) > _REACH:
        return _rare_moments(block, np.abs(block) > 2.0**-_REACH, space)
    slices: list[NDArray[Any]] = []
    rest = block
    for index in range(1, _SLICES + 1):
        part = space[index]
        exponent -= _SLICE
        # Adding and taking away 1.5 * 2**(exponent + 52) rounds to 2**exponent.
        shift = math.ldexp(1.5, exponent + 52)
        np.add(rest, shift, out=part)
        part -= shift
        rest = np.subtract(rest, part, out=space[0])
        slices.append(part)
        if not rest.any():
            break
    else:
        return _rare_moments(block, rest == 0, space)
    total = squares = 0
    for i, part in enumerate(slices):
        total += int(math.ldexp(float(part.sum()), -exponent))
        for other in slices[:i]:
            squares += 2 * int(math.ldexp(_product(part, other), -2 * exponent))
        squares += int(math.ldexp(_product(part, part), -2 * exponent))
    up = UNIT + exponent
    return Moments(total << up, squares << 2 * up, low, high)


def _product(x: "NDArray[Any]", y: "NDArray[Any]") -> float:
    return float(x[:_HALF].dot(y[:_HALF]) + x[_HALF:].dot(y[_HALF:]))


def _rare_moments(
    block: "NDArray[Any]", usual: "NDArray[Any]", space: "NDArray[Any]"
) -> Moments:
    """Add what few numbers of an unlike size one by one, the others as a block."""
    usual = usual & (abs(block) < 2.0**_REACH)
    a = _plain_moments(block[~usual].tolist())
    rest = block[usual]
    b = _block_moments(rest, space[:, : len(rest)]) if len(rest) else Moments()
    return Moments(
        a.total + b.total, a.squares + b.squares, min(a.low, b.low), max(a.high, b.high)
    )
