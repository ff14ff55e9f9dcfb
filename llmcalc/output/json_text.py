"""Results as strict JSON: infinities and NaN are strings, doubles read back.

Start-up is a feature: json loads only when it is asked for.
"""

import math
from collections.abc import Callable, Iterable, Mapping
from typing import Any


def json_text(value: Any, precision: int | None, ascii_only: bool = False) -> str:
    """Return a value as one line of strict JSON.

    >>> json_text({"ppl": float("inf"), "probs": [0.5, 0.25]}, None)
    '{"ppl": "Infinity", "probs": [0.5, 0.25]}'
    """
    import json

    return _encode(value, precision, json.JSONEncoder(ensure_ascii=ascii_only).encode)


def _encode(value: Any, precision: int | None, text: Callable[[str], str]) -> str:
    if hasattr(value, "tolist"):
        value = value.tolist()
    if value is None:
        return "null"
    if isinstance(value, bool | int):
        return str(value).lower()
    if isinstance(value, float):
        return _number(value, precision)
    if isinstance(value, str):
        return text(value)
    if isinstance(value, Mapping):
        pairs = (
            f"{text(str(key))}: {_encode(item, precision, text)}"
            for key, item in value.items()
        )
        return "{" + ", ".join(pairs) + "}"
    return f"[{_items(value, precision, text)}]"


def _items(
    values: Iterable[Any], precision: int | None, text: Callable[[str], str]
) -> str:
    if (
        precision is None
        and isinstance(values, list)
        and len(set(map(type, values))) == 1
    ):
        # The quick way for long lists of doubles or whole numbers.
        numbers = (
            ", ".join(map(repr, values)) if type(values[0]) in (float, int) else "n"
        )
        # Neither nan nor inf is in it, the two that JSON lacks.
        if "n" not in numbers:
            return numbers
    return ", ".join(_encode(item, precision, text) for item in values)


def _number(value: float, precision: int | None) -> str:
    if math.isnan(value):
        return '"NaN"'
    if math.isinf(value):
        return '"Infinity"' if value > 0 else '"-Infinity"'
    return repr(value if precision is None else float(f"{value:.{precision}g}"))
