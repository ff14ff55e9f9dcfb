"""Lists of entries: several as one, and without what was dropped."""

from collections.abc import Iterable, Sequence
from itertools import accumulate, chain
from typing import TypeVar

from llmcalc.inputs.logprobs.document import Entries, Stretch

T = TypeVar("T")


def without(items: Iterable[T] | None, dropped: Sequence[int]) -> list[T] | None:
    """Return the items whose index was not dropped.

    >>> without("abc", [0])
    ['b', 'c']
    """
    if items is None:
        return None
    kept = list(items)
    for index in reversed(dropped):
        del kept[index : index + 1]
    return kept


def joined(parts: Sequence[Entries]) -> Entries:
    """Return several lists of entries as one; what only some of them know is lost."""
    starts = accumulate((len(part.values) for part in parts), initial=0)
    stretches = [
        Stretch(start + later.start, later.path, later.first)
        for start, part in zip(starts, parts, strict=False)
        for later in (Stretch(0, part.path, part.first), *part.later)
    ]
    return Entries(
        values=list(chain.from_iterable(part.values for part in parts)),
        path=parts[0].path,
        first=parts[0].first,
        later=stretches[1:],
        tokens=_chained([part.tokens for part in parts]),
        token_ids=_chained([part.token_ids for part in parts]),
        bytes=_chained([part.bytes for part in parts]),
        lines=_chained([part.lines for part in parts]),
    )


def _chained(lists: Sequence[Iterable[T] | None]) -> list[T] | None:
    known = [items for items in lists if items is not None]
    if len(known) < len(lists):
        return None
    return list(chain.from_iterable(known))
