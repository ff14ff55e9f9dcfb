"""One bracketed root finder: Newton's steps, bisection where they leave the bracket."""

import math
from collections.abc import Callable
from typing import NamedTuple

_STEPS = 300
# Steps below this part of the argument no longer change the answer's leading digits.
_ENOUGH = 2.0**-50


class Point(NamedTuple):
    """The value of a function and its slope; the slope only guides the search."""

    value: float
    slope: float


def bracketed_root(
    evaluate: Callable[[float], Point], low: float, high: float
) -> float:
    """Return where a function that is negative at low and positive at high is 0.

    It has one change of sign. Converges to about 1e-15 max(1, |argument|).

    >>> round(bracketed_root(lambda x: Point(x * x - 2, 2 * x), 0, 9), 12)
    1.414213562373
    """
    at, last = (low + high) / 2, high - low
    for _ in range(_STEPS):
        value, slope = evaluate(at)
        if value < 0:
            low = at
        else:
            high = at
        following = at - value / slope if slope > 0 else math.nan
        # A step that does not halve crawls, or wanders within rounding: bisect.
        if not (low <= following <= high and abs(following - at) < abs(last) / 2):
            following = (low + high) / 2
        last = following - at
        if abs(last) <= _ENOUGH * max(1.0, abs(at)):
            return following
        at = following
    return at
