"""Lines of numbers -> vectors, many lines at once where no fast JSON parser is there.

A JSON parser reads the numbers of a line; Python's own is slower than arrays that
read a block of lines. Both give the same doubles, and what a block cannot read goes
line by line, which has the words for it.

Start-up is a feature: numpy loads only when vectors are read.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

from llmcalc.inputs.json_records import loader

if TYPE_CHECKING:
    from numpy.typing import NDArray

# Characters of a block: enough for the arrays to be long, few enough for the cache.
_BLOCK = 1 << 17
_TO_LINE_FEED = bytes.maketrans(b" \t,;", b"\n\n\n\n")


class Entry(NamedTuple):
    """The numbers of one line as text, its number, and its label."""

    line: int
    label: str | None
    text: str


class Vector(NamedTuple):
    """The numbers of one line: a list, or an array of doubles."""

    line: int
    label: str | None
    numbers: Any


def vectors_of(
    entries: Iterable[Entry], one: Callable[[Entry], Vector]
) -> Iterator[Vector]:
    """Yield the vector of each entry; ``one`` reads an entry by itself.

    Whatever ``one`` raises is raised at the same entry.
    """
    import json

    if loader() is not json.loads:
        yield from map(one, entries)
        return
    for block in _blocks(entries):
        rows = read_rows([entry.text for entry in block])
        if rows is None:
            yield from map(one, block)
        else:
            for entry, row in zip(block, rows, strict=True):
                yield Vector(entry.line, entry.label, row)


def _blocks(entries: Iterable[Entry]) -> Iterator[list[Entry]]:
    block: list[Entry] = []
    size = 0
    for entry in entries:
        block.append(entry)
        size += len(entry.text)
        if size >= _BLOCK:
            yield block
            block, size = [], 0
    if block:
        yield block


def read_rows(lines: list[str]) -> NDArray[Any] | None:
    """Return the numbers of lines as a matrix, or None where it takes a closer look.

    >>> read_rows(["1 -.5", "2e3, 4"]).tolist(), read_rows(["1 2", "3"])
    ([[1.0, -0.5], [2000.0, 4.0]], None)
    """
    import numpy as np

    from llmcalc.inputs.decimal_text import PAD, read_decimals

    try:
        raw = "\n".join([*lines, ""]).encode("ascii")
    except UnicodeEncodeError:
        return None
    if b"," in raw and b";" in raw:
        return None  # decimal commas, perhaps
    text = b"\n" * PAD + raw.translate(_TO_LINE_FEED)
    found = read_decimals(np.frombuffer(text, np.uint8))
    if found is None or not len(found.values):
        return None
    ends = np.cumsum([len(line) + 1 for line in lines]) + PAD
    counts = np.diff(np.searchsorted(found.ends, ends), prepend=0)
    if (counts != counts[0]).any():
        return None
    return found.values.reshape(len(lines), int(counts[0]))
