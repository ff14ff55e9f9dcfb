"""JSON documents of a stream: one, several after one another, or one a line.

Start-up is a feature: json loads only when a file holds some.
"""

from collections.abc import Callable, Iterator
from io import BufferedReader
from typing import Any, NamedTuple

from llmcalc.errors import LlmcalcError
from llmcalc.inputs.content import text_lines

Loads = Callable[[str], Any]


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
    """Yield the JSON documents of a stream as they end; a line each costs no memory.

    Bare NaN and Infinity are read as floats. Raises LlmcalcError naming the line
    where a document is cut off, is no JSON, or is nested too deeply. ``loads`` parses
    a line of JSONL, ``start`` is the number of the first line.
    """
    loads = loads or loader()
    number = 0
    lines = enumerate(text_lines(stream, name, start=start), start)
    for first, line in lines:
        if not line.strip():
            continue
        try:
            value = loads(line)
        except RecursionError:
            raise _too_deep(name, first) from None
        except ValueError:
            # Not one document on one line: the rest is read as a whole.
            rest = "\n".join([line, *(later for _, later in lines)])
            yield from _documents(rest, first, number, name)
            return
        number += 1
        yield Record(value, first, number)


def _documents(text: str, line: int, number: int, name: str) -> Iterator[Record]:
    import json
    import re

    decode = json.JSONDecoder().raw_decode
    blank = re.compile(r"[\s\x1e]*").match
    position = _skipped(blank, text, 0)
    counted = 0
    while position < len(text):
        line += text.count("\n", counted, position)
        counted = position
        try:
            value, end = decode(text, position)
        except RecursionError:
            raise _too_deep(name, line) from None
        except json.JSONDecodeError as error:
            raise _broken(error, text, line, counted, name) from None
        except ValueError:
            # Python refuses integers of thousands of digits.
            raise LlmcalcError(
                f"{name}: line {line}: an integer is too long to be read"
            ) from None
        number += 1
        yield Record(value, line, number)
        position = _skipped(blank, text, end)


def _skipped(blank: Callable[[str, int], Any], text: str, position: int) -> int:
    end: int = blank(text, position).end()
    return end


def _broken(error: Any, text: str, line: int, counted: int, name: str) -> LlmcalcError:
    at = line + text.count("\n", counted, error.pos)
    if not text[error.pos :].strip() or error.msg.startswith("Unterminated string"):
        return LlmcalcError(
            f"{name}: line {at}: the JSON that starts on line {line} is cut off"
        )
    shown = text[error.pos : error.pos + 20].partition("\n")[0]
    return LlmcalcError(
        f"{name}: line {at}: not JSON: {error.msg[:1].lower()}{error.msg[1:]} "
        f"at {shown!r}"
    )


def _too_deep(name: str, line: int) -> LlmcalcError:
    return LlmcalcError(f"{name}: line {line}: the JSON is nested too deeply")
