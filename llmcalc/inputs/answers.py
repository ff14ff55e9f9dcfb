"""The right answer of each row, as indices: what calibration is measured against."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from llmcalc.errors import LlmcalcError
from llmcalc.inputs.numbers import read_array
from llmcalc.inputs.source import Source

# Names by which an archive's answers are known.
_KNOWN = ("labels", "answers", "targets", "y")


def read_answers(source: Source, rows: int, n: int) -> NDArray[np.intp]:
    """Return [rows] indices from 0 to n - 1.

    Raises LlmcalcError for another count, and naming the place of what is no index.
    """
    array = read_array(source, _KNOWN)
    values: NDArray[Any] = np.ravel(array.values)
    if len(values) != rows:
        raise LlmcalcError(
            f"{source.name}: {len(values)} right answers for {rows} rows of logits"
        )
    with np.errstate(invalid="ignore"):
        wrong = np.flatnonzero(~((values >= 0) & (values < n) & (values % 1 == 0)))
    for index in wrong[:1]:
        at = [int(i) for i in np.unravel_index(index, array.values.shape)]
        raise LlmcalcError(
            f"{source.name}: {array.place(at)}: {values[index]:g} is no index "
            f"from 0 to {n - 1}"
        )
    return values.astype(np.intp)
