"""Softmax with temperature over the last axis of an array: ``softmax`` for many rows.

The same formulas as there, in double precision whatever the array holds.
"""

import math
from collections.abc import Iterator
from itertools import islice
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from llmcalc.core.softmax import Softmax, check_temperature

Floats = NDArray[np.float64]
Counts = NDArray[np.intp]

# exp(-800) is 0 in double precision, and 0 * -800 is 0 where 0 * -inf is NaN.
UNDERFLOW = -800.0


class SoftmaxRows(NamedTuple):
    """The fields of Softmax for every row; arrays drop the last axis, as sums do.

    ``gaps`` are (logits - maximum) / T, [..., n]; ``probs`` [..., n]; ``gap`` is NaN
    where n = 1. A row of -inf alone has probabilities 0, logsumexp -inf, entropy 0,
    top1 0 and ties 0.
    """

    temperature: float
    gaps: Floats
    probs: Floats
    log_total: Floats
    logsumexp: Floats
    entropy_nats: Floats
    greedy: Counts
    ties: Counts
    top1: Floats
    gap: Floats

    @property
    def logprobs(self) -> Floats:
        """Natural logarithms of ``probs``, without their underflow: [..., n]."""
        return self.gaps - self.log_total[..., None]

    @property
    def effective_choices(self) -> Floats:
        """exp(entropy) of each row."""
        return np.exp(self.entropy_nats)

    def rows(self) -> Iterator[Softmax]:
        """Yield each row of a result of two axes as the result of one row."""
        figures = (
            self.log_total, self.logsumexp, self.entropy_nats, self.greedy,
            self.ties, self.top1, self.gap,
        )  # fmt: skip
        columns = zip(*(values.tolist() for values in figures), strict=True)
        for probs, gaps, row in zip(self.probs, self.gaps, columns, strict=True):
            log_total, logsumexp, entropy, greedy, ties, top1, gap = row
            yield Softmax(
                temperature=self.temperature,
                probs=probs,
                logprobs=gaps - log_total,
                logsumexp=logsumexp,
                entropy_nats=entropy,
                greedy=greedy,
                ties=ties,
                top1=top1,
                gap=None if math.isnan(gap) else gap,
            )

    def row(self, index: int) -> Softmax:
        """Return row ``index`` of a result of two axes as the result of one row."""
        return next(islice(self.rows(), index, None))


def softmax_rows(logits: NDArray[Any], temperature: float = 1.0) -> SoftmaxRows:
    """Softmax over the last axis at a temperature, every row with its figures.

    p_i = exp(d_i) / (1 + t), d_i = (z_i - max) / T, t the sum of exp(d) over all but
    one maximum; entropy = log1p(t) - sum p_i d_i. logits: [..., n], n >= 1, any real
    type, widened first. -inf is a mask; a NaN makes its row NaN and several +inf
    share the mass: callers that refuse them use ``softmax_blocks``. Raises LlmcalcError
    for T < 0 or NaN.

    >>> rows = softmax_rows(np.array([[0.0, -800.0], [-np.inf, -np.inf]]))
    >>> rows.probs.tolist(), rows.logprobs[0].tolist()
    ([[1.0, 0.0], [0.0, 0.0]], [0.0, -800.0])
    """
    check_temperature(temperature)
    greedy = np.argmax(logits, axis=-1)
    at_best = greedy[..., None]
    best = np.take_along_axis(logits, at_best, -1)
    with np.errstate(all="ignore"):
        gaps = _gaps(logits, best, temperature)
        probs, log_total, moment = _normalised(gaps, at_best)
        top1 = np.take_along_axis(probs, at_best, -1)[..., 0]
        runner_up = _runner_up(gaps, at_best)
        return SoftmaxRows(
            temperature=temperature,
            gaps=gaps,
            probs=probs,
            log_total=log_total,
            logsumexp=_scaled_max(best[..., 0], temperature) + log_total,
            entropy_nats=log_total - moment,
            greedy=greedy,
            ties=_ties(logits, best, runner_up) * (top1 != 0),
            top1=top1,
            gap=top1 * (0.0 - np.expm1(runner_up)),
        )


