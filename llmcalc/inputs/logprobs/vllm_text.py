"""prompt_logprobs out of the text of a reply, three times as fast as JSON is parsed.

A position has one entry that counts and some that do not, and nearly all of a file is
positions. So the lists are taken out of the text by a regular expression that accepts
only what is JSON in the two ways that servers and json.dumps write it, and the rest
is parsed as JSON with holes in their places. A list that differs in anything (other
spacing, -Infinity, an id twice) is parsed as JSON altogether: same result, slower.
"""

import re
from collections.abc import Callable
from functools import cache
from typing import Any, NamedTuple

FIELD = '"prompt_logprobs":'
# No reply holds this text where a list of log-probs should be.
HOLE = "\0prompt_logprobs "
# So many positions show whether a file was sorted anew.
LOOKED_AT = 16

_NUMBER = r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?"
_STRING = r'"[^"\\\x00-\x1f]*(?:\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})[^"\\\x00-\x1f]*)*"'
# ~ stands for the blank after a comma or colon, where there is one.
_ENTRY = r'{"logprob":~%s,~"rank":~(?:0|[1-9][0-9]*),~"decoded_token":~%s}'
_OWN = r'"([0-9]+)":~' + _ENTRY % (f"({_NUMBER})", f"({_STRING})")
_OTHER = r'"(?!\1")[0-9]+":~' + _ENTRY % (_NUMBER, _STRING)
_GROUPS = re.Match.groups
_POSITION = "{" + _OWN + f"(?:,~{_OTHER})*" + r"}(?:,~(?={)|(?=\]))"


class OwnEntries(NamedTuple):
    """The first entries of a list of positions, and the text that they stand in."""

    nulls: int  # positions without entries; they come first
    ids: tuple[str, ...]
    values: list[float]
    tokens: tuple[str, ...]  # as JSON strings
    text: str
    start: int  # of the first position
    looked_at: int  # where the first LOOKED_AT of them end
    end: int  # of the last position

    def positions(self, whole: bool) -> list[Any]:
        """Return the positions as JSON has them; not whole: the first with entries."""
        import json

        end = self.end if whole else self.looked_at
        parsed: list[Any] = json.loads(f"[{self.text[self.start : end].rstrip(', ')}]")
        return [None] * self.nulls + parsed if whole else parsed


def loads_with(loads: Callable[[str], Any]) -> Callable[[str], Any]:
    """Return a parser like ``loads`` that reads prompt_logprobs into OwnEntries.

    >>> import json
    >>> text = '{"prompt_logprobs":[null,{"7":{"logprob":-0.5,"rank":1,' \\
    ...     '"decoded_token":"a"},"9":{"logprob":-9.5,"rank":2,"decoded_token":"b"}}]}'
    >>> loads_with(json.loads)(text)["prompt_logprobs"].values
    [-0.5]
    """

    def parse(text: str) -> Any:
        if FIELD not in text:
            return loads(text)
        own, rest = _taken_out(text)
        value = loads(rest)
        if own:
            _fill(value, own)
        return value

    return parse


def _taken_out(text: str) -> tuple[list[OwnEntries], str]:
    """Return the lists of a text, and the text with holes where they were."""
    own: list[OwnEntries] = []
    rest: list[str] = []
    done = 0
    field = text.find(FIELD)
    while field >= 0:
        start = field + len(FIELD)
        found = _scanned(text, start)
        if found is not None:
            rest += [text[done:start], f'"\\u0000{HOLE[1:]}{len(own)}"']
            own.append(found)
            done = start = found.end + 1
        field = text.find(FIELD, start)
    rest.append(text[done:])
    return own, "".join(rest)


def _scanned(text: str, start: int) -> OwnEntries | None:
    """Return the list that starts here; None for what is none or unusual."""
    blank = " " if text.startswith(" ", start) else ""
    if not text.startswith("[", start + len(blank)):
        return None
    at = start + len(blank) + 1
    nulls = 0
    null = f"null,{blank}"
    while text.startswith(null, at):
        nulls, at = nulls + 1, at + len(null)
    first, found = at, []
    for match in _pattern(blank).finditer(text, at):
        if match.start() != at:
            break
        at = match.end()
        found.append(match)
    if not found or not text.startswith("]", at):
        return None
    ids, values, tokens = zip(*map(_GROUPS, found), strict=True)
    floats = list(map(float, values))
    looked_at = found[:LOOKED_AT][-1].end()
    return OwnEntries(nulls, ids, floats, tokens, text, first, looked_at, at)


@cache
def _pattern(blank: str) -> re.Pattern[str]:
    return re.compile(_POSITION.replace("~", blank))


def _fill(value: Any, own: list[OwnEntries]) -> None:
    """Put the lists into their holes."""
    left = [value]
    while left:
        found = left.pop()
        if isinstance(found, list):
            left += found
        elif isinstance(found, dict):
            hole = found.get("prompt_logprobs")
            if isinstance(hole, str) and hole.startswith(HOLE):
                found["prompt_logprobs"] = own[int(hole[len(HOLE) :])]
            left += found.values()
