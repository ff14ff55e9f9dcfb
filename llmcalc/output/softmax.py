"""The result of softmax on one row -> its report.

Start-up is a feature: rich loads only for a table or a picture.
"""

import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any

from llmcalc.core.filters import option_name
from llmcalc.core.logit_checks import Place
from llmcalc.core.questions import ALL_ORDERS, Row
from llmcalc.output.report import Report
from llmcalc.output.softmax_fields import (
    Shown,
    as_list,
    logs,
    row_fields,
)
from llmcalc.output.softmax_lines import order_counts, order_line, order_row, token_rows
from llmcalc.output.text import plain_lines, value_text

if TYPE_CHECKING:
    from rich.console import RenderableType

    from llmcalc.output.canvas import Canvas

# Rounding may lift a sum of probabilities above 1 by this.
_MASS_ROUNDING = 1e-6


def report(row: Row, shown: Shown, warnings: Iterable[str], one_object: bool) -> Report:
    """Return the report of one row; ``one_object`` makes jsonl the whole object."""
    rows: Callable[[], Iterable[Mapping[str, Any]]] = partial(_table, row, shown)
    fields = row_fields(row, shown)
    if one_object:
        rows = partial(_single, fields)
    return Report(
        fields=fields,
        headline=headline(shown),
        view=partial(_view, row, shown),
        rows=rows,
        warnings=tuple(warnings),
        plain=partial(_plain, row, shown),
    )


def headline(shown: Shown) -> str:
    """Return the key that plain prints: what was asked for last.

    >>> from llmcalc.core.questions import Settings
    >>> headline(Shown(Settings())), headline(Shown(Settings(sweep=(1.0,))))
    ('probs', 'sweep')
    """
    settings = shown.settings
    if settings.order == ALL_ORDERS:
        return "orders"
    if settings.sweep:
        return "sweep"
    if settings.draws is not None:
        return "counts"
    return "logprobs" if shown.log else "probs"


def row_warnings(
    row: Row, shown: Shown, place: Place, number: int = 0
) -> Iterator[str]:
    """Yield what a person should know of a row's distribution."""
    found = row.softmax
    if row.logits[found.greedy] == math.inf:
        yield (
            f"{place(number, found.greedy)}: the logit is +inf and takes all the mass; "
            "most often an overflow upstream"
        )
    if found.temperature == 0 and found.ties > 1:
        yield (
            f"{place(number, None)}: {found.ties} logits tie at the maximum and share "
            f"the mass at T = 0; a greedy decoder takes index {found.greedy}"
        )
    for field, words in row.filter_ties:
        yield f"{place(number, None)}: {option_name(field)} {words}"
    if shown.listed_mass is None:
        return
    mass = shown.listed_mass[number]
    if mass > 1 + _MASS_ROUNDING:
        yield (
            f"{place(number, None)}: the listed mass is {mass:.6g}, above 1: these are "
            "no log-probs of one distribution"
        )
    elif found.temperature > 1:
        yield (
            f"{place(number, None)}: the listed tokens cover {mass:.6g} of the mass; "
            "what is missing grows with T > 1 and is not in these figures"
        )


def _view(row: Row, shown: Shown, canvas: "Canvas") -> "Iterable[RenderableType]":
    from llmcalc.output.softmax_view import view

    return view(row, shown, canvas)


def _plain(row: Row, shown: Shown, precision: int | None) -> Iterator[str]:
    name = headline(shown)
    if shown.settings.target is not None and name in ("probs", "logprobs"):
        return iter([value_text(row.softmax.temperature, precision)])
    if row.kl is not None and name in ("probs", "logprobs"):
        return iter([value_text(list(row.kl), precision)])
    if name == "orders":
        return (order_line(point, precision) for point in order_counts(row))
    if name in ("probs", "logprobs"):
        values = as_list(logs(row, shown.base) if shown.log else row.softmax.probs)
        if precision is None:
            # All lines at once: a vocabulary is long, and a call a line costs.
            return iter(["\n".join(map(repr, values))])
        return plain_lines(values, precision)
    return plain_lines(row_fields(row, shown)[name], precision)


def _single(fields: Mapping[str, Any]) -> Iterable[Mapping[str, Any]]:
    return [fields]


def _table(row: Row, shown: Shown) -> Iterator[Mapping[str, Any]]:
    """Yield the rows of tsv and csv: temperatures, engines, or a line a token."""
    if shown.settings.order == ALL_ORDERS:
        return map(order_row, order_counts(row))
    if row.sweep:
        return (point._asdict() for point in row.sweep)
    return token_rows(row, shown)
