"""The temperature that gives a wanted entropy, number of choices or best probability.

Both questions are monotone in T, so the answer is bracketed and then found by
Newton's method in ln T with bisection as its guard, for logits of any scale.
"""

import math
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from llmcalc.core.root import Point, bracketed_root
from llmcalc.core.softmax_rows import Floats, softmax_rows
from llmcalc.errors import LlmcalcError

# Beyond these ratios of T to the gaps of the logits a double sees the limits:
# exp(-750) is 0, and 1 - 2^-60 is 1.
_COLD = math.log(750)
_HOT = 60 * math.log(2)
# The logarithms of the largest and the smallest temperature that is a double.
_LN_LARGEST = math.log(1.7976931348623157e308)
_LN_SMALLEST = math.log(5e-324)
# A target this close to a limit, in parts, is the limit itself.
_AT_LIMIT = 8 * 2.0**-52


# (logits - max) / T, their probabilities and ln of the total -> a quantity that rises
# with T, and its derivative by ln T.
Quantity = Callable[[Floats, Floats, float], Point]


def temperature_for_entropy(logits: NDArray[Any], entropy_nats: float) -> float:
    """Return the T at which the entropy of softmax(logits / T) is as wanted, in nats.

    dH / d ln T = Var(z / T) > 0: H rises from ln(ties at the maximum) at T = 0 to
    ln(number of unmasked logits) at T = inf. logits: [n]. Raises LlmcalcError naming
    that range where the target is outside of it.

    >>> row = np.array([2, 1, 0.5, 0, -1])
    >>> round(temperature_for_entropy(row, 1.0), 12)
    0.759775646901
    """
    lowest, highest = _limits(logits)
    return _solve(logits, entropy_nats, (lowest, highest), _entropy, "entropy")


def temperature_for_choices(logits: NDArray[Any], choices: float) -> float:
    """Return the T at which exp(entropy) is as wanted: from ties to n choices.

    >>> temperature_for_choices(np.array([2.0, 1.0, 0.0]), 3.0)
    inf
    """
    lowest, highest = (math.exp(limit) for limit in _limits(logits))
    if not lowest * (1 - _AT_LIMIT) <= choices <= highest * (1 + _AT_LIMIT):
        raise _unreachable("effective choices", choices, (lowest, highest))
    return temperature_for_entropy(logits, math.log(choices))


def temperature_for_top1(logits: NDArray[Any], top1: float) -> float:
    """Return the T at which the best probability is as wanted: from 1/n to 1/ties.

    -ln p_best rises with T: its derivative by ln T is -sum p d, d = (z - max) / T.

    >>> round(temperature_for_top1(np.array([1.0, 0.0]), 0.75), 12)
    0.910239226627
    """
    ties, n = (math.exp(limit) for limit in _limits(logits))
    if not (1 / n) * (1 - _AT_LIMIT) <= top1 <= (1 / ties) * (1 + _AT_LIMIT):
        raise _unreachable("best probability", top1, (1 / n, 1 / ties))
    return _solve(
        logits, -math.log(top1), (math.log(ties), math.log(n)), _surprise, "-ln p"
    )


def _limits(logits: NDArray[Any]) -> tuple[float, float]:
    best = float(np.max(logits))
    if best == math.inf:
        return 0.0, 0.0
    ties = int(np.count_nonzero(logits == best))
    return math.log(ties), math.log(int(np.count_nonzero(logits > -math.inf)))


def _entropy(gaps: Floats, probs: Floats, log_total: float) -> Point:
    mean = float((probs * gaps).sum())
    spread = float((probs * (gaps - mean) ** 2).sum())
    return Point(log_total - mean, spread)


def _surprise(gaps: Floats, probs: Floats, log_total: float) -> Point:
    return Point(log_total, -float((probs * gaps).sum()))


def _solve(
    logits: NDArray[Any],
    target: float,
    limits: tuple[float, float],
    quantity: Quantity,
    name: str,
) -> float:
    lowest, highest = limits
    margin = _AT_LIMIT * max(1.0, highest)
    if not lowest - margin <= target <= highest + margin:
        raise _unreachable(name, target, limits)
    if highest == lowest:
        return 1.0
    if abs(target - highest) <= margin:
        return math.inf
    if target - lowest <= margin * (lowest > 0):
        return 0.0
    low, high = _bracket(logits)
    log_excess = partial(_log_excess, logits, quantity, (lowest, target))
    if not log_excess(low).value <= 0 <= log_excess(high).value:
        raise LlmcalcError(
            f"{name} {target:.12g} needs a temperature that is no double: "
            "scale the logits"
        )
    return math.exp(bracketed_root(log_excess, low, high))


def _bracket(logits: NDArray[Any]) -> tuple[float, float]:
    """Return ln T below and above which nothing changes any more."""
    wide = np.asarray(logits, dtype=np.float64)
    below = wide[(wide > -np.inf) & (wide < wide.max())]
    # Halves: the gap of two doubles can exceed the largest one.
    halves = wide.max() / 2 - below / 2
    small, large = float(halves.min()) or 5e-324, float(halves.max()) or 5e-324
    low = math.log(small) + math.log(2) - _COLD
    high = math.log(large) + math.log(2) + _HOT
    return max(low, _LN_SMALLEST), min(high, _LN_LARGEST)


def _log_excess(
    logits: NDArray[Any], quantity: Quantity, goal: tuple[float, float], at: float
) -> Point:
    """ln of (quantity above its lowest) / (target above it), at T = exp(at).

    Towards T = 0 that is nearly straight in ln T where the quantity itself is not.
    """
    row = softmax_rows(logits[None], math.exp(at))
    present = row.probs[0] > 0
    point = quantity(row.gaps[0][present], row.probs[0][present], row.log_total.item())
    lowest, target = goal
    above = point.value - lowest
    if above <= 0:
        return Point(-math.inf, 0.0)
    return Point(math.log(above) - math.log(target - lowest), point.slope / above)


def _unreachable(name: str, target: float, limits: tuple[float, float]) -> LlmcalcError:
    low, high = sorted(limits)
    return LlmcalcError(
        f"{name} {target:.12g} cannot be reached: these logits go from "
        f"{low:.12g} to {high:.12g}"
    )
