"""The summary of log-probs: what is kept of them, and how two summaries merge.

Start-up is a feature: numpy loads only for arrays and what is long.
"""

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from llmcalc.core.summation import UNIT, moments, ratio
from llmcalc.errors import LlmcalcError

if TYPE_CHECKING:
    from numpy.typing import NDArray


class Summary(NamedTuple):
    """Sums over entries: of log-probs (nats), of their squares, and their range.

    The sums are exact integers, so a summary does not depend on how its input was
    cut into chunks, files or processes, nor on the order in which they merged.
    """

    n: int = 0
    zeros: int = 0  # entries of probability 0; they are in n and not in the sums
    total: int = 0  # in units of 2**-1074
    squares: int = 0  # in units of 2**-2148
    low: float = math.inf
    high: float = -math.inf
    spread: bool = True  # False: only the total is known, not its entries
    counted: bool = True  # False: total is a mean over an unknown count, n is 1

    def sum_logprob(self) -> float:
        """Return the sum of the log-probs, nats, correctly rounded."""
        return -math.inf if self.zeros else ratio(self.total, 1 << UNIT)

    def mean_nll(self) -> float:
        """Return -(sum of log-probs)/n, nats, correctly rounded."""
        return math.inf if self.zeros else ratio(-self.total, self.n << UNIT)


def summarize(logprobs: "Sequence[float] | NDArray[Any]") -> Summary:
    """Return the summary of log-probs in nats, -inf included.

    Raises LlmcalcError for NaN and +inf.

    >>> summarize([-1.0, -math.inf, -2.0])[:2]
    (3, 1)
    """
    n = len(logprobs)
    finite = _finite_entries(logprobs)
    sums = moments(finite)
    zeros = n - len(finite)
    low = -math.inf if zeros else sums.low
    high = sums.high if zeros < n else -math.inf
    return Summary(n, zeros, sums.total, sums.squares, low, high)


def one_sequence(logprobs: Any) -> Any:
    """Return log-probs as one sequence of numbers: a list, or an array of one axis.

    Raises LlmcalcError for more axes, whose rows would be taken for entries.

    >>> one_sequence([-1, -2.5])
    [-1.0, -2.5]
    """
    if not hasattr(logprobs, "__array__"):
        try:
            return [float(value) for value in logprobs]
        except TypeError as error:
            raise LlmcalcError(
                f"log-probs are one sequence of numbers: {error}"
            ) from None
    import numpy as np

    array = np.asarray(logprobs, np.float64)
    if array.ndim != 1:
        raise LlmcalcError(f"log-probs have one axis, not the shape {array.shape}")
    return array


def merged(a: Summary, b: Summary) -> Summary:
    """Return the summary of the entries of both.

    Raises LlmcalcError for a mean over an unknown count, which has no weight.

    >>> merged(summarize([-1.0]), summarize([-3.0])).mean_nll()
    2.0
    """
    if not a.n:
        return b
    if not b.n:
        return a
    if not (a.counted and b.counted):
        raise LlmcalcError(
            "a mean log-prob over an unknown number of tokens cannot be pooled with "
            "other sequences; give that sequence alone"
        )
    return Summary(
        a.n + b.n,
        a.zeros + b.zeros,
        a.total + b.total,
        a.squares + b.squares,
        min(a.low, b.low),
        max(a.high, b.high),
        a.spread and b.spread,
    )


def exp(exponent: float) -> float:
    """Return e to a power; infinite beyond the range of a double.

    >>> exp(710.0)
    inf
    """
    try:
        return math.exp(exponent)
    except OverflowError:
        return math.inf


def _finite_entries(logprobs: Any) -> Any:
    """Return the entries that are not -inf; any other must be finite."""
    if hasattr(logprobs, "dtype"):
        import numpy as np

        # A sum is finite unless an entry is not or it overflows: a quick first look.
        with np.errstate(over="ignore", invalid="ignore"):
            if np.isfinite(logprobs.sum(dtype=np.float64)):
                return logprobs
        finite = logprobs[logprobs != -math.inf]
        usual = bool(np.isfinite(finite).all())
    else:
        if all(map(math.isfinite, logprobs)):
            return logprobs
        finite = [value for value in logprobs if value != -math.inf]
        usual = all(map(math.isfinite, finite))
    if not usual:
        raise LlmcalcError("a log-prob is a number of at most 0, not nan or inf")
    return finite
