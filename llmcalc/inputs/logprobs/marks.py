"""Marks: one-line patterns that tell a shape of JSON by the fields it has."""

from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

_KINDS: dict[str, Callable[[Any], bool]] = {
    "number": lambda value: type(value) in (int, float),
    "string": lambda value: isinstance(value, str),
    "list": lambda value: isinstance(value, list),
    "object": lambda value: isinstance(value, dict),
}


def has(value: Any, mark: str) -> bool:
    """Return whether a JSON value has the fields that a mark names.

    ``a[].b`` is a field b that is not null of some object in the list a; ``:number``,
    ``:string``, ``:list`` and ``:object`` ask for a kind, ``=text`` for a beginning,
    and `` & `` joins what must hold together.

    >>> has({"choices": [{"text": "x", "logprobs": None}]}, "choices[].logprobs")
    False
    >>> has({"type": "response.created"}, "type=response.")
    True
    """
    return all(_reaches(value, steps, want) for steps, want in _parsed(mark))


@cache
def _parsed(mark: str) -> tuple[tuple[tuple[str, ...], str], ...]:
    wanted = []
    for part in mark.split(" & "):
        path, kind, want = part.partition(":")
        if not kind:
            path, kind, want = part.partition("=")
        steps = path.replace("[]", ".[]").split(".")
        wanted.append((tuple(step for step in steps if step), kind + want))
    return tuple(wanted)


def _reaches(value: Any, steps: Sequence[str], want: str) -> bool:
    for done, step in enumerate(steps):
        if step == "[]":
            rest = steps[done + 1 :]
            return isinstance(value, list) and any(
                _reaches(item, rest, want) for item in value
            )
        if not isinstance(value, dict):
            return False
        value = value.get(step)
    if want.startswith("="):
        return isinstance(value, str) and value.startswith(want[1:])
    return _KINDS[want[1:]](value) if want else value is not None
