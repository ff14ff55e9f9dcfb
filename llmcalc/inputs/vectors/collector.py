"""Rows with their labels and places, as a file gives them -> one set of vectors.

Start-up is a feature: numpy loads only when vectors are read.
"""

from array import array
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from llmcalc.inputs.vectors.row_buffer import RowBuffer, check_finite
from llmcalc.inputs.vectors.vector_set import Packed, VectorSet, label_words

NO_INDEX = -1
# Of rows that stand in no text.
NO_LINE = 0


class Collector:
    """The rows of one file as they come, with the line (and index) of each."""

    def __init__(self, name: str) -> None:
        """Start empty; ``name`` is the file's, for messages."""
        self.name = name
        self.buffer = RowBuffer(name)
        self.labels: list[str | int | None] = []
        self.lines = array("q")
        self.indices = array("q")

    def add(
        self,
        vector: Any,
        label: str | int | None,
        line: int,
        index: int = NO_INDEX,
    ) -> None:
        """Append one vector: a list of numbers, or a 1-D array.

        Raises LlmcalcError naming the line for another length than the first, and
        for a component that is no number.
        """
        self.buffer.add(vector, partial(place_of, self.name, line, index, label))
        self.labels.append(label)
        self.lines.append(line)
        self.indices.append(index)

    def finish(
        self, form: str, notes: Sequence[str] = (), packed: Packed | None = None
    ) -> VectorSet:
        """Return the set. Raises LlmcalcError for none, and for NaN or infinity."""
        rows = self.buffer.finish()
        place = places(self.lines, self.indices)
        labels = labels_or_none(self.labels)
        found = VectorSet(self.name, rows, labels, place, form, packed, list(notes))
        check_finite(rows, found.where_of_many)
        return found


def place_of(
    name: str, line: int, index: int = NO_INDEX, label: str | int | None = None
) -> str:
    """Return the words for a place in a file, and for the label of what is there.

    >>> place_of("a.json", 3, 0), place_of("a.txt", 3, label="the")
    ('a.json: line 3, index 0', "a.txt: line 3 (label 'the')")
    """
    places = [f"line {line}"] if line != NO_LINE else []
    places += [f"index {index}"] if index != NO_INDEX else []
    return f"{name}: {', '.join(places)}{label_words(label)}"


def places(lines: Sequence[int], indices: Sequence[int]) -> Callable[[int], str]:
    """Return the function that names the place of a row."""
    one_line = len(lines) > 1 and lines[0] == lines[-1]

    def place(row: int) -> str:
        if one_line:
            return f"index {indices[row]}"
        return place_of("", lines[row], indices[row])[2:]

    return place


def labels_or_none(labels: Sequence[str | int | None]) -> list[str | int] | None:
    """Return the labels, with the row's index where one of several has none."""
    if all(label is None for label in labels):
        return None
    return [row if label is None else label for row, label in enumerate(labels)]
