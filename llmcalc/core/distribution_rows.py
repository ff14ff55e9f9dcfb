"""Many rows of logits under the questions of the softmax command, a few at a time.

Start-up is a feature: numpy loads for arrays alone.
"""

from collections.abc import Iterator
from functools import partial
from itertools import chain
from typing import Any

from llmcalc.core.distribution import analyse
from llmcalc.core.logit_checks import Place, index_place
from llmcalc.core.questions import Other, Row, Settings

# Rows to compare with, one for each or one for all, and their place.
Others = tuple[Any, Place] | None


def analyse_rows(
    rows: Any, settings: Settings, place: Place = index_place, others: Others = None
) -> Iterator[Row]:
    """Answer the questions about each of many rows, in order, few in memory at once.

    ``rows`` is an array [rows, n], of which as many threads as there are processors
    take blocks, or a list of rows. Raises as ``analyse`` does.

    >>> [row.softmax.greedy for row in analyse_rows([[0.0, 1.0], [2.0]], Settings())]
    [1, 0]
    """
    if isinstance(rows, list):
        one = partial(_numbered, rows, settings, place, others)
        yield from map(one, range(len(rows)))
        return
    import numpy as np

    from llmcalc.core.softmax_blocks import in_order, row_blocks, softmax_blocks

    # A view without the bookkeeping of memory-mapped arrays.
    rows = np.asarray(rows)
    if settings.plain and others is None:
        blocks = softmax_blocks(rows, settings.temperature, place)
        shown = chain.from_iterable(block.rows() for _, block in blocks)
        yield from map(Row, rows, shown)
        return
    work = partial(_block, partial(_numbered, rows, settings, place, others))
    yield from chain.from_iterable(in_order(work, row_blocks(*rows.shape)))


def _block(one: "partial[Row]", numbers: range) -> list[Row]:
    return [one(number) for number in numbers]


def _numbered(
    rows: Any, settings: Settings, place: Place, others: Others, number: int
) -> Row:
    """Answer the questions about one of many rows."""
    other = None
    if others is not None:
        against, other_place = others
        other = Other(against[number if len(against) > 1 else 0], other_place)
    return analyse(rows[number], settings, place, number, other)
