"""Server-sent events, as ``curl -N`` saves them -> their JSON values.

Comments (``: keep-alive``), event names and blank lines are no data; ``[DONE]``
closes a stream. Dumps that lost their blank lines are read as well.
"""

import re
from collections.abc import Callable, Iterable, Iterator
from typing import Any, NamedTuple

from llmcalc.errors import LlmcalcError
from llmcalc.inputs.json_records import loader

# A line of an event begins like this.
START = re.compile(r"(data:|event:|id:|retry:|:)")
DONE = "[DONE]"


class Event(NamedTuple):
    """The value of one event (None: the stream is done), and its line."""

    value: Any
    line: int


def events(lines: Iterable[str], name: str, start: int = 1) -> Iterator[Event]:
    """Yield the JSON value of each event.

    Raises LlmcalcError naming the line that is no event, or whose JSON is cut off.

    >>> [e.value for e in events(['data: {"a":1}', ": ping", "data: [DONE]"], "x")]
    [{'a': 1}, None]
    """
    loads = loader()
    pending: list[str] = []
    first = start
    for number, line in enumerate(lines, start):
        if not line.strip():
            if pending:
                raise _cut_off(name, first, pending)
            continue
        field = START.match(line)
        if field is None:
            raise LlmcalcError(
                f"{name}: line {number}: {line[:40]!r} is no server-sent event"
            )
        if field.group() != "data:":
            continue
        first = first if pending else number
        pending.append(line[len("data:") :].removeprefix(" "))
        if pending[0].strip() == DONE:
            pending = []
            yield Event(None, number)
            continue
        whole, value = _parsed(loads, "\n".join(pending), name, first)
        again = not whole and len(pending) > 1 and pending[-1].startswith("{")
        if again and _parsed(loads, pending[-1], name, number).whole:
            raise _cut_off(name, first, pending[:-1])
        # The JSON of one event may go over several data lines.
        if whole:
            pending = []
            yield Event(value, first)
    if pending:
        raise _cut_off(name, first, pending)


class _Parsed(NamedTuple):
    whole: bool
    value: Any


def _parsed(loads: Callable[[str], Any], text: str, name: str, line: int) -> _Parsed:
    try:
        return _Parsed(True, loads(text))
    except RecursionError:
        raise LlmcalcError(
            f"{name}: line {line}: the JSON is nested too deeply"
        ) from None
    except ValueError:
        return _Parsed(False, None)


def _cut_off(name: str, line: int, pending: list[str]) -> LlmcalcError:
    import json

    text = "\n".join(pending)
    try:
        json.loads(text)
    except json.JSONDecodeError as error:
        if text[error.pos :].strip() and "Unterminated" not in error.msg:
            return LlmcalcError(f"{name}: line {line}: not JSON: {text[:40]!r}")
    except ValueError:
        return LlmcalcError(f"{name}: line {line}: not JSON: {text[:40]!r}")
    return LlmcalcError(f"{name}: line {line}: the JSON of this event is cut off")
