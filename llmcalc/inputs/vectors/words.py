"""Word vectors as text: word2vec, gensim, fastText with a header, GloVe without.

A line is a word, a blank, and D numbers. Words may hold blanks, commas and quotes, and
look like numbers: the last D fields are the vector, all before is the word; only U+0020
parts them, since other blanks are letters of words.
"""

import re
from collections.abc import Iterator

from llmcalc.errors import LlmcalcError
from llmcalc.inputs.delimited import is_number
from llmcalc.inputs.json_records import loader
from llmcalc.inputs.vectors.collector import Collector
from llmcalc.inputs.vectors.number_blocks import Entry, Vector, vectors_of
from llmcalc.inputs.vectors.text_input import (
    TextInput,
    head_text,
    slow_numbers,
    word,
)
from llmcalc.inputs.vectors.vector_set import VectorSet

_HEADER = re.compile(r"\s*(\d{1,12})[ \t]+(\d{1,9})\s*")


def recognise_word2vec(text: TextInput) -> bool:
    """Return whether a text is ``N D`` and lines of a word and D numbers."""
    header = _HEADER.fullmatch(text.head[0]) if text.head else None
    if header is None or len(text.head) < 2:
        return False
    width = int(header[2])
    fields = _fields(text.head[1])
    if width < 1 or len(fields) <= width or not all(map(is_number, fields[-width:])):
        return False
    # "2 1", "3 5", ..: two numbers a line are rows, not words of one component.
    return width > 1 or not is_number(fields[0])


def recognise_glove(text: TextInput) -> bool:
    """Return whether a text has a word and as many numbers on each of its lines.

    A line that has not, among more that have, is an error for the reader to name.
    """
    lines = [line for line in text.head if line.strip()]
    if not lines or any("\t" in line for line in lines):
        return False
    width = _width(lines)
    if width < 2:
        return False
    good = [fields for line in lines if _is_row(fields := _fields(line), width)]
    named = any(f[0] and f[0][0] != "#" and not is_number(f[0]) for f in good)
    return named and _is_row(_fields(lines[0]), width) and 2 * len(good) > len(lines)


def begin(head: bytes, name: str) -> bool:
    """Return whether the first bytes are lines of words and vectors."""
    text = head_text(head, name)
    return recognise_word2vec(text) or recognise_glove(text)


def _is_row(fields: list[str], width: int) -> bool:
    return len(fields) > width and all(map(is_number, fields[-width:]))


def read_word2vec(text: TextInput) -> VectorSet:
    """Read the words of a text with a header.

    Raises LlmcalcError where the file holds more or fewer than the header says.
    """
    header = _HEADER.fullmatch(next(text.lines))
    count, width = (int(header[1]), int(header[2])) if header else (0, 0)
    found = _read(text, width, "word2vec", 2)
    if len(found.rows) != count:
        raise LlmcalcError(
            f"{text.name}: the header promises {count} vectors, the file holds "
            f"{len(found.rows)}"
        )
    return found


def read_glove(text: TextInput) -> VectorSet:
    """Read the words of a text without a header; its first lines tell D."""
    width = _width([line for line in text.head if line.strip()])
    return _read(text, width, "glove", 1)


def _read(text: TextInput, width: int, form: str, start: int) -> VectorSet:
    loads = loader()

    def one(entry: Entry) -> Vector:
        try:
            numbers = loads(f"[{entry.text.replace(' ', ',')}]")
        except (ValueError, RecursionError):
            numbers = []
        label = entry.label or ""
        if len(numbers) != width:
            line = f"{label} {entry.text}"
            label, numbers = _split(line, width, entry.line, text.name)
        return Vector(entry.line, label, numbers)

    rows = Collector(text.name)
    for line, label, numbers in vectors_of(_entries(text.lines, start), one):
        rows.add(numbers, word(label or ""), line)
    return rows.finish(form)


def _entries(lines: Iterator[str], start: int) -> Iterator[Entry]:
    for number, line in enumerate(lines, start):
        if line.strip():
            label, _, rest = line.rstrip(" ").partition(" ")
            yield Entry(number, label, rest)


def _split(line: str, width: int, number: int, name: str) -> tuple[str, list[float]]:
    """Return the word and the numbers of a line that isn't the plain case."""
    label, *fields = line.rsplit(" ", width)
    if "" in fields:
        # Columns that were lined up with more blanks than one.
        entries = _fields(line)
        label, fields = " ".join(entries[:-width]), entries[-width:]
    if len(fields) != width:
        raise LlmcalcError(
            f"{name}: line {number}: has {len(fields)} numbers after the word, "
            f"the first vector has {width}"
        )
    return label, slow_numbers(" ".join(fields), number, name)


def _fields(line: str) -> list[str]:
    """Return the fields of a line; an empty word in front counts as one."""
    fields = [field for field in line.split(" ") if field]
    return ["", *fields] if line.startswith(" ") else fields


def _width(lines: list[str]) -> int:
    """Return D: most words have no blank inside; of two counts the smaller is D + 1."""
    counts = sorted(len(_fields(line)) for line in lines)
    return max(dict.fromkeys(counts), key=counts.count) - 1
