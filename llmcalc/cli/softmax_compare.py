"""`llmcalc softmax --compare`: which rows are held against which, token by token.

Start-up is a feature: numpy is not needed here.
"""

from collections.abc import Sequence
from functools import partial
from typing import Any

from llmcalc.cli.softmax_words import ROWS
from llmcalc.core.logit_checks import Place
from llmcalc.errors import LlmcalcError
from llmcalc.inputs.logits import Logits, read_logits
from llmcalc.inputs.source import resolve_file


def compared(
    logits: Logits, against: str, position: int | None
) -> tuple[Logits, Logits]:
    """Return the logits and what each row of theirs is compared with.

    ``against`` is a file or the word rows. Tokens that both name are matched by name.
    Raises LlmcalcError where counts of rows or tokens differ, or names.
    """
    if against == ROWS:
        logits, others = _two_rows(logits)
    else:
        others = _file(against)
    if position is not None:
        logits = logits.pick(position)
        others = others.pick(position) if len(others.rows) > 1 else others
    if len(others.rows) not in (1, len(logits.rows)):
        raise LlmcalcError(
            f"{others.name} has {len(others.rows)} rows, {logits.name} has "
            f"{len(logits.rows)}"
        )
    return logits, _matched(logits, others)


def _two_rows(logits: Logits) -> tuple[Logits, Logits]:
    if len(logits.rows) != 2:
        raise LlmcalcError(
            f"--compare rows takes two rows; {logits.name} has {len(logits.rows)}"
        )
    return logits.pick(0), logits.pick(1)


def _file(text: str) -> Logits:
    try:
        source = resolve_file(text)
    except LlmcalcError:
        raise LlmcalcError(
            f"--compare: {text!r} is neither a temperature nor a file"
        ) from None
    return read_logits([source])


def _matched(logits: Logits, others: Logits) -> Logits:
    """Return the others with their tokens in the order of the logits' names."""
    shared = len(others.rows) == 1
    orders: list[Sequence[int] | None] = []
    for row, mine in enumerate(logits.rows):
        other = 0 if shared else row
        if len(mine) != len(others.rows[other]):
            raise LlmcalcError(
                f"{others.place(other, None)}: {len(others.rows[other])} tokens, "
                f"{logits.place(row, None)} has {len(mine)}: they must be the same ones"
            )
        names, named = logits.row_labels(row), others.row_labels(other)
        if names is None or named is None or names == named:
            orders.append(None)
            continue
        places = f"{others.place(other, None)}: ", f"{logits.place(row, None)}"
        orders.append(_order(names, named, places))
    if not any(orders):
        return others
    rows = [others.rows[0 if shared else row] for row in range(len(orders))]
    return others._replace(
        rows=[_moved(row, order) for row, order in zip(rows, orders, strict=True)],
        place=partial(_moved_place, others.place, orders, shared),
    )


def _order(
    names: Sequence[str], named: Sequence[str], places: tuple[str, str]
) -> list[int]:
    """Return where each name stands among ``named``; equal names in order."""
    found: dict[str, list[int]] = {}
    for index in range(len(named) - 1, -1, -1):
        found.setdefault(named[index], []).append(index)
    order = []
    for name in names:
        if not found.get(name):
            raise LlmcalcError(
                f"{places[0]}has no token {name!r} of {places[1]}: they must be the "
                "same ones"
            )
        order.append(found[name].pop())
    return order


def _moved(row: Any, order: Sequence[int] | None) -> Any:
    return row if order is None else [float(row[index]) for index in order]


def _moved_place(
    place: Place,
    orders: Sequence[Sequence[int] | None],
    shared: bool,
    row: int,
    index: int | None,
) -> str:
    order = orders[row]
    at = index if index is None or order is None else order[index]
    return place(0 if shared else row, at)
