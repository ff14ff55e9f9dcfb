"""The checks of log-probs on arrays: two passes, and words only for what fails them."""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from llmcalc.core.perplexity import ROUNDING
from llmcalc.inputs.logprobs.checks import CLIP, Scale, checked
from llmcalc.inputs.logprobs.document import LOGS
from llmcalc.inputs.logprobs.notes import Notes


class CheckedArray(NamedTuple):
    """Log-probs in nats, float64, and the indices of what was left out."""

    logprobs: NDArray[np.float64]
    dropped: list[int]


def checked_array(
    values: NDArray[Any], scale: Scale, place: Callable[[int], str], notes: Notes
) -> CheckedArray:
    """Return the log-probs of an array in nats, as `checks.checked` does of a list.

    Raises LlmcalcError naming the place of what is no log-prob.
    """
    numbers = values.astype(np.float64, copy=False)
    if scale.probs:
        with np.errstate(divide="ignore", invalid="ignore"):
            turned = np.log(numbers)
    else:
        turned = -numbers if scale.nll else numbers
    dropped: list[int] = []
    # A NaN makes both comparisons false.
    if turned.size and not (turned.min() > CLIP and turned.max() <= ROUNDING):
        strange = np.flatnonzero(~((turned > CLIP) & (turned <= ROUNDING)))
        if scale.probs and (numbers < 0).any():
            strange = np.flatnonzero(numbers < 0)[:1]
        turned = turned.copy()
        for index in strange.tolist():
            judged = checked(
                [float(numbers[index])],
                scale._replace(base="e"),
                _at(place, index),
                notes,
            )
            if judged.dropped:
                dropped.append(index)
            else:
                turned[index] = judged.logprobs[0]
        turned = np.delete(turned, dropped)
    factor = LOGS[scale.base]
    return CheckedArray(turned if factor == 1.0 else turned * factor, dropped)


def _at(place: Callable[[int], str], index: int) -> Callable[[int], str]:
    return lambda _: place(index)
