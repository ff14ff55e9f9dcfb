"""How well probabilities agree with right answers, and the temperature that mends it.

Guo et al. 2017, arXiv 1706.04599: one temperature fitted on the mean negative
log-likelihood, and the expected calibration error before and after.
"""

import math
from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from llmcalc.core.logit_checks import Place, index_place
from llmcalc.core.root import Point, bracketed_root
from llmcalc.core.softmax_blocks import softmax_blocks
from llmcalc.core.softmax_rows import UNDERFLOW
from llmcalc.errors import LlmcalcError

# Equal bins of the best probability, as in the paper.
BINS = 15
# The logarithms of the smallest and the largest temperature that is a double, and how
# often 1 is doubled below them.
_LN_T = (math.log(5e-324), math.log(1.7976931348623157e308))
_DOUBLINGS = 10

Answers = NDArray[np.intp]


class Calibration(NamedTuple):
    """Mean negative log-likelihood (nats), accuracy and calibration error at a T.

    ``ece`` = sum over 15 equal bins of best probability of (share of rows) times
    |mean best probability - accuracy|.
    """

    temperature: float
    nll: float
    accuracy: float
    ece: float


def calibration(
    logits: NDArray[Any],
    answers: Answers,
    temperature: float = 1.0,
    place: Place = index_place,
) -> Calibration:
    """Return the fit of softmax(logits / T) to the index of the right answer of a row.

    logits: [rows, n]; answers: [rows], 0 <= answer < n. A right answer of
    probability 0 makes the NLL infinite.

    >>> rows = np.log([[0.8, 0.2], [0.8, 0.2]])
    >>> figures = calibration(rows, np.array([0, 1]))
    >>> round(figures.nll, 6), figures.accuracy, round(figures.ece, 6)
    (0.916291, 0.5, 0.3)
    """
    nll: list[float] = []
    confidence = np.empty(len(answers))
    right = np.empty(len(answers), dtype=np.bool_)
    for first, block in softmax_blocks(logits, temperature, place):
        at = slice(first, first + len(block.top1))
        own = np.take_along_axis(block.gaps, answers[at][:, None], -1)[:, 0]
        nll.append(math.fsum(block.log_total - own))
        confidence[at] = block.top1
        right[at] = block.greedy == answers[at]
    return Calibration(
        temperature=temperature,
        nll=math.fsum(nll) / len(answers),
        accuracy=float(right.mean()),
        ece=_ece(confidence, right),
    )


def fit_temperature(
    logits: NDArray[Any], answers: Answers, place: Place = index_place
) -> float:
    """Return the T that minimises the mean NLL: 0 or inf where that is the limit.

    The NLL is convex in b = 1/T with slope mean(E_p[z] - z_answer), so its root is
    bracketed and found by Newton's method with bisection as its guard.

    >>> rows = np.log([[0.8, 0.2]] * 4)
    >>> round(fit_temperature(rows, np.array([0, 0, 0, 1])), 9)
    1.261859507
    """
    _check_answers(logits, answers, place)
    slope = partial(_slope, logits, answers, place)
    low = _outward(slope, -1.0)
    if low is None:
        return 0.0
    high = _outward(slope, 1.0)
    return math.inf if high is None else math.exp(bracketed_root(slope, low, high))


def _check_answers(logits: NDArray[Any], answers: Answers, place: Place) -> None:
    own = np.take_along_axis(logits, answers[:, None], -1)[:, 0]
    for row in np.flatnonzero(np.isneginf(own)):
        raise LlmcalcError(
            f"{place(int(row), int(answers[row]))}: the right answer is masked "
            "(-inf): its likelihood is 0 at every temperature"
        )


def _outward(slope: Callable[[float], Point], direction: float) -> float | None:
    """Return ln T in a direction from 1 where the slope points back, None if nowhere.

    The steps double, so any scale of logits is reached in a few.
    """
    steps = [direction * 2.0**power for power in range(_DOUBLINGS)]
    for at in [*steps, _LN_T[direction > 0]]:
        if slope(at).value * direction > 0:
            return at
    return None


def _slope(logits: NDArray[Any], answers: Answers, place: Place, at: float) -> Point:
    """d NLL / d ln T = mean(d_answer - sum p d), and mean Var(d), at T = exp(at)."""
    slope: list[float] = []
    spread: list[float] = []
    for first, block in softmax_blocks(logits, math.exp(at), place):
        own = answers[first : first + len(block.top1), None]
        gaps = np.maximum(block.gaps, UNDERFLOW)
        mean = (block.probs * gaps).sum(axis=-1)
        spread.append(math.fsum((block.probs * (gaps - mean[:, None]) ** 2).sum(-1)))
        slope.append(math.fsum(np.take_along_axis(block.gaps, own, -1)[:, 0] - mean))
    return Point(math.fsum(slope) / len(answers), math.fsum(spread) / len(answers))


def _ece(confidence: NDArray[np.float64], right: NDArray[np.bool_]) -> float:
    bins = np.minimum((np.ceil(confidence * BINS) - 1).clip(0), BINS - 1).astype(int)
    gaps = np.bincount(bins, weights=confidence - right, minlength=BINS)
    return float(np.abs(gaps).sum() / len(right))
