"""CSV and TSV (RFC 4180): which text is delimited, its header, its columns.

Start-up is a feature: csv loads only when a file is delimited.
"""

import itertools
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from llmcalc.errors import LlmcalcError
from llmcalc.inputs.source import parse_number

# No cell of a real table comes near this; embeddings in one cell pass csv's own limit.
MAX_CELL = 1 << 27


class Row(NamedTuple):
    """The fields of one row and the line on which it starts."""

    line: int
    fields: list[str]


class Delimited(NamedTuple):
    """A table of text: its column names, if it has some, and its rows."""

    header: list[str] | None
    rows: Iterator[Row]


def delimiter_of(first_line: str) -> str | None:
    """Return the character that parts the fields of a line, or None for plain numbers.

    >>> delimiter_of("token,logprob"), delimiter_of("Paris\\t7"), delimiter_of("1, 2")
    (',', '\\t', None)
    """
    content = first_line.partition("#")[0].replace(",", " ").replace(";", " ")
    words = content.split()
    if words and all(is_number(word) for word in words):
        return None
    return next((mark for mark in "\t,;" if mark in first_line), None)


def read_delimited(lines: Iterable[str], delimiter: str, name: str) -> Delimited:
    """Return the header and rows of delimited text; comment lines may come first.

    A first row is a header where none of its fields is a number, or where the fields
    after the first count 0, 1, 2 ... as a table writer names columns.
    """
    rows = _rows(lines, delimiter, name)
    first = next(rows, None)
    if first is None:
        return Delimited(None, rows)
    if _is_header(first.fields):
        return Delimited([field.strip() for field in first.fields], rows)
    return Delimited(None, itertools.chain([first], rows))


def pick_column(
    header: Sequence[str] | None, part: str | None, known: Sequence[str], name: str
) -> int:
    """Return the index of the column asked for by name (or 0-based number), or known.

    ``known`` are the names that a column of this kind goes by, best first. Raises
    LlmcalcError that names the choices.
    """
    columns = list(header or [])
    if part is not None:
        if part in columns:
            return columns.index(part)
        if part.isdecimal() and (not columns or int(part) < len(columns)):
            return int(part)
    else:
        lowered = [column.lower() for column in columns]
        for candidate in known:
            if lowered.count(candidate) == 1:
                return lowered.index(candidate)
    choices = ", ".join(columns) or "numbers from 0: it has no header"
    problem = "which column?" if part is None else f"no column {part!r};"
    raise LlmcalcError(f"{name}: {problem} choose with --column: {choices}")


def is_number(text: str) -> bool:
    """Return whether a text is a number as ``parse_number`` reads it."""
    try:
        parse_number(text)
    except ValueError:
        return False
    return True


def _is_header(fields: Sequence[str]) -> bool:
    if not any(is_number(field) for field in fields):
        return True
    counted = [str(index) for index in range(len(fields) - 1)]
    return len(fields) > 2 and not is_number(fields[0]) and fields[1:] == counted


def _rows(lines: Iterable[str], delimiter: str, name: str) -> Iterator[Row]:
    import csv

    csv.field_size_limit(MAX_CELL)
    numbered: Iterator[tuple[int, str]] = enumerate(lines, 1)
    skipped = 0
    for number, line in numbered:
        if line.strip() and not line.lstrip().startswith("#"):
            numbered = itertools.chain([(number, line)], numbered)
            break
        skipped = number
    text = (f"{line}\n" for _, line in numbered)
    reader = csv.reader(text, delimiter=delimiter, strict=True)
    start = skipped + 1
    try:
        for fields in reader:
            if any(field.strip() for field in fields) or len(fields) > 1:
                yield Row(start, fields)
            start = skipped + reader.line_num + 1
    except csv.Error as error:
        reason = str(error)
        if "expected after" in reason or "end of data" in reason:
            reason = "the quotes of a field do not end with it; double a quote inside"
        raise LlmcalcError(f"{name}: line {start}: {reason}") from None
