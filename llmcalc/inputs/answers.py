"""The right answer of each row, as indices: what calibration is measured against."""

from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from llmcalc.errors import LlmcalcError
from llmcalc.inputs.content import kind_of, text_lines
from llmcalc.inputs.delimited import (
    delimiter_of,
    is_number,
    pick_column,
    read_delimited,
)
from llmcalc.inputs.numbers import Array, read_array, text_array
from llmcalc.inputs.source import Source, parse_number

# Names by which the answers of an archive or a table are known, best first.
_KNOWN = ("labels", "label", "answers", "answer", "targets", "target", "y")


def read_answers(source: Source, rows: int, n: int) -> NDArray[np.intp]:
    """Return [rows] indices from 0 to n - 1, of an array, a column or a table.

    Raises LlmcalcError for another count, and naming the place of what is no index.
    """
    array = _array(source)
    values: NDArray[Any] = np.ravel(array.values)
    if len(values) != rows:
        raise LlmcalcError(
            f"{source.name}: {len(values)} right answers for {rows} rows of logits"
        )
    with np.errstate(invalid="ignore"):
        wrong = np.flatnonzero(~((values >= 0) & (values < n) & (values % 1 == 0)))
    for index in wrong[:1]:
        at = [int(i) for i in np.unravel_index(index, array.values.shape)]
        raise LlmcalcError(
            f"{source.name}: {array.place(at)}: {values[index]:g} is no index "
            f"from 0 to {n - 1}"
        )
    return values.astype(np.intp)


def _array(source: Source) -> Array:
    with source.open() as stream:
        text = kind_of(stream.peek(4096)) == "text"
        lines = list(text_lines(stream, source.name)) if text else []
    if not text:
        return read_array(source, _KNOWN)
    first = next((line for line in lines if line.partition("#")[0].strip()), "")
    words = first.partition("#")[0].replace(",", " ").replace(";", " ").split()
    if source.part is None and all(map(is_number, words)):
        return text_array(iter(lines), source.name)
    return _column(lines, delimiter_of(first) or ",", source)


def _column(lines: Sequence[str], delimiter: str, source: Source) -> Array:
    """Read the column of a table that is asked for, known, or the only one."""
    table = read_delimited(lines, delimiter, source.name)
    column = 0
    if source.part is not None or len(table.header or ()) != 1:
        column = pick_column(table.header, source.part, _KNOWN, source.name)
    numbers, places = [], []
    for row in table.rows:
        try:
            numbers.append(parse_number(row.fields[column]))
        except (ValueError, IndexError):
            raise LlmcalcError(
                f"{source.name}: line {row.line}: no index in column {column}"
            ) from None
        places.append(row.line)
    return Array(source.name, np.array(numbers), partial(_line, places))


def _line(lines: Sequence[int], index: Sequence[int]) -> str:
    return f"line {lines[index[0]]}"
