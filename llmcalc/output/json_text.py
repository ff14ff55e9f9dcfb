"""Results as strict JSON: infinities and NaN are strings, doubles read back.

Start-up is a feature: json loads only when it is asked for.
"""

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sized
from typing import Any


def json_text(value: Any, precision: int | None, ascii_only: bool = False) -> str:
    """Return a value as one line of strict JSON.

    >>> json_text({"ppl": float("inf"), "probs": [0.5, 0.25]}, None)
    '{"ppl": "Infinity", "probs": [0.5, 0.25]}'
    """
    return "".join(json_pieces(value, precision, ascii_only))


def json_pieces(
    value: Any, precision: int | None, ascii_only: bool = False
) -> Iterator[str]:
    """Yield a value as one line of strict JSON, piece by piece.

    What is worked out item by item is never held whole.

    >>> "".join(json_pieces({"rows": map(str, range(2))}, None))
    '{"rows": ["0", "1"]}'
    """
    import json

    text = json.JSONEncoder(ensure_ascii=ascii_only).encode
    return _pieces(value, precision, text)


def _pieces(
    value: Any, precision: int | None, text: Callable[[str], str]
) -> Iterator[str]:
    if isinstance(value, Mapping):
        start = "{"
        for key, item in value.items():
            yield f"{start}{text(str(key))}: "
            yield from _pieces(item, precision, text)
            start = ", "
        yield "}" if value else "{}"
    elif isinstance(value, Iterable) and not isinstance(value, Sized):
        start = "["
        for item in value:
            yield start + _encode(item, precision, text)
            start = ", "
        yield "]" if start != "[" else "[]"
    else:
        yield _encode(value, precision, text)


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
    if precision is None and isinstance(values, list):
        kinds = set(map(type, values))
        if kinds in ({float}, {int}):
            return _plain_numbers(values)
    return ", ".join(_encode(item, precision, text) for item in values)


def _plain_numbers(values: list[Any]) -> str:
    """Write a long list of doubles or whole numbers the quick way.

    >>> _plain_numbers([0.5, float("-inf"), float("inf"), float("nan")])
    '0.5, "-Infinity", "Infinity", "NaN"'
    """
    numbers = ", ".join(map(repr, values))
    if "n" in numbers:
        # Of what repr writes for numbers only nan and inf have it, which JSON lacks.
        numbers = numbers.replace("inf", '"Infinity"').replace("nan", '"NaN"')
        numbers = numbers.replace('-"', '"-')
    return numbers


def _number(value: float, precision: int | None) -> str:
    if math.isnan(value):
        return '"NaN"'
    if math.isinf(value):
        return '"Infinity"' if value > 0 else '"-Infinity"'
    return repr(value if precision is None else float(f"{value:.{precision}g}"))
