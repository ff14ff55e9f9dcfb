"""Numbers alone: a vector a line, or one number a line as one vector.

Blanks, tabs, commas or semicolons part them; empty lines and ``#`` comments are
skipped and counted. llama-embedding's ``raw`` and TensorBoard's vectors.tsv are this.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from llmcalc.errors import LlmcalcError
from llmcalc.inputs.vectors.collector import Collector
from llmcalc.inputs.vectors.number_blocks import Entry, Vector, vectors_of
from llmcalc.inputs.vectors.text_input import TextInput, column_range, number_parser
from llmcalc.inputs.vectors.vector_set import VectorSet

_INTEGER = re.compile(r"\+?\d+")


def recognise(text: TextInput) -> bool:
    """Return whether a text may be this: it is what no other family is."""
    return bool(text.head)


def read(text: TextInput) -> VectorSet:
    """Read the rows. Raises LlmcalcError naming the line of a ragged one."""
    chosen = column_range(text.part, _width(text))
    if text.part is not None and chosen is None:
        raise LlmcalcError(
            f"{text.name}: no column {text.part!r}: plain numbers have no names; "
            "choose with --column FROM-TO, counted from 0"
        )
    if chosen is None:
        _refuse_ids(text)
    rows = Collector(text.name)
    single: list[float] = []
    for line, _, numbers in vectors_of(_entries(text.lines), _reader(text.name)):
        row, label = numbers, None
        if chosen is not None:
            label = _label(numbers) if chosen.start == 1 else None
            row = numbers[chosen.start : chosen.stop]
        if single or (len(row) == 1 and not rows.lines):
            _add_single(single, row, line, text.name)
        else:
            rows.add(row, label, line)
    if single:
        rows.add(single, None, 1)
    return rows.finish("numbers")


def _entries(lines: Iterator[str]) -> Iterator[Entry]:
    for number, line in enumerate(lines, 1):
        plain = line.strip(" \t,;")
        if plain and not plain.startswith("#"):
            yield Entry(number, None, plain)


def _reader(name: str) -> Callable[[Entry], Vector]:
    numbers = number_parser(name)
    return lambda entry: Vector(entry.line, None, numbers(entry.text, entry.line))


def _label(entries: Sequence[Any]) -> str | int | None:
    """Return the first entry of a line as a label: a number, or a quoted text."""
    if not len(entries):
        return None
    first = entries[0]
    if isinstance(first, float) and first.is_integer():
        return int(first)
    return first if isinstance(first, str | int) else str(first)


def _add_single(single: list[float], row: list[float], line: int, name: str) -> None:
    if len(row) != 1:
        raise LlmcalcError(
            f"{name}: line {line}: has {len(row)} numbers, the lines before it have 1"
        )
    if row[0] != row[0] or row[0] in (float("inf"), float("-inf")):
        raise LlmcalcError(f"{name}: line {line}: is {row[0]}")
    single.append(row[0])


def _fields(line: str) -> list[str]:
    plain = line.partition("#")[0]
    return plain.replace(",", " ").replace(";", " ").split()


def _width(text: TextInput) -> int:
    return max((len(_fields(line)) for line in text.content()[:1]), default=0)


def _refuse_ids(text: TextInput) -> None:
    """Raise LlmcalcError where a first column of integers may be an id.

    It may where it alone is written without a point, and no number in it comes twice.
    """
    table = [_fields(line) for line in text.content()]
    if len(table) < 2 or len(table[0]) < 3:
        return
    first = [row[0] for row in table if row]
    if len(set(first)) == len(first) and all(_like_id(row) for row in table):
        raise LlmcalcError(
            f"{text.name}: the first column holds integers and no other does: ids or "
            "components? --column 1- leaves it out, --column 0- takes it in"
        )


def _like_id(row: Sequence[str]) -> bool:
    return _INTEGER.fullmatch(row[0]) is not None and not any(
        _INTEGER.fullmatch(entry.lstrip("-")) for entry in row[1:]
    )
