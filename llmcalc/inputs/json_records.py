"""JSON documents of a stream: one, several after one another, or one a line.

Start-up is a feature: json loads only when a file holds some.
"""

import re
from collections.abc import Callable, Generator, Iterable, Iterator
from io import BufferedReader
from typing import Any, NamedTuple

from llmcalc.errors import LlmcalcError
from llmcalc.inputs.content import text_lines

Loads = Callable[[str], Any]
Lines = Iterable[tuple[int, str]]  # with their numbers
# Whether a document of several lines has ended is tried at these lengths of text.
_HELD = 1 << 18
_GROWTH = 4
# Between documents; some files have record separators.
_BLANK = re.compile(r"[\s\x1e]*").match
# A number or a word that may be half of one.
_PIECE = re.compile(r"[-+.\w]+\s*").fullmatch


class Record(NamedTuple):
    """One JSON document, the line on which it starts, and its number from 1."""

    value: Any
    line: int
    number: int


def loader() -> Loads:
    """Return the quickest JSON parser that is installed.

    The extra ``fast`` brings orjson; what it refuses (NaN, lone surrogates, depth)
    is given to the standard library, so that both read the same.
    """
    import json

    try:
        import orjson
    except ModuleNotFoundError:
        return json.loads

    def loads(text: str | bytes) -> Any:
        try:
            return orjson.loads(text)
        except orjson.JSONDecodeError:
            return json.loads(text)

    return loads


def records(
    stream: BufferedReader, name: str, loads: Loads | None = None, start: int = 1
) -> Iterator[Record]:
    """Yield the JSON documents of a stream as they end, so that memory stays flat.

    Bare NaN and Infinity are read as floats. Raises LlmcalcError naming the line
    where a document is cut off, is no JSON, or is nested too deeply. ``loads`` parses
    a line of JSONL, ``start`` is the number of the first line.
    """
    lines = enumerate(text_lines(stream, name, start=start), start)
    found = _documents(lines, loads or loader(), name)
    for number, (value, line) in enumerate(found, 1):
        yield Record(value, line, number)


def _documents(lines: Lines, loads: Loads, name: str) -> Iterator[tuple[Any, int]]:
    """Yield the value of each document and its line.

    One that is not alone on one line is held until it ends. That is tried at sizes
    which grow by _GROWTH, so the trials cost a third of the work at most, and a fault
    in a long file is found where it is.
    """
    held: list[str] = []
    first = size = enough = 0
    for number, line in lines:
        if not held:
            if not line.strip():
                continue
            try:
                value = loads(line)
            except RecursionError:
                raise _too_deep(name, number) from None
            except ValueError:
                first, size, enough = number, 0, 0
            else:
                yield value, number
                continue
        held.append(line)
        size += len(line)
        if size >= enough:
            rest, first = yield from _ended("\n".join(held), first, name, False)
            held = [rest] if rest else []
            size, enough = len(rest), max(_HELD, _GROWTH * len(rest))
    yield from _ended("\n".join(held), first, name, True)


def _ended(
    text: str, line: int, name: str, whole: bool
) -> Generator[tuple[Any, int], None, tuple[str, int]]:
    """Yield the documents of a text; return what has not ended, and its line.

    Where the text is whole, all must have.
    """
    import json

    decode = json.JSONDecoder().raw_decode
    position = _skipped(text, 0)
    counted = 0
    while position < len(text):
        line += text.count("\n", counted, position)
        counted = position
        try:
            value, end = decode(text, position)
        except RecursionError:
            raise _too_deep(name, line) from None
        except json.JSONDecodeError as error:
            if not whole and not text[error.pos :].strip():
                return text[position:], line
            raise _broken(error, text, line, counted, name) from None
        except ValueError:
            # Python refuses integers of thousands of digits.
            raise LlmcalcError(
                f"{name}: line {line}: an integer is too long to be read"
            ) from None
        yield value, line
        position = _skipped(text, end)
    return "", line


def _skipped(text: str, position: int) -> int:
    blank = _BLANK(text, position)
    return blank.end() if blank else position


def _broken(error: Any, text: str, line: int, counted: int, name: str) -> LlmcalcError:
    at = line + text.count("\n", counted, error.pos)
    rest = text[error.pos :]
    if (
        not rest.strip()
        or error.msg.startswith("Unterminated string")
        or (error.pos > counted and _PIECE(rest))
    ):
        return LlmcalcError(
            f"{name}: line {at}: the JSON that starts on line {line} is cut off"
        )
    shown = rest[:20].partition("\n")[0]
    begun = f" (in what starts on line {line})" if at > line else ""
    return LlmcalcError(
        f"{name}: line {at}: not JSON: {error.msg[:1].lower()}{error.msg[1:]} "
        f"at {shown!r}{begun}"
    )


def _too_deep(name: str, line: int) -> LlmcalcError:
    return LlmcalcError(f"{name}: line {line}: the JSON is nested too deeply")
