"""A text that may hold vectors: its first lines, all its lines, and number parsing."""

import re
from collections.abc import Callable, Iterable, Iterator
from typing import Any, NamedTuple

from llmcalc.errors import LlmcalcError
from llmcalc.inputs.delimited import is_number
from llmcalc.inputs.json_records import loader
from llmcalc.inputs.source import parse_number

# Enough lines to see what a table is, few enough to wait for on a pipe; of the widest
# vectors two.
HEAD_LINES, HEAD_CHARACTERS, HEAD_LEAST = 200, 1 << 16, 2
_BYTES = re.compile("[\udc80-\udcff]")
_RANGE = re.compile(r"(\d+)-(\d*)")


class TextInput(NamedTuple):
    """The lines of a text, what the user asked of it, and its first lines to look at.

    Bytes that are no UTF-8 are kept as surrogates: word vectors hold such words.
    """

    name: str
    head: list[str]
    lines: Iterator[str]
    part: str | None
    dtype: str | None

    def content(self) -> list[str]:
        """Return the first lines that are neither empty nor a comment."""
        return [
            line
            for line in self.head
            if line.strip() and not line.lstrip().startswith("#")
        ]


def first_lines(lines: Iterator[str]) -> list[str]:
    """Take the lines that show what a text is from the front of an iterator."""
    head: list[str] = []
    size = 0
    for line in lines:
        head.append(line)
        size += len(line)
        enough = size >= HEAD_CHARACTERS and len(head) >= HEAD_LEAST
        if enough or len(head) == HEAD_LINES:
            break
    return head


def head_text(head: bytes, name: str) -> TextInput:
    """Return the whole lines among the first bytes of a file, to look at."""
    lines = head.decode(errors="surrogateescape").split("\n")[:HEAD_LINES]
    whole = lines[:-1] or lines
    return TextInput(name, whole, iter(whole), None, None)


def strict(text: TextInput) -> TextInput:
    """Return the same text, whose lines raise LlmcalcError where they are no UTF-8."""
    return text._replace(lines=_strict_lines(text.lines, text.name))


def _strict_lines(lines: Iterable[str], name: str) -> Iterator[str]:
    for number, line in enumerate(lines, 1):
        if not line.isascii() and (found := _BYTES.search(line)) is not None:
            raise LlmcalcError(
                f"{name}: line {number}: byte 0x{ord(found[0]) - 0xDC00:02x} is not "
                "UTF-8; convert the file, for example with iconv"
            )
        yield line


def word(text: str) -> str:
    """Return a word whose letters may have been cut: what is no UTF-8 is replaced."""
    if text.isascii() or _BYTES.search(text) is None:
        return text
    return text.encode("utf-8", "surrogateescape").decode("utf-8", "replace")


def number_parser(name: str) -> Callable[[str, int], list[Any]]:
    """Return the function that reads the numbers of a line, whatever parts them.

    A JSON parser is the quickest reader of numbers that there is; what is no JSON
    number (``.5``, ``+1``, ``nan``) is read one by one. The function raises
    LlmcalcError naming the line and what is not a number.

    >>> number_parser("x")("1 -.5,2e3 # three", 1)
    [1.0, -0.5, 2000.0]
    """
    loads = loader()

    def numbers(text: str, line: int) -> list[Any]:
        commas = text if "," in text else ",".join(text.split())
        try:
            found: list[Any] = loads(f"[{commas}]")
        except (ValueError, RecursionError):
            return slow_numbers(text, line, name)
        return found

    return numbers


def slow_numbers(text: str, line: int, name: str) -> list[float]:
    """Return the numbers of a line with any separators and a comment."""
    if "," in text and ";" in text:
        raise LlmcalcError(
            f"{name}: line {line}: commas and semicolons: decimal commas? "
            "write numbers with a decimal point"
        )
    words = text.partition("#")[0].replace(",", " ").replace(";", " ").split()
    try:
        return [parse_number(entry) for entry in words]
    except ValueError:
        wrong = next(entry for entry in words if not is_number(entry))
        raise LlmcalcError(
            f"{name}: line {line}: {wrong[:40]!r} is not a number"
        ) from None


def column_range(part: str | None, width: int) -> range | None:
    """Return the columns that ``--column 1-384`` or ``1-`` names, 0-based, inclusive.

    >>> column_range("1-", 4), column_range("name", 4)
    (range(1, 4), None)
    """
    asked = _RANGE.fullmatch(part or "")
    if asked is None:
        return None
    return range(int(asked[1]), int(asked[2]) + 1 if asked[2] else width)
