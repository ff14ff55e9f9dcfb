"""Rows of a reply in the order that their own index gives them."""

from collections.abc import Sequence
from itertools import pairwise

from llmcalc.errors import LlmcalcError
from llmcalc.inputs.vectors.reply import Row


def in_order(rows: Sequence[Row], where: str) -> list[Row]:
    """Return rows by their own index, where they have one.

    Raises LlmcalcError for an index that is there twice, is missing among others or
    is no whole number.

    >>> [row.vector for row in in_order([Row("b", order=1), Row("a", order=0)], "x")]
    ['a', 'b']
    """
    if len(rows) < 2 and (not rows or type(rows[0].order) is int):
        return list(rows)
    if all(row.order is None for row in rows):
        return list(rows)
    for number, row in enumerate(rows):
        if type(row.order) is not int:
            index = "missing" if row.order is None else f"{row.order!r:.40}"
            raise LlmcalcError(f"{where}: entry {number}: its index is {index}")
    ordered = sorted(rows, key=lambda row: row.order or 0)
    for before, after in pairwise(ordered):
        if before.order == after.order:
            raise LlmcalcError(f"{where}: index {after.order} is there twice")
    return ordered
