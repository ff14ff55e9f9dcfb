"""How saturated rows of a softmax are: the means of their figures, block by block."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from llmcalc.core.attention import Saturation
from llmcalc.core.softmax_rows import SoftmaxRows

# A row counts as saturated above this best probability.
SATURATED = 0.99


class SaturationSums(NamedTuple):
    """Sums over rows that merge by addition: each block adds its own."""

    rows: int = 0
    top1: float = 0.0
    entropy_nats: float = 0.0
    jacobian_trace: float = 0.0
    saturated: int = 0

    def plus(self, other: "SaturationSums") -> "SaturationSums":
        """Return the sums of both."""
        return SaturationSums(
            self.rows + other.rows,
            self.top1 + other.top1,
            self.entropy_nats + other.entropy_nats,
            self.jacobian_trace + other.jacobian_trace,
            self.saturated + other.saturated,
        )

    def means(self) -> Saturation | None:
        """Return the means over the rows; None where every row was empty."""
        if not self.rows:
            return None
        entropy = self.entropy_nats / self.rows
        return Saturation(
            self.top1 / self.rows,
            entropy,
            float(np.exp(entropy)),
            self.jacobian_trace / self.rows,
            self.saturated / self.rows,
        )


def saturation_sums(rows: SoftmaxRows) -> SaturationSums:
    """Return the sums of the figures of softmax rows [..., n]; empty rows do not count.

    The trace is sum p_i (1 - p_i); for the best choice 1 - p is the sum of the
    others, so that it keeps its digits where p rounds to 1.

    >>> from llmcalc.core.softmax_rows import softmax_rows
    >>> saturation_sums(softmax_rows(np.array([[0.0, 0.0]]))).means().jacobian_trace
    0.5
    """
    kept = rows.ties > 0
    top1 = rows.top1[kept]
    traces = jacobian_traces(rows)[kept]
    return SaturationSums(
        int(kept.sum()),
        float(top1.sum()),
        float(rows.entropy_nats[kept].sum()),
        float(traces.sum()),
        int((top1 > SATURATED).sum()),
    )


def jacobian_traces(rows: SoftmaxRows) -> NDArray[Any]:
    """Return sum p (1 - p) of each row, the trace of diag(p) - p p^T."""
    probs = rows.probs
    best = rows.greedy[..., None]
    terms = probs * (1 - probs)
    # log_total is log1p of the other exponentials, and p of the best exp(-log_total).
    others = -np.expm1(-rows.log_total)
    np.put_along_axis(terms, best, (rows.top1 * others)[..., None], axis=-1)
    return np.asarray(terms.sum(axis=-1))
