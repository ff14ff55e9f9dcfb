r"""Postgres' COPY text: tabs, backslash escapes, ``\N`` for NULL; pgvector's types.

vector and halfvec are ``[1,2,3]``, sparsevec ``{1:0.5,3:2}/5`` (counted from 1), bit
``0101``, arrays ``{0.1,0.2}``. A pg_dump names the columns before its rows.
"""

import re
from collections.abc import Iterator

from llmcalc.errors import LlmcalcError
from llmcalc.inputs.delimited import Row
from llmcalc.inputs.vectors.cells import looks_like_vector
from llmcalc.inputs.vectors.column_kinds import NULL, is_bits
from llmcalc.inputs.vectors.table_rows import read_table
from llmcalc.inputs.vectors.text_input import TextInput, strict
from llmcalc.inputs.vectors.vector_set import VectorSet

_COPY = re.compile(r"COPY\s+(\S+)\s*(?:\((.*)\))?\s+FROM\s+stdin;", re.IGNORECASE)
_ESCAPE = re.compile(r"\\(.)")
_ESCAPES = {"t": "\t", "n": "\n", "r": "\r", "b": "\b", "f": "\f", "v": "\v"}


def recognise(text: TextInput) -> bool:
    """Return whether a text is a pg_dump, or rows of COPY with a vector in them."""
    if any(_COPY.match(line) for line in text.head):
        return True
    lines = [line for line in text.head if line]
    rows = [line.split("\t") for line in lines]
    if not lines or any(len(row) != len(rows[0]) for row in rows):
        return False
    if any(is_bits(column) for column in zip(*rows, strict=True)):
        return True
    first = rows[0]
    typed = any(looks_like_vector(field) or field == NULL for field in first)
    return typed and len(first) > 1 and any(map(looks_like_vector, _flat(rows)))


def _flat(rows: list[list[str]]) -> Iterator[str]:
    return (field for row in rows[:20] for field in row)


def read(text: TextInput) -> VectorSet:
    """Read the rows of the table that holds a vector."""
    lines = enumerate(strict(text).lines, 1)
    if not any(_COPY.match(line) for line in text.head):
        return read_table(text, None, _rows(lines), "pgvector")
    for _, line in lines:
        started = _COPY.match(line)
        if started is None:
            continue
        header = [name.strip(' "') for name in (started[2] or "").split(",")]
        block = list(_rows(lines))
        if any(looks_like_vector(field) for row in block[:1] for field in row.fields):
            return read_table(text, header, iter(block), "pgvector")
    raise LlmcalcError(f"{text.name}: no table of this dump holds a vector")


def _rows(lines: Iterator[tuple[int, str]]) -> Iterator[Row]:
    for number, line in lines:
        if line == "\\.":
            return
        if line:
            yield Row(number, [_unescaped(field) for field in line.split("\t")])


def _unescaped(field: str) -> str:
    if field == NULL or "\\" not in field:
        return field
    return _ESCAPE.sub(lambda found: _ESCAPES.get(found[1], found[1]), field)
