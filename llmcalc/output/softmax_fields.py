"""The JSON object of softmax: the keys of the contract for one row and for many.

Start-up is a feature: no numpy, no rich.
"""

import math
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

from llmcalc.core.questions import ALL_ORDERS, Row, Settings

FIGURES = (
    "logsumexp", "entropy_nats", "entropy_bits", "effective_choices", "greedy", "ties",
    "top1", "gap",
)  # fmt: skip
LN_BASE = {"e": 1.0, "2": math.log(2)}


class Shown(NamedTuple):
    """What the rows are called and how they are to be written.

    ``labels`` has one list for all rows or one a row; ``shape`` are the axes before
    the last, () for one row; ``base`` is that of the log-probabilities; ``log``
    prints them instead of probabilities; ``show`` tokens or rows are listed in the
    table.
    """

    settings: Settings
    shape: tuple[int, ...] = ()
    labels: Sequence[Sequence[str]] | None = None
    listed_mass: Sequence[float] | None = None
    base: str = "e"
    log: bool = False
    show: int = 10

    def row_labels(self, row: int) -> Sequence[str] | None:
        """Return the labels of a row, None where it has none."""
        if self.labels is None:
            return None
        return self.labels[row if len(self.labels) > 1 else 0]


class EachRow:
    """A value of every row, worked out again each time, nested as the axes were."""

    def __init__(
        self,
        rows: Callable[[], Iterator[Row]],
        pick: Callable[[Row], Any],
        shape: tuple[int, ...],
    ) -> None:
        self._rows = rows
        self._pick = pick
        self._shape = shape

    def __iter__(self) -> Iterator[Any]:
        flat = (as_list(self._pick(row)) for row in self._rows())
        for _ in range(self._shape[0]):
            yield _nested(flat, self._shape[1:])


def as_list(values: Any) -> Any:
    """Return an array as nested lists, anything else as it is."""
    return values.tolist() if hasattr(values, "tolist") else values


def _nested(flat: Iterator[Any], shape: tuple[int, ...]) -> Any:
    if not shape:
        return next(flat)
    return [_nested(flat, shape[1:]) for _ in range(shape[0])]


def nested(values: Sequence[Any], shape: tuple[int, ...]) -> Any:
    """Return a value a row nested as the axes were, alone for one row.

    >>> nested([1, 2, 3, 4], (2, 2)), nested([7], ())
    ([[1, 2], [3, 4]], 7)
    """
    return _nested(iter(values), shape)


def logs(row: Row, base: str) -> Sequence[float]:
    """Return the log-probabilities of a row in a base."""
    logprobs: Any = row.softmax.logprobs
    if base == "e":
        return logprobs  # type: ignore[no-any-return]
    if isinstance(logprobs, list):
        return [value / LN_BASE[base] for value in logprobs]
    return logprobs / LN_BASE[base]  # type: ignore[no-any-return]


def row_fields(row: Row, shown: Shown, number: int = 0) -> dict[str, Any]:
    """Return the JSON object of one row."""
    fields: dict[str, Any] = {
        "n": row.softmax.n,
        "temperature": row.softmax.temperature,
        "order": shown.settings.order,
    }
    if shown.base != "e":
        fields["base"] = shown.base
    if (labels := shown.row_labels(number)) is not None:
        fields["labels"] = list(labels)
    fields["logits"] = row.logits
    if shown.settings.order == ALL_ORDERS:
        return {**fields, "masked": row.masked, "orders": order_objects(row)}
    fields["probs"] = row.softmax.probs
    fields["logprobs"] = logs(row, shown.base)
    fields |= zip(FIGURES, figures(row), strict=True)
    fields["masked"] = row.masked
    if row.kept is not None:
        fields["kept"] = row.kept
    if shown.listed_mass is not None:
        fields["listed_mass"] = shown.listed_mass[number]
    fields.update(answers(row, shown))
    return fields


def figures(row: Row) -> tuple[Any, ...]:
    """Return the single figures of a row's distribution, named by ``FIGURES``."""
    found = row.softmax
    return (
        found.logsumexp,
        found.entropy_nats,
        found.entropy_bits,
        found.effective_choices,
        found.greedy,
        found.ties,
        found.top1,
        found.gap,
    )


def answers(row: Row, shown: Shown) -> dict[str, Any]:
    """Return what was asked for beside the distribution."""
    fields: dict[str, Any] = {}
    if row.counts is not None:
        fields |= {"counts": row.counts, "seed": shown.settings.seed}
    if row.sweep:
        fields["sweep"] = [point._asdict() for point in row.sweep]
    if row.kl is not None:
        fields["kl_nats"], fields["kl_reverse_nats"] = row.kl
    return fields


def order_objects(row: Row) -> list[dict[str, Any]]:
    """Return what each engine leaves; one without a filter says which it lacks."""
    objects: list[dict[str, Any]] = []
    for point in row.orders:
        if point.missing:
            objects.append({"order": point.order, "missing": list(point.missing)})
        else:
            fields = point._asdict()
            del fields["missing"]
            objects.append(fields)
    return objects
