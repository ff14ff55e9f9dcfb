"""The settings of the sampling filters: their ranges and where they are off."""

import math
from typing import NamedTuple

from llmcalc.errors import LlmcalcError


class Filters(NamedTuple):
    """The settings of every filter; None is off."""

    top_k: int | None = None
    top_p: float | None = None
    min_p: float | None = None
    typical_p: float | None = None
    epsilon_cutoff: float | None = None
    eta_cutoff: float | None = None
    top_h: float | None = None
    top_n_sigma: float | None = None


_ABOVE_0 = 5e-324
_BELOW_1 = 1 - 2.0**-53
_LARGEST = 1.7976931348623157e308
_RANGES: dict[str, tuple[float, float, str]] = {
    "top_k": (-1, math.inf, "a whole number, 1 or more; 0 and -1 are off"),
    "top_p": (0, 1, "from 0 to 1"),
    "min_p": (0, 1, "from 0 to 1"),
    "typical_p": (_ABOVE_0, 1, "above 0 and at most 1"),
    "epsilon_cutoff": (0, _BELOW_1, "0 or more and below 1"),
    "eta_cutoff": (0, _BELOW_1, "0 or more and below 1"),
    "top_h": (_ABOVE_0, 1, "above 0 and at most 1"),
    "top_n_sigma": (-_LARGEST, _LARGEST, "a finite number; 0 and less are off"),
}
# Where a setting means that its filter is off, in every engine that has it.
_OFF_AT_1 = ("top_p", "typical_p")
_OFF_AT_0 = ("top_k", "min_p", "epsilon_cutoff", "eta_cutoff", "top_n_sigma")


def option_name(field: str) -> str:
    """Return the option that sets a filter.

    >>> option_name("top_k")
    '--top-k'
    """
    return "--" + field.replace("_", "-")


def check_filters(filters: Filters) -> None:
    """Raise LlmcalcError for a setting that is out of its range.

    >>> check_filters(Filters(top_p=0.9))
    """
    for field, value in filters._asdict().items():
        low, high, words = _RANGES[field]
        if value is not None and not low <= value <= high:
            raise LlmcalcError(f"{option_name(field)}: {value} is not {words}")


def active(filters: Filters) -> dict[str, float]:
    """Return the settings that can cut something, off ones left out.

    >>> active(Filters(top_k=0, top_p=1.0, min_p=0.05))
    {'min_p': 0.05}
    """
    return {
        field: value
        for field, value in filters._asdict().items()
        if value is not None
        and not (field in _OFF_AT_1 and value >= 1)
        and not (field in _OFF_AT_0 and value <= 0)
    }
