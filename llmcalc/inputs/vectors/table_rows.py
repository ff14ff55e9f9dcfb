"""The rows of a table, once its columns are chosen -> vectors with labels."""

import itertools
from collections.abc import Callable, Iterator
from typing import Any

from llmcalc.errors import LlmcalcError
from llmcalc.inputs.delimited import Row, is_number
from llmcalc.inputs.json_records import loader
from llmcalc.inputs.source import parse_number
from llmcalc.inputs.vectors.cells import packed_bits, parse_cell
from llmcalc.inputs.vectors.collector import Collector
from llmcalc.inputs.vectors.column_kinds import NULL
from llmcalc.inputs.vectors.element_types import FLOAT32, raw_type
from llmcalc.inputs.vectors.llm_text import decoded, is_encoded
from llmcalc.inputs.vectors.table_columns import (
    Columns,
    Table,
    choose_columns,
    table_of,
)
from llmcalc.inputs.vectors.text_input import HEAD_LINES, TextInput, word
from llmcalc.inputs.vectors.vector_set import Packed, VectorSet

# Looked at to see what the columns are.
_SAMPLED_CELLS = 4000


def read_table(
    text: TextInput, header: list[str] | None, rows: Iterator[Row], form: str
) -> VectorSet:
    """Read the rows of a table, whose vector is a cell, many columns, or a column.

    Raises LlmcalcError naming the line of a row that has other fields than the
    first, or a cell that is no vector.
    """
    sample = list(itertools.islice(rows, 2))
    if not sample:
        raise LlmcalcError(f"{text.name}: holds no rows")
    more = min(HEAD_LINES, _SAMPLED_CELLS // max(1, len(sample[0].fields)))
    sample += itertools.islice(rows, more)
    table = table_of(text.name, header, sample)
    columns = choose_columns(table, text.part)
    full = _full_rows(itertools.chain(sample, rows), table)
    if columns.form == "column":
        return _read_column(full, table, columns, form)
    found = Collector(text.name)
    packed: Packed | None = None
    vector_of = _cell_reader(text) if columns.form == "cell" else _components(columns)
    for row in full:
        vector = vector_of(row, columns.vector[0], table)
        if not isinstance(vector, list) and vector.dtype.kind == "u":
            packed = "ubinary"
        found.add(vector, _label(row, columns), row.line)
    return found.finish(form, columns.notes, packed)


def _label(row: Row, columns: Columns) -> str | None:
    if columns.label is None or row.fields[columns.label] == NULL:
        return None
    return word(row.fields[columns.label])


def _full_rows(rows: Iterator[Row], table: Table) -> Iterator[Row]:
    """Yield the rows, each with as many fields as the first."""
    width = len(table.kinds)
    for row in rows:
        if len(row.fields) != width:
            raise LlmcalcError(
                f"{table.name}: line {row.line}: has {len(row.fields)} fields, "
                f"{'the header' if table.header else 'the first row'} has {width}"
            )
        yield row


def _read_column(
    rows: Iterator[Row], table: Table, columns: Columns, form: str
) -> VectorSet:
    """Read one column of numbers as one vector."""
    [index] = columns.vector
    vector = []
    line = 0
    for line, fields in rows:
        vector.append(_number(fields[index], table, line, index))
    found = Collector(table.name)
    found.add(vector, None, line)
    return found.finish(form)


def _components(columns: Columns) -> Callable[[Row, int, Table], list[Any]]:
    """Return the function that reads the numbers of several columns."""
    loads = loader()

    def vector_of(row: Row, _first: int, table: Table) -> list[Any]:
        cells = [row.fields[index] for index in columns.vector]
        try:
            found: list[Any] = loads(f"[{','.join(cells)}]")
        except (ValueError, RecursionError):
            found = []
        if len(found) == len(cells):
            return found
        return [
            _number(cell, table, row.line, index)
            for cell, index in zip(cells, columns.vector, strict=True)
        ]

    return vector_of


def _cell_reader(text: TextInput) -> Callable[[Row, int, Table], Any]:
    """Return the function that reads the vector in one cell."""
    raw = raw_type(text.dtype) if text.dtype else FLOAT32

    def vector_of(row: Row, index: int, table: Table) -> Any:
        cell = row.fields[index].strip()
        where = f"{table.name}: line {row.line}: column {table.column(index)}"
        if cell in ("", NULL):
            raise LlmcalcError(f"{where}: the vector is {'NULL' if cell else 'empty'}")
        bits = packed_bits(cell)
        if bits is not None:
            return bits
        try:
            return decoded(cell, raw) if is_encoded(cell) else parse_cell(cell)
        except LlmcalcError:
            raise
        except ValueError as error:
            raise LlmcalcError(f"{where}: {error}") from None

    return vector_of


def _number(cell: str, table: Table, line: int, index: int) -> float:
    if is_number(cell):
        return parse_number(cell)
    problem = f"{cell.strip()[:40]!r} is not a number" if cell.strip() else "is empty"
    raise LlmcalcError(
        f"{table.name}: line {line}: column {table.column(index)}: {problem}"
    )
