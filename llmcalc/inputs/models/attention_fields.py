"""The fields of a config.json as attention needs them: numbers, checked, by name."""

import sys
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from llmcalc.errors import LlmcalcError

# Beyond it, a double is no longer every whole number.
_LARGEST = 2**53


class Fields(NamedTuple):
    """A config's object, what messages call it, and what was noticed in reading it."""

    values: Mapping[str, Any]
    name: str
    assumed: list[str]
    notes: list[str]

    def get(self, path: str) -> Any:
        """Return the value at a dotted path, None where it is missing or null."""
        value: Any = self.values
        for key in path.split("."):
            value = value.get(key) if isinstance(value, Mapping) else None
        return value

    def number(self, path: str) -> float | None:
        """Return a number, None where it is missing; the first of a list of stages."""
        value = self.get(path)
        if isinstance(value, list) and value:
            self.notes.append(f"{path} has {len(value)} stages; this is the first")
            value = value[0]
        if value is None:
            return None
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise LlmcalcError(f"{self.name}: {path}: {value!r:.40} is not a number")
        if not abs(value) <= sys.float_info.max:
            raise LlmcalcError(
                f"{self.name}: {path}: is not finite: no double holds it"
            )
        return float(value)

    def positive(self, path: str) -> float | None:
        """Return a number above 0, None where it is missing."""
        value = self.number(path)
        if value is not None and value <= 0:
            raise LlmcalcError(f"{self.name}: {path}: {value} is not above 0")
        return value

    def whole(self, path: str, least: int = 1) -> int | None:
        """Return a whole number, None where it is missing."""
        value = self.number(path)
        if value is None:
            return None
        if value != int(value) or not least <= value <= _LARGEST:
            raise LlmcalcError(
                f"{self.name}: {path}: {value:g} is not a whole number from {least} on"
            )
        return int(value)

    def first(self, paths: Sequence[str]) -> tuple[str, int] | None:
        """Return the first of several names that is there, with its whole number."""
        for path in paths:
            value = self.whole(path)
            if value is not None:
                return path, value
        return None

    def assume(self, path: str, value: float) -> float:
        """Return a default, and remember that the config did not say it."""
        self.assumed.append(f"{path} = {value:g}")
        return value
