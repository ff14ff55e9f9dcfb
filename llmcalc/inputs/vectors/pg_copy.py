r"""Postgres' COPY text: tabs, backslash escapes, ``\N`` for NULL; pgvector's types.

vector and halfvec are ``[1,2,3]``, sparsevec ``{1:0.5,3:2}/5`` (counted from 1), bit
``0101``, arrays ``{0.1,0.2}``. A pg_dump names the columns before its rows.
"""

import re
from collections.abc import Iterator

from llmcalc.errors import LlmcalcError
from llmcalc.inputs.delimited import Row
from llmcalc.inputs.vectors.cells import looks_like_vector
from llmcalc.inputs.vectors.table_rows import read_table
from llmcalc.inputs.vectors.text_input import TextInput, strict
from llmcalc.inputs.vectors.vector_set import VectorSet

_COPY = re.compile(r"COPY\s+(\S+)\s*(?:\((.*)\))?\s+FROM\s+stdin;", re.IGNORECASE)
_ESCAPE = re.compile(r"\\(.)")
_ESCAPES = {"t": "\t", "n": "\n", "r": "\r", "b": "\b", "f": "\f", "v": "\v"}
_BITS = re.compile(r"[01]{8,}")


def recognise(text: TextInput) -> bool:
    """Return whether a text is a pg_dump, or rows of COPY with a vector in them."""
    if any(_COPY.match(line) for line in text.head):
        return True
    lines = [line for line in text.head if line]
    if not lines:
        return False
    if "\t" in lines[0]:
        fields = [field for line in lines[:20] for field in line.split("\t")]
        return (
            any(looks_like_vector(f) or f.startswith("{1:") for f in fields)
            and all("\t" in line for line in lines)
            and not _is_header(lines[0])
        )
    # A column of bits alone; a number would not begin with a zero.
    return all(_BITS.fullmatch(line) for line in lines) and (
        len({len(line) for line in lines}) == 1
        and any(line.startswith("0") for line in lines)
    )


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


def _is_header(line: str) -> bool:
    return not any(looks_like_vector(field) for field in line.split("\t")) and (
        "\\N" not in line
    )


def _rows(lines: Iterator[tuple[int, str]]) -> Iterator[Row]:
    for number, line in lines:
        if line == "\\.":
            return
        if line:
            yield Row(number, [_unescaped(field) for field in line.split("\t")])


def _unescaped(field: str) -> str:
    if field == "\\N":
        return "NULL"
    if "\\" not in field:
        return field
    return _ESCAPE.sub(lambda found: _ESCAPES.get(found[1], found[1]), field)
