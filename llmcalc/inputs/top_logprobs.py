"""Top log-probs of server replies: each position is a row of labelled log-probs.

Unknown JSON is refused, never searched for numbers.
"""

import math
from collections.abc import Callable, Iterable, Mapping
from typing import Any, NamedTuple

from llmcalc.errors import LlmcalcError
from llmcalc.inputs.logprobs.checks import is_sentinel
from llmcalc.inputs.top_lists import FAMILIES, Entry, Found

# A log-prob up to this is 0 with a rounding.
_ROUNDING = 1e-6


class Position(NamedTuple):
    """The tokens listed at one position; sentinels are -inf and counted."""

    path: str
    labels: list[str]
    logprobs: list[float]
    sentinels: int

    @property
    def listed_mass(self) -> float:
        """Probability that the listed tokens cover."""
        return math.fsum(map(math.exp, self.logprobs))


def positions(values: Iterable[tuple[str, Any]], name: str) -> list[Position]:
    """Return every position of replies, given as (place, JSON value), in order.

    Raises LlmcalcError for a reply of no known shape, one without top log-probs, and
    an entry that is no log-prob, naming its place.

    >>> reply = {"logprobs": [{"top_logprobs": [{"token": "a", "logprob": -0.5}]}]}
    >>> positions([("record 1", reply)], "x")[0].labels
    ['a']
    """
    found: list[Position] = []
    recognised: set[str] = set()
    for place, value in values:
        for family, read in FAMILIES.items():
            where = f"{name}: {place}" if place else name
            for path, entries in _guarded(read, _body(value), f"{where}: {family}"):
                recognised.add(family)
                if entries:
                    where = f"{place}: {path}" if place else path
                    found.append(_position(where, entries, name))
    if found:
        return found
    if recognised:
        raise LlmcalcError(
            f"{name}: no top log-probs are in this reply ({', '.join(recognised)}); "
            "ask the server for top_logprobs"
        )
    raise LlmcalcError(
        f"{name}: this JSON is neither numbers (--key names those of an object) nor a "
        f"reply with top log-probs; known are {', '.join(FAMILIES)}"
    )


def _guarded(
    read: Callable[[Any], Found], body: Any, place: str
) -> list[tuple[str, list[Entry]]]:
    try:
        return list(read(body)) if isinstance(body, Mapping) else []
    except (KeyError, TypeError, AttributeError, IndexError, ValueError) as error:
        lacking = f": no {error}" if isinstance(error, KeyError) else ""
        raise LlmcalcError(
            f"{place}: the reply is damaged or of another shape{lacking}"
        ) from None


def _body(value: Any) -> Any:
    """The reply itself where a batch file wraps it."""
    response = value.get("response") if isinstance(value, Mapping) else None
    return response.get("body") if isinstance(response, Mapping) else value


def _position(path: str, entries: list[Entry], name: str) -> Position:
    logprobs = [_logprob(entry, f"{name}: {path}") for entry in entries]
    sentinels = sum(
        not entry.is_prob and is_sentinel(float(entry.value)) for entry in entries
    )
    return Position(path, [entry.label for entry in entries], logprobs, sentinels)


def _logprob(entry: Entry, place: str) -> float:
    value, kind = entry.value, "probability" if entry.is_prob else "log-prob"
    if isinstance(value, str) and value.lower().lstrip("-") in ("infinity", "inf"):
        value = -math.inf
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise LlmcalcError(f"{place}: {entry.label!r}: {value!r:.40} is no {kind}")
    if entry.is_prob:
        if not 0 <= value <= 1 + _ROUNDING:
            raise LlmcalcError(f"{place}: {entry.label!r}: {value} is no {kind}")
        return math.log(value) if value else -math.inf
    if not value <= _ROUNDING:
        raise LlmcalcError(f"{place}: {entry.label!r}: {value} is no {kind}")
    return -math.inf if is_sentinel(value) else float(value)
