"""CSV and TSV: components in columns, or a printed vector in a cell, with labels."""

import itertools
import re

from llmcalc.inputs.delimited import Row, delimiter_of, is_number, read_delimited
from llmcalc.inputs.vectors.cells import looks_like_vector
from llmcalc.inputs.vectors.table_rows import read_table
from llmcalc.inputs.vectors.text_input import TextInput, strict
from llmcalc.inputs.vectors.vector_set import VectorSet

_QUOTED = re.compile(r'"(?:[^"]|"")*"')
_PARTS = re.compile(r"[\s,;]+")


def recognise(text: TextInput) -> bool:
    """Return whether the first line has fields that are not all numbers."""
    return _delimiter(text) is not None


def read(text: TextInput) -> VectorSet:
    """Read the rows of a table (RFC 4180), with or without a header."""
    delimiter = _delimiter(text) or ","
    counted = _is_counted(text)
    first = text.content()[0]
    start = text.head.index(first) + 1
    table = read_delimited(strict(text).lines, delimiter, text.name)
    header, rows = table.header, table.rows
    if header is not None and any(map(looks_like_vector, header)):
        # A first row of a text and a list: no number in it, and yet no header.
        rows = itertools.chain([Row(start, header)], rows)
        header = None
    elif header is None and counted:
        header = next(rows).fields
    found = read_table(text, header, rows, "table")
    if counted:
        found.notes.append(f"{text.name}: line {start} (0, 1, 2 ..) is taken as names")
    return found


def _delimiter(text: TextInput) -> str | None:
    """Return the character that parts the fields, or None where all are numbers."""
    content = text.content()
    if not content:
        return None
    # A quoted field may hold line breaks, and marks that part nothing.
    first = _QUOTED.sub("quoted", "\n".join(content)).partition("\n")[0]
    if first[0] in ",\t;":
        return first[0]
    if all(map(is_number, _PARTS.split(first.strip(" \t,;")))):
        return "," if _is_counted(text) else None
    return delimiter_of(first)


def _is_counted(text: TextInput) -> bool:
    """Return whether the first line is 0,1,2 .. as pandas names columns.

    It is no vector where every other line has a decimal point.
    """
    first, *others = text.content()
    fields = first.split(",")
    counted = [str(index) for index in range(len(fields))]
    return (
        len(fields) > 2
        and fields == counted
        and bool(others)
        and all("." in line for line in others)
    )
