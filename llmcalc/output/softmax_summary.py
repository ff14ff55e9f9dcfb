"""The figures of many softmax rows, collected as they pass by.

Start-up is a feature: no numpy, no rich.
"""

from collections.abc import Iterable
from typing import Any, NamedTuple

from llmcalc.core.logit_checks import Place
from llmcalc.core.questions import Row
from llmcalc.output.softmax import row_warnings
from llmcalc.output.softmax_fields import FIGURES, Shown, figures
from llmcalc.output.softmax_lines import order_counts


class Summary(NamedTuple):
    """The figures of every row, a list each; nothing as long as a row is kept.

    ``orders`` has what each engine leaves, with counts of candidates.
    """

    n: list[int]
    temperature: list[float]
    figures: dict[str, list[Any]]
    kept: list[int]
    sweep: list[Any]
    kl: list[tuple[float, float]]
    orders: list[Any]
    warnings: list[str]


def summarize(rows: Iterable[Row], shown: Shown, place: Place) -> Summary:
    """Return the figures of rows as they pass by, and the warnings about them."""
    found = Summary([], [], {key: [] for key in FIGURES}, [], [], [], [], [])
    for number, row in enumerate(rows):
        found.n.append(row.softmax.n)
        found.temperature.append(row.softmax.temperature)
        for values, value in zip(found.figures.values(), figures(row), strict=True):
            values.append(value)
        asked: tuple[tuple[list[Any], Any], ...] = (
            (found.kept, None if row.kept is None else len(row.kept)),
            (found.sweep, row.sweep or None),
            (found.kl, row.kl),
            (found.orders, order_counts(row) or None),
        )
        for answers, given in asked:
            if given is not None:
                answers.append(given)
        found.warnings.extend(row_warnings(row, shown, place, number))
    return found
