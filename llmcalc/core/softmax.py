"""Softmax with temperature of one row of logits, exact in every corner.

Pure Python on purpose: a few typed numbers need no numpy, whose import takes as
long as all the rest. ``softmax_rows`` has the same formulas for arrays.
"""

import math
from collections.abc import Iterable, Sequence
from operator import mul
from typing import NamedTuple

from llmcalc.core.logit_checks import Place, check_logits, index_place
from llmcalc.errors import LlmcalcError


class Softmax(NamedTuple):
    """The softmax of one row; ``probs`` and ``logprobs`` are in input order.

    Masked logits (-inf) have probability 0 and log-probability -inf.
    ``logsumexp`` is that of logits / T, ``gap`` the lead of the best probability
    over the second (None without a second), ``greedy`` the first index of the
    maximum, ``ties`` how many share it.
    """

    temperature: float
    probs: Sequence[float]
    logprobs: Sequence[float]
    logsumexp: float
    entropy_nats: float
    greedy: int
    ties: int
    top1: float
    gap: float | None

    @property
    def n(self) -> int:
        """Number of logits, masked ones included."""
        return len(self.probs)

    @property
    def entropy_bits(self) -> float:
        """Entropy in bits: nats / ln 2."""
        return self.entropy_nats / math.log(2)

    @property
    def effective_choices(self) -> float:
        """exp(entropy): as many equal choices would be as uncertain."""
        return math.exp(self.entropy_nats)


def check_temperature(temperature: float) -> None:
    """Raise unless T is a number from 0 to infinity, both limits included.

    >>> check_temperature(0.0), check_temperature(math.inf)
    (None, None)
    """
    if not temperature >= 0:
        raise LlmcalcError(
            f"temperature: {temperature} is not 0 or more; 0 (greedy) and inf "
            "(uniform) are the limits"
        )


def softmax(
    logits: Iterable[float],
    temperature: float = 1.0,
    place: Place = index_place,
    row: int = 0,
) -> Softmax:
    """Softmax of one row of logits at a temperature, exact at any scale of both.

    p_i = exp(d_i) / sum_j exp(d_j), d_i = (z_i - max) / T; the entropy is
    l - sum p_i d_i, l = log1p of the other exponentials, in which no term cancels
    another (scipy gh-18295). T = 0 and T = inf are the limits: tied maxima share the
    mass; uniform over what is not masked. One +inf takes all the mass.

    Raises LlmcalcError for T < 0 or NaN, no logits, a NaN logit, every logit -inf,
    two or more +inf, naming ``place(row, index)``, and for what is no row of numbers
    (``llmcalc.core.softmax_rows.softmax_rows`` takes arrays of rows).

    >>> [round(p, 4) for p in softmax([2, 1, 0.5, -1], 0.7).probs]
    [0.7295, 0.1748, 0.0856, 0.01]
    >>> softmax([3, 1, 3], 0).probs, softmax([0, -800]).logprobs
    ([0.5, 0.0, 0.5], [0.0, -800.0])
    """
    check_temperature(temperature)
    values = _numbers(logits, place, row)
    check_logits(values, place, row)
    return _distribution(values, temperature)


def _distribution(values: list[float], temperature: float) -> Softmax:
    best = max(values)
    greedy = values.index(best)
    gaps = _gaps(values, best, temperature)
    exps = list(map(math.exp, gaps))
    tail = math.fsum(exps[:greedy] + exps[greedy + 1 :])
    probs = [e / (1 + tail) for e in exps]
    log_total = math.log1p(tail)
    runner_up = max(gaps[:greedy] + gaps[greedy + 1 :], default=None)
    return Softmax(
        temperature=temperature,
        probs=probs,
        logprobs=[gap - log_total for gap in gaps],
        logsumexp=scaled_max(best, temperature) + log_total,
        entropy_nats=log_total - _moment(probs, gaps),
        greedy=greedy,
        ties=values.count(best),
        top1=probs[greedy],
        gap=None if runner_up is None else lead(probs[greedy], runner_up),
    )


def _numbers(logits: Iterable[float], place: Place, row: int) -> list[float]:
    """Return the logits as doubles; LlmcalcError for what is no row of numbers."""
    many = "softmax_rows of llmcalc.core.softmax_rows takes rows of them"
    axes = getattr(logits, "ndim", 1)
    if axes != 1:
        raise LlmcalcError(f"the logits have {axes} axes, not one; {many}")
    try:
        return list(map(float, logits))
    except (TypeError, OverflowError) as error:
        words = f"{place(row, None)}: the logits are one row of numbers: {error}"
        raise LlmcalcError(f"{words}; {many}") from None
    except ValueError as error:
        raise LlmcalcError(f"{place(row, None)}: {error}") from None


def _gaps(values: list[float], best: float, temperature: float) -> list[float]:
    """``scaled_gap`` of every value, the usual ones without a call for each."""
    if 0 < temperature < math.inf and best < math.inf:
        gaps = [(value - best) / temperature for value in values]
        if min(gaps) > -math.inf:
            return gaps
    return [scaled_gap(value, best, temperature) for value in values]


def _moment(probs: list[float], gaps: list[float]) -> float:
    """Sum of p times gap, where 0 times -inf counts as 0."""
    if min(gaps) > -math.inf:
        return math.fsum(map(mul, probs, gaps))
    return math.fsum(p * gap for p, gap in zip(probs, gaps, strict=True) if p)


def lead(top1: float, runner_up: float) -> float:
    """Best probability minus the second, from the gap of their logits / T.

    p_1 - p_2 = p_1 (1 - exp(gap)), which keeps its digits where the two are close.

    >>> lead(0.5, 0.0), lead(1.0, -math.inf)
    (0.0, 1.0)
    """
    return top1 * (0.0 - math.expm1(runner_up))


def scaled_gap(logit: float, best: float, temperature: float) -> float:
    """(logit - best) / T, with its limits at T = 0 and T = inf and never NaN.

    The halves keep a difference above the largest double from overflowing:
    1e308 - -1e308 at T = 1e308 is 2.

    >>> scaled_gap(-1e308, 1e308, 1e308), scaled_gap(1.0, 3.0, 0.0)
    (-2.0, -inf)
    """
    if logit == best:
        return 0.0
    if logit == -math.inf or best == math.inf or temperature == 0:
        return -math.inf
    if temperature == math.inf:
        return 0.0
    gap = logit - best
    if gap == -math.inf:
        return (logit / 2 - best / 2) / temperature * 2
    return gap / temperature


def scaled_max(best: float, temperature: float) -> float:
    """Best / T with its limits: what log-sum-exp of logits / T starts from.

    >>> scaled_max(3.0, 2.0), scaled_max(-1.0, 0.0), scaled_max(0.0, 0.0)
    (1.5, -inf, 0.0)
    """
    if temperature == 0:
        return math.copysign(math.inf, best) if best else 0.0
    if best == math.inf:
        return math.inf
    return best / temperature
