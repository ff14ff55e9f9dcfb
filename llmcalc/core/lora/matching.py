"""PEFT's rules for names: lists by ending, expressions in full, layers by number.

Source: PEFT 0.21.2, tuners_utils.py (check_target_module_exists).
"""

import re
from collections.abc import Iterable
from typing import NamedTuple

from llmcalc.core.lora.layers import LoraConfig
from llmcalc.errors import LlmcalcError

# The number of the layer: the first that stands between two dots after a word.
_FIRST_NUMBER = r".*?\.[^.]*\.(?P<number>\d+)\."


class Names(NamedTuple):
    """A list of names, or one regular expression for the whole name.

    ``last`` are the last words of the list: a name that ends in none is no match.
    """

    listed: frozenset[str]
    expression: re.Pattern[str] | None
    last: frozenset[str] = frozenset()

    def match(self, name: str) -> str | None:
        """Return the entry that a module's name matches, or None.

        A list's entry matches itself and any name that ends in a dot and it; an
        expression must match the whole name.

        >>> names("--target", ("q_proj",)).match("layers.0.q_proj")
        'q_proj'
        >>> names("--target", ("proj",)).match("layers.0.q_proj") is None
        True
        """
        if self.expression is not None:
            return "" if self.expression.fullmatch(name) else None
        ending = name if name.rpartition(".")[2] in self.last else ""
        while ending:
            if ending in self.listed:
                return ending
            ending = ending.partition(".")[2]
        return None


def names(option: str, wanted: Iterable[str] | str | None) -> Names:
    """Return the names of a list or of an expression; LlmcalcError for a bad one."""
    if isinstance(wanted, str):
        return Names(frozenset(), compiled(option, wanted))
    listed = frozenset(wanted or ())
    return Names(listed, None, frozenset(n.rpartition(".")[2] for n in listed))


def inside(option: str, name: str) -> re.Pattern[str]:
    """Return what a module matches that bears a name, or is in one that does.

    PEFT puts the name into its expression as it is. LlmcalcError for one that is none.
    """
    compiled(option, name)
    return compiled(option, rf"(^|.*\.){name}($|\..*)")


def compiled(option: str, expression: str) -> re.Pattern[str]:
    """Return a regular expression; LlmcalcError where it is none."""
    try:
        return re.compile(expression)
    except (re.error, RecursionError, OverflowError) as error:
        raise LlmcalcError(
            f"{option}: {expression!r:.80} is not a regular expression: {error}"
        ) from None


class Excluded(NamedTuple):
    """What no adapter may touch: excluded modules and those saved in full."""

    names: Names
    saved: tuple[re.Pattern[str], ...]

    def holds(self, name: str) -> bool:
        """Return whether a module is excluded, by itself or inside a saved one."""
        if self.names.match(name) is not None:
            return True
        return any(pattern.match(name) for pattern in self.saved)


def excluded(config: LoraConfig) -> Excluded:
    """Return what a config excludes."""
    saved = [inside("modules_to_save", name) for name in config.modules_to_save or ()]
    wanted = config.exclude_modules or None
    return Excluded(names("exclude_modules", wanted), tuple(saved))


class LayerNumbers(NamedTuple):
    """The layers that layers_to_transform keeps; all where ``kept`` is None."""

    kept: frozenset[int] | None
    patterns: tuple[re.Pattern[str], ...]

    def keep(self, name: str) -> bool:
        """Return whether a module is in a kept layer; one without a number is not."""
        if self.kept is None:
            return True
        for pattern in self.patterns:
            match = pattern.match(name)
            if match:
                return int(match["number"]) in self.kept
        return False


def layer_numbers(config: LoraConfig) -> LayerNumbers:
    """Return the layers that a config keeps."""
    if not config.layers_to_transform:
        return LayerNumbers(None, ())
    patterns = [
        compiled("layers_pattern", rf"(?:^|.*?\.){word}\.(?P<number>\d+)\.")
        for word in config.layers_pattern or ()
    ]
    kept = frozenset(config.layers_to_transform)
    return LayerNumbers(kept, tuple(patterns or [re.compile(_FIRST_NUMBER)]))


class Patterns(NamedTuple):
    """rank_pattern or alpha_pattern: expressions in the order of the file."""

    entries: tuple[tuple[re.Pattern[str], str, float], ...]

    def find(self, name: str) -> tuple[str, float] | None:
        """Return the first key that fits a module's name, with its value."""
        for pattern, key, value in self.entries:
            if pattern.match(name):
                return key, value
        return None


def patterns(option: str, entries: Iterable[tuple[str, float]]) -> Patterns:
    """Return a pattern's entries, each a regular expression for the name's end."""
    return Patterns(
        tuple(
            (compiled(option, rf"(.*\.)?({key})$"), key, value)
            for key, value in entries
        )
    )


class Targets(NamedTuple):
    """What a config targets, before a model is looked at."""

    names: Names
    excluded: Excluded
    layers: LayerNumbers
    excludes: bool

    def match(self, name: str) -> str | None:
        """Return the entry that makes a module a target, or None.

        A name given in full ignores layers_to_transform.
        """
        entry = self.names.match(name)
        if entry is None or (self.excludes and self.excluded.holds(name)):
            return None
        if self.names.expression is None and entry != name:
            return entry if self.layers.keep(name) else None
        return entry


def targets(config: LoraConfig) -> Targets:
    """Return what a config targets; LlmcalcError for a bad regular expression."""
    wanted = names("target_modules", config.target_modules)
    excludes = bool(config.exclude_modules or config.modules_to_save)
    return Targets(wanted, excluded(config), layer_numbers(config), excludes)
