"""A VALUE of the command line -> typed numbers or a named stream."""

import errno
import os
import re
import sys
from collections.abc import Sequence
from functools import lru_cache
from io import BufferedReader
from pathlib import Path
from typing import BinaryIO, NamedTuple, cast

from llmcalc.errors import LlmcalcError
from llmcalc.inputs.compression import compression, decompressed, opened, read_once

STDIN = "<stdin>"
# Characters of an argument that a message repeats.
_SHOWN = 40
_NUMBER = re.compile(
    r"[+-]?(?:(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?|inf(?:inity)?|nan)",
    re.IGNORECASE | re.ASCII,
)


class Typed(NamedTuple):
    """Numbers typed as one argument; ``position`` counts arguments from 1."""

    text: str
    numbers: list[float]
    position: int

    @property
    def name(self) -> str:
        """What messages call this argument."""
        return f"argument {self.position} ({_short(self.text)})"


class Source(NamedTuple):
    """A named stream of bytes: a path, or standard input where ``path`` is None."""

    name: str
    path: str | None
    part: str | None = None

    def open(self) -> BufferedReader:
        """Open the decompressed bytes, buffered, with ``peek``.

        Raises LlmcalcError for a folder, a missing extra, or (while reading) for a
        damaged archive, and OSError where the machine fails.
        """
        if self.path is None:
            if sys.stdin is None:
                raise LlmcalcError(f"{self.name}: is closed")
            return read_once(self.name, getattr(sys.stdin, "buffer", sys.stdin))
        if Path(self.path).is_dir():
            raise LlmcalcError(f"{self.name}: is a folder, not a file")
        if not Path(self.path).is_file():
            return read_once(self.name, _pipe(self.path))
        return decompressed(self.name, opened(self.path))

    def plain_path(self) -> str | None:
        """Return the path of an uncompressed regular file, else None.

        Such a file may be memory-mapped or cut into ranges of bytes.
        """
        if self.path is None or not Path(self.path).is_file():
            return None
        with opened(self.path) as stream:
            return None if compression(stream.peek(8)) else self.path


Value = Typed | Source


@lru_cache(maxsize=4)
def _pipe(path: str) -> BinaryIO:
    """Open a pipe or a device, which gives its bytes once; it stays open."""
    descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_BINARY", 0))
    # Not closed on purpose, so not a file that was forgotten.
    return cast(BinaryIO, open(descriptor, "rb", 0, closefd=False))


def parse_number(text: str) -> float:
    """Return the double that a decimal text names; U+2212 counts as minus.

    Raises ValueError for anything else, ``1_000`` and non-ASCII digits included.

    >>> parse_number("\N{MINUS SIGN}.7")
    -0.7
    """
    plain = text.strip().replace("\N{MINUS SIGN}", "-")
    if _NUMBER.fullmatch(plain) is None:
        raise ValueError(f"{_short(text.strip())!r} is not a number")
    return float(plain)


def _short(text: str) -> str:
    return text if len(text) <= _SHOWN else text[: _SHOWN - 3] + "..."


def parse_numbers(text: str) -> list[float]:
    """Return the doubles of a list separated by commas or blanks.

    >>> parse_numbers("1,2,-3")
    [1.0, 2.0, -3.0]
    """
    pieces = re.split(r"\s*[,;]\s*|\s+", text.strip())
    if "" in pieces:
        raise ValueError("an entry is empty (write 1,2,3 without blanks)")
    return [parse_number(piece) for piece in pieces]


def resolve(values: Sequence[str] | None, part: str | None = None) -> list[Value]:
    """Return what each VALUE is: numbers, standard input, a file, or files of a glob.

    ``part`` (``--column``, ``--key``) picks a part of a file. Raises LlmcalcError
    for a VALUE that is none of these, for standard input asked for twice, and where
    nothing is given and nothing is piped in.
    """
    if not values:
        if sys.stdin is None or sys.stdin.closed or sys.stdin.isatty():
            raise LlmcalcError("no input: give numbers or a file, or pipe something in")
        return [Source(STDIN, None, part)]
    found: list[Value] = []
    for position, text in enumerate(values, 1):
        # The blank is the option parser's shield of negative numbers.
        bare = text[1:] if text.startswith(" -") else text
        found += _resolve_one(bare, position, part)
    if sum(isinstance(value, Source) and value.path is None for value in found) > 1:
        raise LlmcalcError("standard input (-) can be read only once")
    if part is not None and all(isinstance(value, Typed) for value in found):
        raise LlmcalcError(f"{found[0].name}: typed numbers have no part {part!r}")
    return found


def resolve_file(text: str, part: str | None = None) -> Source:
    """Return the file that an option names: ``-``, a path, or ``NAME:PART``.

    >>> resolve_file("-").name
    '<stdin>'
    """
    if text == "-":
        return Source(STDIN, None, part)
    source = _existing(text, part)
    if source is None:
        raise LlmcalcError(f"{_short(text) or repr(text)}: no such file")
    return source


def _resolve_one(text: str, position: int, part: str | None) -> Sequence[Value]:
    if text == "-":
        return [Source(STDIN, None, part)]
    if not text.strip():
        raise LlmcalcError(f"argument {position} is empty")
    try:
        return [Typed(text, parse_numbers(text), position)]
    except ValueError as error:
        not_numbers = error
    source = _existing(text, part)
    if source is not None:
        return [source]
    lacking = "no file of that name exists"
    if any(letter in text for letter in "*?["):
        import glob

        paths = sorted(glob.glob(text, recursive=True))  # noqa: PTH207 - absolute too
        if paths:
            return [Source(path, path, part) for path in paths]
        lacking = "no file matches it"
    shown = _short(text)
    if repr(shown) in str(not_numbers):
        raise LlmcalcError(f"{not_numbers} and {lacking}")
    raise LlmcalcError(f"{shown}: {not_numbers}, and {lacking}")


def _existing(text: str, part: str | None) -> Source | None:
    if _exists(text):
        return Source(text, text, part)
    path, colon, named = text.rpartition(":")
    if colon and named and _exists(path):
        if part is not None and part != named:
            raise LlmcalcError(f"{text}: asks for {named!r}, the option for {part!r}")
        return Source(path, path, named)
    return None


def _exists(path: str) -> bool:
    try:
        return bool(path) and Path(path).exists()
    except OSError as error:
        # A long list with a slip in it is no file either.
        if error.errno == errno.ENAMETOOLONG:
            return False
        raise
