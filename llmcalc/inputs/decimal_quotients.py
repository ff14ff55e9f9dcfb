"""Integers over powers of ten -> the nearest doubles, many at once.

M / 10**k is a division in doubles and its remainder, which is exact; the remainder
over 10**k is added. Only where that sum lies next to the middle of two doubles is it in
doubt which of them is nearest.

Imported only where there are many numbers, so numpy may load at the top.
"""

import numpy as np
from numpy.typing import NDArray

from llmcalc.inputs.decimal_tokens import LEAST_SCALE, MOST_SCALE


def _power(k: int) -> tuple[float, float]:
    """Return the double nearest to 10**k, and what it lacks."""
    whole, part = (10**k, 1) if k >= 0 else (1, 10**-k)
    nearest = whole / part
    up, down = nearest.as_integer_ratio()
    return nearest, (whole * down - up * part) / (part * down)


# Nothing is lacking for 10**0 to 10**22.
_POWER, _REST = np.array(
    [_power(k) for k in range(LEAST_SCALE, MOST_SCALE + 1)]
).T.copy()
_EXACT = 22
# Veltkamp: parts a double into halves whose products are exact.
_SPLITTER = 134217729.0
# The remainder is right to 2**-50 of itself: where so much more or less of it gives
# another double, the rounding is in doubt.
_DOUBT = 2.0**-47


def quotients(
    whole: NDArray[np.int64], scale: NDArray[np.int64]
) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """Return whole / 10**scale, and where the last digit of it is in doubt."""
    exact = int(scale.max()) <= _EXACT and int(scale.min()) >= 0
    power = _POWER.take(scale - LEAST_SCALE)
    quotient = whole.astype(np.float64)
    if exact and int(whole.max()) <= 1 << 53:
        # Both are doubles, so one division rounds once (Clinger 1990).
        quotient /= power
        return quotient, np.zeros(len(quotient), np.bool_)
    rest = quotient.copy()
    tail = (whole - rest.astype(np.int64)).astype(np.float64)
    quotient /= power
    product, error = _product(quotient, power)
    rest -= product
    rest -= error
    rest += tail
    if not exact:
        rest -= quotient * _REST.take(scale - LEAST_SCALE)
    rest /= power
    more = rest * (1 + _DOUBT)
    more += quotient
    rest *= 1 - _DOUBT
    quotient += rest
    return quotient, more != quotient


def _product(
    x: NDArray[np.float64], y: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return x * y rounded, and what the rounding took (Dekker 1971)."""
    product = x * y
    x_high, x_low = _halves(x)
    y_high, y_low = _halves(y)
    error = x_high * y_high
    error -= product
    x_high *= y_low
    error += x_high
    y_high *= x_low
    error += y_high
    x_low *= y_low
    error += x_low
    return product, error


def _halves(
    x: NDArray[np.float64],
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    high = x * _SPLITTER
    high -= high - x
    return high, x - high
