"""CSV and TSV: the column of log-probs, of surprisals (--nll) or probabilities.

A column that names documents parts the rows into documents; one of tokens gives
their text.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain

from llmcalc.errors import LlmcalcError
from llmcalc.inputs.delimited import (
    delimiter_of,
    is_number,
    pick_column,
    read_delimited,
)
from llmcalc.inputs.logprobs.document import Document, Where
from llmcalc.inputs.logprobs.parts import Context
from llmcalc.inputs.logprobs.table_columns import Columns, columns_of
from llmcalc.inputs.logprobs.table_pieces import Cell, pieces_of
from llmcalc.inputs.logprobs.text_lines import Lines
from llmcalc.inputs.source import parse_number

# Rows inside of a field: the quote that opened it was a token, not a quote.
_SWALLOWED = re.compile(r"[,;\t][ ]*-?[0-9.]+(?:[eE][+-]?[0-9]+)?[ ]*\r?\n")
NULLS = ("", "null", "none", "na", "n/a")


def read(lines: Lines, context: Context) -> Iterator[Document]:
    """Yield the documents of a table, long ones in pieces.

    Raises LlmcalcError where the column cannot be told, naming the choices, and
    naming the line of what is no number.
    """
    numbered = lines.numbered
    start, head = next(
        (number, text)
        for number, text in numbered
        if text.strip() and not text.lstrip().startswith("#")
    )
    text = chain([head], (line for _, line in numbered))
    marks = (mark for mark in "\t;," if mark in head)
    delimiter = delimiter_of(head) or next(marks, ",")
    table = read_delimited(text, delimiter, lines.name)
    rows = ((row.line + start - 1, row.fields) for row in table.rows)
    first = next(rows, None)
    if first is None:
        raise LlmcalcError(f"{lines.name}: the table has no rows")
    if table.header is None:
        columns = _by_number(first[1], lines.name, context)
    else:
        columns = columns_of(table.header, context.options, lines.name)
    width = len(table.header or first[1])
    cells = _cells(chain([first], rows), columns, width, lines.name)
    yield from pieces_of(cells, Where(lines.name), context)


def _by_number(row: Sequence[str], name: str, context: Context) -> Columns:
    """Return the only column of numbers of a table without a header."""
    chosen = context.options.column
    numeric = [index for index, field in enumerate(row) if is_number(field)]
    if chosen is None and len(numeric) == 1:
        return Columns(numeric[0])
    return Columns(pick_column(None, chosen, (), name))


def _cells(
    rows: Iterable[tuple[int, list[str]]], columns: Columns, width: int, name: str
) -> Iterator[Cell]:
    for line, fields in rows:
        if len(fields) != width:
            raise LlmcalcError(
                f"{name}: line {line}: has {len(fields)} columns, the first row "
                f"{width}: a delimiter or a quote that is not quoted"
            )
        if any("\n" in field and _SWALLOWED.search(field) for field in fields):
            raise LlmcalcError(
                f"{name}: line {line}: a quoted field holds rows; is a quote in a "
                "token not doubled?"
            )
        yield Cell(
            line,
            _value(fields[columns.logprob], line, name),
            _field(fields, columns.token),
            _field(fields, columns.document),
        )


def _field(fields: Sequence[str], column: int | None) -> str | None:
    return fields[column] if column is not None and column < len(fields) else None


def _value(field: str, line: int, name: str) -> float | None:
    try:
        return parse_number(field)
    except ValueError:
        if field.strip().lower() in NULLS:
            return None
        raise LlmcalcError(f"{name}: line {line}: {field!r} is not a number") from None
