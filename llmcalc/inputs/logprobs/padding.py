"""Rows that seem to be padded: runs of 0.0 or -100 at their ends would be scored."""

from collections.abc import Sequence

from llmcalc.inputs.logprobs.checks import CLIP
from llmcalc.inputs.logprobs.document import Notes

PADDED = (
    "{n} of the rows end or begin with 0.0 or -100, which looks like padding and is "
    "scored; --mask FILE says which entries of an array to score"
)


def remark_padding(ends: Sequence[float], place: str, notes: Notes) -> None:
    """Remark a row whose first or last entries are what others pad with.

    ``ends`` are its outermost entries: the first and the last will do.

    >>> notes = Notes()
    >>> remark_padding([-1.5, 0.0], "a.npy: row 2", notes)
    >>> len(notes.lines())
    1
    """
    if any(end in (0.0, CLIP) for end in ends):
        notes.add(PADDED, place)
