"""Two models on the same tokens: the paired difference of their log-probs."""

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from llmcalc.core.corpus import LISTED, Corpus, DocumentFigures
from llmcalc.core.corpus_figures import clustered_error
from llmcalc.core.perplexity import interval, standard_error
from llmcalc.core.pieces import Differences, Piece, Sum
from llmcalc.core.summary import exp, one_sequence
from llmcalc.core.summation import UNIT, ratio
from llmcalc.errors import LlmcalcError

if TYPE_CHECKING:
    from numpy.typing import NDArray


class DocumentComparison(NamedTuple):
    """One sequence under both models."""

    id: str
    n: int
    ppl: float
    ppl_b: float
    ppl_ratio: float | None


class Comparison(NamedTuple):
    """The second model (b) against the first; None where a figure does not exist.

    ``ln_ratio`` is mean_nll_b - mean_nll, so ``ppl_ratio`` above 1 says that b is
    worse; its standard error is that of the differences token by token.
    """

    ppl_b: float
    mean_nll_b: float
    se_mean_nll_b: float | None
    ln_ratio: float | None
    se_ln_ratio: float | None
    ppl_ratio: float | None
    se_ppl_ratio: float | None
    ci95_ratio: tuple[float, float] | None
    p_value: float | None
    worse: int
    better: int
    ties: int
    se_ln_ratio_clustered: float | None = None
    ci95_ratio_clustered: tuple[float, float] | None = None
    p_value_clustered: float | None = None
    documents: tuple[DocumentComparison, ...] = ()


class Pairing:
    """Both models' sums and those of their differences, piece by piece."""

    def __init__(self, listed: float = LISTED) -> None:
        """Begin with nothing; ``listed`` sequences are kept by name."""
        self.a = Corpus(listed)
        self.b = Corpus(listed)
        self._differences = Corpus(listed)
        self._worse = self._better = self._ties = 0

    def add(self, a: Piece, b: Piece) -> None:
        """Take in the same entries under both models.

        Raises LlmcalcError where the two have no same number of them.
        """
        if a.total and b.total:
            if a.total.n != b.total.n:
                raise LlmcalcError(f"document {b.id!r}: the lengths differ")
            total = Sum(a.total.sum_logprob - b.total.sum_logprob, a.total.n)
            difference = Differences(a.id, (), a.continues, total)
            self._count(total.sum_logprob < 0, total.sum_logprob > 0, 1)
        else:
            finite = self._differ(a.logprobs, b.logprobs)
            difference = Differences(a.id, finite, a.continues)
        self.a.add(a)
        self.b.add(b)
        self._differences.add(difference)

    def close(self, name: str = "") -> None:
        """End the last sequence; ``name`` is that of a single one without a name."""
        for corpus in (self.a, self.b, self._differences):
            corpus.close()
            if name and corpus.clusters.scored == 1:
                corpus.name_documents(name)

    def _differ(self, a: Any, b: Any) -> Any:
        """Count which model is better where; return a - b where both are finite."""
        if len(a) != len(b):
            raise LlmcalcError(f"{len(a)} entries against {len(b)}")
        if hasattr(a, "dtype") or hasattr(b, "dtype"):
            import numpy as np

            a, b = np.asarray(a, np.float64), np.asarray(b, np.float64)
            self._count(int((b > a).sum()), int((b < a).sum()), len(a))
            both = np.isfinite(a) & np.isfinite(b)
            return a[both] - b[both]
        pairs = list(zip(a, b, strict=True))
        self._count(sum(y > x for x, y in pairs), sum(y < x for x, y in pairs), len(a))
        return [x - y for x, y in pairs if math.isfinite(x) and math.isfinite(y)]

    def _count(self, better: int, worse: int, n: int) -> None:
        self._better += better
        self._worse += worse
        self._ties += n - better - worse

    def figures(self) -> Comparison:
        """Return the figures of the second model against the first.

        ln_ratio = mean of x_b - x_a over tokens, x = -ln p, and its standard error
        is the sample standard deviation of these differences / sqrt(n), which equals
        sqrt(se_a^2 + se_b^2 - 2 cov / (n - 1)) as llama-perplexity prints it. p_value
        is two-sided, from the normal distribution. Clustered: by sequence.
        """
        self.close()
        a, b = self.a.pooled, self.b.pooled
        log = _log_ratio(self.a, self.b)
        paired = not (a.zeros or b.zeros)
        se = standard_error(self._differences.pooled) if paired else None
        by_document = None
        if paired and self.a.clusters.scored >= 2:
            by_document = clustered_error(self._differences)
        ppl_ratio = None if log is None else exp(log)
        return Comparison(
            ppl_b=exp(b.mean_nll()),
            mean_nll_b=b.mean_nll(),
            se_mean_nll_b=standard_error(b),
            ln_ratio=log,
            se_ln_ratio=se,
            ppl_ratio=ppl_ratio,
            se_ppl_ratio=None if se is None or ppl_ratio is None else ppl_ratio * se,
            ci95_ratio=_interval(log, se),
            p_value=_p_value(log, se),
            worse=self._worse,
            better=self._better,
            ties=self._ties,
            se_ln_ratio_clustered=by_document,
            ci95_ratio_clustered=_interval(log, by_document),
            p_value_clustered=_p_value(log, by_document),
            documents=tuple(map(_document, self.a.documents, self.b.documents)),
        )


def compare(
    logprobs: "Sequence[float] | NDArray[Any]",
    logprobs_b: "Sequence[float] | NDArray[Any]",
) -> Comparison:
    """Return the second model against the first on the same tokens.

    Raises LlmcalcError where the two are not of one length, or empty.

    >>> compare([-1.0, -2.0, -3.0], [-1.5, -2.5, -3.5]).ln_ratio
    0.5
    """
    pairing = Pairing()
    a, b = one_sequence(logprobs), one_sequence(logprobs_b)
    pairing.add(Differences("1", a), Differences("1", b))
    if not pairing.a.pooled.n:
        raise LlmcalcError("no log-probs to compare")
    return pairing.figures()


def _log_ratio(a: Corpus, b: Corpus) -> float | None:
    if a.pooled.zeros and b.pooled.zeros:
        return None
    if a.pooled.zeros or b.pooled.zeros:
        return math.inf if b.pooled.zeros else -math.inf
    return ratio(a.pooled.total - b.pooled.total, a.pooled.n << UNIT)


def _interval(log: float | None, se: float | None) -> tuple[float, float] | None:
    return None if log is None or se is None else interval(log, se)


def _p_value(log: float | None, se: float | None) -> float | None:
    if log is None or se is None:
        return None
    if not se:
        return 1.0 if not log else 0.0
    return math.erfc(abs(log / se) / math.sqrt(2))


def _document(a: DocumentFigures, b: DocumentFigures) -> DocumentComparison:
    ratio_b = b.ppl / a.ppl if math.isfinite(a.ppl) else None
    return DocumentComparison(str(a.id), a.n or 0, a.ppl, b.ppl, ratio_b)
