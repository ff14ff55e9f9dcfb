"""JSON replies and records -> one set of vectors, in order, with labels and places.

Start-up is a feature: numpy loads only when vectors are read.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import partial
from io import BufferedReader
from typing import TYPE_CHECKING, Any

from llmcalc.errors import LlmcalcError
from llmcalc.inputs.json_records import Record, records
from llmcalc.inputs.vectors.cells import parse_cell
from llmcalc.inputs.vectors.collector import NO_INDEX, Collector, place_of
from llmcalc.inputs.vectors.element_types import FLOAT32, raw_type
from llmcalc.inputs.vectors.encodings import from_base64
from llmcalc.inputs.vectors.reply import Reply, Row, counted_values
from llmcalc.inputs.vectors.reply_order import in_order
from llmcalc.inputs.vectors.row_buffer import integers
from llmcalc.inputs.vectors.vector_set import Packed, VectorSet

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from llmcalc.inputs.vectors.family import JsonFamily

# Lists of whole numbers are these types where a reply or --dtype says so.
_INTEGERS = ("int8", "uint8", "binary", "ubinary")
# What begins a printed vector and is no letter of base64.
_PRINTED = re.compile(r"[\[({.]|\d[\s,]")
# A look that is quicker for nearly all base64: no vector is printed in these.
_LETTERS = re.compile(r"[A-Za-z0-9+/]{64}")


def read_json(
    stream: BufferedReader, name: str, part: str | None, dtype: str | None
) -> VectorSet:
    """Read every reply, record and array of a JSON file, whatever its family.

    Raises LlmcalcError naming the line for JSON of no known shape.
    """
    gathered = Gathered(name, part, dtype)
    for record in records(stream, name):
        gathered.add(record)
    return gathered.finish()


class Gathered:
    """Rows of one file as they come."""

    def __init__(self, name: str, part: str | None, dtype: str | None) -> None:
        """Start empty; ``part`` names a field or type, ``dtype`` an element type."""
        self.name = name
        self.part = part
        self.raw = raw_type(dtype) if dtype is not None else None
        self.rows = Collector(name)
        self.notes: list[str] = []
        self.form = ""
        self.family: JsonFamily | None = None
        self.packed: set[bool] = set()

    def add(self, record: Record) -> None:
        """Append the rows of one JSON document."""
        self._add_value(record.value, record.line, NO_INDEX)

    def finish(self) -> VectorSet:
        """Return what was gathered. Raises LlmcalcError where that is nothing."""
        if not self.rows.lines and self.notes:
            raise LlmcalcError(f"{self.name}: holds no vector; {self.notes[0]}")
        if len(self.packed) > 1:
            raise LlmcalcError(f"{self.name}: mixes packed bits and numbers")
        packed: Packed | None = "ubinary" if True in self.packed else None
        found = self.rows.finish(self.form, self.notes, packed)
        found.notes.extend(self._doubts(found.rows))
        return found

    def _add_value(self, value: Any, line: int, index: int) -> None:
        where = place_of(self.name, line, index)
        family = self.family
        if family is None or not family.recognise(value):
            self.family = family = self._family_of(value)
        if family is not None:
            self.form = self.form or family.name
            reply = Reply(value, where, self.part, self.notes)
            self._add_rows(in_order(family.rows(reply), where), line, index)
        elif isinstance(value, list) and value and isinstance(value[0], dict):
            for number, item in enumerate(value):
                self._add_value(item, line, number)
        else:
            from llmcalc.inputs.vectors.json_families import unknown_json

            raise unknown_json(value, where)

    @staticmethod
    def _family_of(value: Any) -> JsonFamily | None:
        from llmcalc.inputs.vectors.json_families import json_family

        return json_family(value)

    def _add_rows(self, rows: Sequence[Row], line: int, index: int) -> None:
        for number, row in enumerate(rows):
            at = row.order if row.order is not None else number
            if len(rows) == 1 and row.order is None:
                at = index
            label = row.label
            if label is not None and not isinstance(label, str | int):
                label = str(label)
            where = partial(place_of, self.name, line, at, label)
            self.rows.add(self._vector(row, where), label, line, at)

    def _vector(self, row: Row, where: Callable[[], str]) -> Any:
        """Return the list or array of one row; text is decoded."""
        vector, kind = row.vector, row.kind
        if isinstance(vector, dict):
            vector = counted_values(vector) or vector
        raw = raw_type(kind) if kind is not None else self.raw
        if isinstance(vector, list):
            if raw is None or raw.name not in _INTEGERS:
                self.packed.add(False)
                return vector
            self.packed.add(raw.packed)
            return integers(vector, raw, where)
        if not isinstance(vector, str):
            what = "null" if vector is None else f"{vector!r:.40}"
            raise LlmcalcError(f"{where()}: the vector is {what}, not a list")
        try:
            if not _LETTERS.match(vector) and _PRINTED.search(vector[:64]):
                self.packed.add(False)
                return parse_cell(vector)
            raw = raw or FLOAT32
            self.packed.add(raw.packed)
            return from_base64(vector, raw)
        except ValueError as error:
            raise LlmcalcError(f"{where()}: {error}") from None

    def _doubts(self, rows: NDArray[Any]) -> list[str]:
        """Return a note where packed bits can't be told from 8-bit components."""
        if self.raw is not None or self.form != "openai":
            return []
        if rows.dtype.kind != "f" or (abs(rows[:1]) > 255).any():
            return []
        if (rows[:64] % 1 != 0).any():
            return []
        return [
            f"{self.name}: whole numbers are read as components; "
            "--dtype binary or ubinary reads them as packed bits"
        ]
