"""Logits with the names of their tokens: ``label<TAB>logit`` lines and tables.

A label is text whatever it looks like: a number, blanks, quotes, ``#``.
"""

import itertools
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from llmcalc.errors import LlmcalcError
from llmcalc.inputs.delimited import (
    Row,
    delimiter_of,
    is_number,
    pick_column,
    read_delimited,
)
from llmcalc.inputs.source import parse_number

# Columns by which tables know a logit and its token, best first.
LOGIT_COLUMNS = ("logit", "logits", "logprob", "logprobs", "score", "value")
LABEL_COLUMNS = ("label", "token", "text", "word", "name", "id", "token_id")

# Headers under which a table writer numbers its rows.
_INDEX_COLUMNS = ("", "index", "row", "unnamed: 0")


class Labelled(NamedTuple):
    """Rows of numbers, the labels of their columns, and the line of each number.

    ``lines`` has one entry a number where ``rows`` is one row, else one a row.
    """

    rows: list[list[float]]
    labels: list[str]
    lines: list[int]
    note: str | None = None


def read_labelled(lines: Sequence[str], part: str | None, name: str) -> Labelled | None:
    """Return the logits of a text that names its tokens, None for plain numbers.

    ``label<TAB>logit`` on every line; or CSV and TSV (RFC 4180) with a header, where
    ``part`` or a known name picks the column of logits, or where every column is a
    token and every row a row of logits. Raises LlmcalcError naming the line that
    does not fit.

    >>> read_labelled([" the\\t6.5", "42\\t5.75"], None, "x").labels
    [' the', '42']
    """
    first = next((line for line in lines if _content(line)), None)
    if first is None:
        return None
    if part is None and "\t" in first and is_number(first.rpartition("\t")[2]):
        if first.count("\t") == 1 or delimiter_of(first) == "\t":
            return _pairs(lines, name)
        return None
    delimiter = delimiter_of(first)
    mark, *columns = first[:1], *first[1:].split(first[:1])
    if mark in (",", ";") and columns == [str(i) for i in range(len(columns))]:
        # A table writer's header of columns 0, 1, 2 ..., and none over the index.
        delimiter = mark
    if first.strip().lower() in {*LOGIT_COLUMNS, str(part).lower()}:
        # A table of one column: its header is the whole line.
        delimiter = ","
    if delimiter is None:
        return None
    table = read_delimited(lines, delimiter, name)
    if table.header is None:
        logit = -1 if part is None else pick_column(None, part, (), name)
        return _table(table.rows, (0, logit), name)
    return _with_header(table.header, table.rows, part, name)


def _content(line: str) -> bool:
    """Whether a line is no comment: ``#`` starts one, unless a logit follows a tab."""
    if line.lstrip().startswith("#"):
        return "\t" in line and is_number(line.rpartition("\t")[2])
    return bool(line.strip())


def _pairs(lines: Sequence[str], name: str) -> Labelled:
    labels, numbers, places = [], [], []
    for number, line in enumerate(lines, 1):
        if not _content(line):
            continue
        label, tab, last = line.rpartition("\t")
        if not tab or not is_number(last):
            raise LlmcalcError(
                f"{name}: line {number}: {line[:60]!r} is not label<TAB>logit"
            )
        labels.append(label)
        numbers.append(parse_number(last))
        places.append(number)
    note = None
    if all(is_number(label) for label in labels):
        note = (
            f"{name}: two columns parted by a tab are label<TAB>logit; for rows of two "
            "logits part them by commas or blanks"
        )
    return Labelled([numbers], labels, places, note)


def _with_header(
    header: list[str], rows: Iterator[Row], part: str | None, name: str
) -> Labelled:
    lowered = [column.lower() for column in header]
    known = any(column in LOGIT_COLUMNS for column in lowered)
    first = next(rows, None)
    if first is None:
        raise LlmcalcError(f"{name}: holds a header and no numbers")
    every = itertools.chain([first], rows)
    if part is None and not known and all(map(is_number, first.fields)):
        return _wide(header, every, name)
    logit = pick_column(header, part, LOGIT_COLUMNS, name)
    label = next((lowered.index(c) for c in LABEL_COLUMNS if c in lowered), None)
    if label is None:
        label = next((i for i, f in enumerate(first.fields) if not is_number(f)), logit)
    return _table(every, (label, logit), name)


def _table(rows: Iterator[Row], columns: tuple[int, int], name: str) -> Labelled:
    """Read the label and the logit of each row; one column has no labels."""
    label, logit = columns
    labels, numbers, places = [], [], []
    for row in rows:
        if len(row.fields) <= max(label, logit):
            raise LlmcalcError(f"{name}: line {row.line}: has {len(row.fields)} fields")
        numbers.append(_number(row.fields[logit], row.line, name))
        labels.append(row.fields[label])
        places.append(row.line)
    return Labelled([numbers], [] if label == logit else labels, places)


def _wide(header: list[str], rows: Iterator[Row], name: str) -> Labelled:
    """Read a row of logits a line, a token a column; numbers of rows are no logits."""
    found, places = [], []
    for row in rows:
        if len(row.fields) != len(header):
            raise LlmcalcError(
                f"{name}: line {row.line}: has {len(row.fields)} fields, "
                f"the header {len(header)}"
            )
        found.append([_number(field, row.line, name) for field in row.fields])
        places.append(row.line)
    first = [row[0] for row in found]
    if header[0].strip().lower() in _INDEX_COLUMNS and len(header) > 1:
        start = first[0]
        if start in (0, 1) and first == [start + i for i in range(len(first))]:
            note = f"{name}: the first column numbers the rows and is no token"
            rest = [row[1:] for row in found]
            return Labelled(rest, header[1:], places, note)
    return Labelled(found, header, places)


def _number(field: str, line: int, name: str) -> float:
    try:
        return parse_number(field)
    except ValueError as error:
        raise LlmcalcError(f"{name}: line {line}: {error}") from None
