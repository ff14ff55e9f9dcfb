"""Which rows of logits have no softmax, and how a logit is named.

Pure Python: typed numbers need no numpy.
"""

import math
from collections.abc import Callable, Sequence

from llmcalc.errors import LlmcalcError

# How an error names a logit: (row, index), or (row, None) for the whole row.
Place = Callable[[int, int | None], str]


def index_place(row: int, index: int | None) -> str:
    """Name a logit by its position alone, for callers without a file.

    >>> index_place(0, 3), index_place(2, None)
    ('row 0: index 3', 'row 2')
    """
    return f"row {row}" if index is None else f"row {row}: index {index}"


def check_logits(
    logits: Sequence[float], place: Place = index_place, row: int = 0
) -> None:
    """Raise for a row that has no softmax: empty, NaN, all -inf, two +inf.

    >>> check_logits([1.0, math.inf])
    """
    if not logits:
        raise LlmcalcError(f"{place(row, None)}: no logits")
    if any(map(math.isnan, logits)):
        index = next(i for i, logit in enumerate(logits) if math.isnan(logit))
        raise LlmcalcError(f"{place(row, index)}: the logit is NaN")
    if max(logits) == -math.inf:
        raise LlmcalcError(
            f"{place(row, None)}: every logit is -inf, so there is nothing to choose"
        )
    if max(logits) == math.inf:
        infinite = [i for i, logit in enumerate(logits) if logit == math.inf]
        if len(infinite) > 1:
            first, second = (place(row, index) for index in infinite[:2])
            raise LlmcalcError(f"{first} and {second}: two logits are +inf: no ratio")
