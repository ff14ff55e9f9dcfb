"""Perplexity of log-probs: its figures, their standard errors, their units."""

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from llmcalc.core.corpus import DocumentFigures
from llmcalc.core.summary import Summary, exp, one_sequence, summarize
from llmcalc.core.summation import UNIT, root
from llmcalc.errors import LlmcalcError

if TYPE_CHECKING:
    from numpy.typing import NDArray

# Half-precision arithmetic rounds a certain token to a little above 0.
ROUNDING = 1e-6
# The two-sided 95 % point of the normal distribution, as usual to two decimals.
Z95 = 1.96
LN2 = math.log(2)
LN10 = math.log(10)


class Part(NamedTuple):
    """Figures of some of the entries."""

    n: int | None
    sum_logprob: float
    ppl: float


class Perplexity(NamedTuple):
    """The figures of log-probs; None where a figure does not exist or is not known.

    Sums and means are in nats, intervals are (low, high).
    """

    n: int | None
    skipped: int
    unit: str
    sum_logprob: float | None
    mean_nll: float
    ppl: float
    log10_ppl: float
    se_mean_nll: float | None = None
    se_ppl: float | None = None
    ci95: tuple[float, float] | None = None
    se_mean_nll_clustered: float | None = None
    ci95_clustered: tuple[float, float] | None = None
    bits_per_token: float | None = None
    min_logprob: float | None = None
    max_logprob: float | None = None
    bytes: int | None = None
    bits_per_byte: float | None = None
    byte_ppl: float | None = None
    words: int | None = None
    word_ppl: float | None = None
    documents: tuple[DocumentFigures, ...] = ()
    n_documents: int = 1
    mean_ppl: float | None = None
    oov: int | None = None
    without_oov: Part | None = None
    ppl1: float | None = None
    sentences: int | None = None


def perplexity(logprobs: "Sequence[float] | NDArray[Any]") -> Perplexity:
    """Return the perplexity of natural log-probabilities and what belongs to it.

    ppl = exp(mean_nll), mean_nll = -sum(logprobs) / n; the sum is exact before it is
    rounded once. se_mean_nll is the sample standard deviation / sqrt(n), se_ppl is
    ppl times that (the delta method, as llama.cpp's llama-perplexity prints it), ci95
    is exp(mean_nll -+ 1.96 se_mean_nll). -inf makes the perplexity infinite.

    Raises LlmcalcError for nothing, NaN, a log-prob above 1e-6, and several axes.

    >>> perplexity([-0.5, -1.5]).mean_nll
    1.0
    >>> round(perplexity([math.log(1 / 8)] * 3).ppl, 12)
    8.0
    """
    summary = summarize(one_sequence(logprobs))
    if not summary.n:
        raise LlmcalcError("no log-probs: the perplexity of nothing is not defined")
    if summary.high > ROUNDING:
        raise LlmcalcError(f"{summary.high!r} is above 0: not a log-prob")
    ppl = exp(summary.mean_nll())
    return figures(summary)._replace(documents=(DocumentFigures("1", summary.n, ppl),))


def standard_error(summary: Summary) -> float | None:
    """Return the sample standard deviation / sqrt(n), or None where there is none.

    >>> standard_error(summarize([-1.0, -3.0]))
    1.0
    """
    n, total = summary.n, summary.total
    if n < 2 or summary.zeros or not summary.spread:
        return None
    return root(n * summary.squares - total * total, n * n * (n - 1) << 2 * UNIT)


def figures(summary: Summary) -> Perplexity:
    """Return the figures that the entries alone give; raises nothing.

    >>> figures(summarize([-1.0, -3.0])).mean_nll
    2.0
    """
    mean_nll = summary.mean_nll()
    ppl = exp(mean_nll)
    se = standard_error(summary)
    return Perplexity(
        n=summary.n if summary.counted else None,
        skipped=0,
        unit="token",
        sum_logprob=summary.sum_logprob() if summary.counted else None,
        mean_nll=mean_nll,
        ppl=ppl,
        log10_ppl=mean_nll / LN10,
        se_mean_nll=se,
        se_ppl=None if se is None or (ppl == math.inf and not se) else ppl * se,
        ci95=None if se is None else interval(mean_nll, se),
        bits_per_token=mean_nll / LN2,
        min_logprob=summary.low if summary.spread else None,
        max_logprob=summary.high if summary.spread else None,
    )


def interval(mean_nll: float, se: float) -> tuple[float, float]:
    """Return exp(mean_nll -+ 1.96 se): where the perplexity lies, 95 times in 100."""
    return exp(mean_nll - Z95 * se), exp(mean_nll + Z95 * se)
