"""Rows that seem to be padded: runs of 0.0 or -100 at their ends would be scored."""

from collections.abc import Sequence
from typing import Any

from llmcalc.inputs.logprobs.checks import CLIP

PADS = (0.0, CLIP)
PADDED = (
    "{n} of the rows with 0.0 or -100 at an end, which looks like padding and is "
    "scored; --mask FILE says which entries of an array to score"
)


def padded(row: Sequence[Any], run: int) -> bool:
    """Return whether a row begins or ends with so many entries that others pad with.

    >>> padded([-1.5, -2.0, 0.0], 1), padded([-1.5, -2.0, 0.0], 2)
    (True, False)
    """
    if len(row) <= run:
        return False
    return any(
        end[0] in PADS and all(value == end[0] for value in end)
        for end in (row[:run], row[-run:])
    )