def _normalised(gaps: Floats, at_best: Counts) -> tuple[Floats, Floats, Floats]:
    """Return the probabilities, ln of the sum of exp(gaps), and sum p gap."""
    exps = np.exp(gaps)
    # 1, or 0 where the whole row is masked: its probabilities are 0 / 1.
    own = np.take_along_axis(exps, at_best, -1)
    np.put_along_axis(exps, at_best, 0.0, -1)
    tail = exps.sum(axis=-1)
    # One division a row and a product an element: half the time.
    share = 1 / np.where(own[..., 0] == 0, 1.0, 1 + tail)
    moment = _moment(exps, gaps) * share
    np.put_along_axis(exps, at_best, own, -1)
    exps *= share[..., None]
    return exps, np.log1p(tail), moment


def _gaps(logits: NDArray[Any], best: NDArray[Any], temperature: float) -> Floats:
    """(logits - best) / T with the limits of ``scaled_gap``."""
    gaps = logits.astype(np.float64)
    gaps -= best
    # Only doubles can lie further apart than the largest double.
    wide = np.isneginf(gaps) & np.isfinite(logits) if _is_wide(logits, gaps) else None
    if temperature == 0:
        gaps[gaps < 0] = -np.inf
    elif temperature == np.inf:
        gaps[gaps > -np.inf if wide is None else (gaps > -np.inf) | wide] = 0.0
    elif temperature != 1:
        gaps /= temperature
    if wide is not None and temperature != 0:
        halves = (logits / 2 - best / 2) / temperature * 2
        gaps[wide] = halves[wide]
    endless = np.isinf(best)
    if endless.any():
        alone = np.where((logits == best) & (best > 0), 0.0, -np.inf)
        gaps = np.where(endless, alone, gaps)
    return gaps


def _is_wide(logits: NDArray[Any], gaps: Floats) -> bool:
    return logits.dtype.itemsize > 4 and bool(np.isneginf(gaps.min(initial=0.0)))


def _moment(exps: Floats, gaps: Floats) -> Floats:
    """Sum of exps * gaps over the last axis, where 0 * -inf counts as 0."""
    moment = np.einsum("...i,...i->...", exps, gaps)
    if np.isnan(moment).any():
        moment = (exps * np.maximum(gaps, UNDERFLOW)).sum(axis=-1)
    return np.asarray(moment)


def _runner_up(gaps: Floats, at_best: Counts) -> Floats:
    """The second largest of each row of gaps, NaN where n = 1."""
    if gaps.shape[-1] == 1:
        return np.full(gaps.shape[:-1], np.nan)
    own = np.take_along_axis(gaps, at_best, -1)
    np.put_along_axis(gaps, at_best, -np.inf, -1)
    runner_up = gaps.max(axis=-1)
    np.put_along_axis(gaps, at_best, own, -1)
    return np.asarray(runner_up)


def _ties(logits: NDArray[Any], best: NDArray[Any], runner_up: Floats) -> Counts:
    """How many logits of a row share the maximum; few rows have a tie to count."""
    ties = np.ones(np.shape(runner_up), dtype=np.intp)
    tied = np.asarray(runner_up == 0)
    if tied.any():
        # In doubles, as the probabilities are: integers may differ beyond them.
        same = logits[tied].astype(np.float64) == best[tied].astype(np.float64)
        ties[tied] = np.count_nonzero(same, axis=-1)
    return ties


def _scaled_max(best: NDArray[Any], temperature: float) -> Floats:
    """Best / T with the limits of ``scaled_max``."""
    wide = best.astype(np.float64)
    return np.where(
        wide == 0 if temperature == 0 else np.isinf(wide), wide, wide / temperature
    )
