"""Rows of logits from VALUEs: typed, text, labelled text, JSON, arrays, server replies.

Start-up is a feature: numpy, json and the readers of files load only for files.
"""

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

from llmcalc.errors import LlmcalcError
from llmcalc.inputs.source import Source, Typed

if TYPE_CHECKING:
    from llmcalc.core.logit_checks import Place


class Logits(NamedTuple):
    """Rows of logits; ``shape`` are the axes before the last, () for one row.

    ``rows`` is an array [rows, n] or a list of rows, which may differ in length;
    ``labels`` has one list for all rows or one a row; ``place`` names a logit;
    ``listed_mass`` is there where the input is top log-probs.
    """

    name: str
    rows: Any
    shape: tuple[int, ...]
    place: "Place"
    labels: list[list[str]] | None = None
    listed_mass: list[float] | None = None
    notes: tuple[str, ...] = ()

    def row_labels(self, row: int) -> list[str] | None:
        """Return the labels of one row, None where it has none."""
        if self.labels is None:
            return None
        return self.labels[row if len(self.labels) > 1 else 0]

    def pick(self, row: int) -> "Logits":
        """Return one row (or position) alone; LlmcalcError where there is none."""
        if not 0 <= row < len(self.rows):
            raise LlmcalcError(
                f"--position {row}: {self.name} has positions 0 to {len(self.rows) - 1}"
            )
        labels = self.row_labels(row)
        mass = self.listed_mass
        return self._replace(
            rows=self.rows[row : row + 1],
            shape=(),
            place=partial(_shifted, self.place, row),
            labels=None if labels is None else [labels],
            listed_mass=None if mass is None else [mass[row]],
        )


def read_logits(values: Sequence[Typed | Source]) -> Logits:
    """Return the logits of all VALUEs.

    Numbers typed one by one are one row; comma lists alone are a row each. Files are
    rows one after another. Raises LlmcalcError where numbers and files are mixed and
    for files that hold no logits.
    """
    typed = [value for value in values if isinstance(value, Typed)]
    sources = [value for value in values if isinstance(value, Source)]
    if typed and sources:
        raise LlmcalcError(f"{sources[0].name}: give numbers or files, not both")
    if typed:
        return _typed(typed)
    from llmcalc.inputs.logit_files import joined, read_file

    return joined([read_file(source) for source in sources])


def _typed(values: Sequence[Typed]) -> Logits:
    if len(values) > 1 and all(len(value.numbers) > 1 for value in values):
        rows = [value.numbers for value in values]
        return Logits("arguments", rows, (len(rows),), partial(_list_place, values))
    numbers = [number for value in values for number in value.numbers]
    return Logits("arguments", [numbers], (), partial(_typed_place, values))


def _list_place(values: Sequence[Typed], row: int, index: int | None) -> str:
    name = values[row].name
    return name if index is None else f"{name}: index {index}"


def _typed_place(values: Sequence[Typed], _: int, index: int | None) -> str:
    if index is None:
        return "the arguments"
    left = index
    for value in values:
        if left < len(value.numbers):
            place = "" if len(value.numbers) == 1 else f": index {left}"
            return f"{value.name}{place}"
        left -= len(value.numbers)
    return f"index {index}"


def _shifted(place: "Place", start: int, row: int, index: int | None) -> str:
    return place(start + row, index)
