"""Results as plain text, tsv and csv: every number can be read back."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

# What would break a line or a column of tsv.
_ESCAPES = str.maketrans({"\\": "\\\\", "\t": "\\t", "\n": "\\n", "\r": "\\r"})


def value_text(value: Any, precision: int | None) -> str:
    """Return one value as text: the shortest that reads back, or that many digits.

    >>> value_text(0.1, None), value_text(2 / 3, 3), value_text(True, None)
    ('0.1', '0.667', 'true')
    """
    if hasattr(value, "tolist"):
        value = value.tolist()
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return repr(value) if precision is None else f"{value:.{precision}g}"
    if isinstance(value, Mapping):
        return "\t".join(value_text(item, precision) for item in value.values())
    if isinstance(value, list | tuple):
        return "\t".join(value_text(item, precision) for item in value)
    return str(value)


def plain_lines(value: Any, precision: int | None) -> Iterator[str]:
    """Yield a field as lines: one item of a list a line, its parts tab-separated."""
    if hasattr(value, "tolist"):
        value = value.tolist()
    if isinstance(value, Mapping):
        for key, item in value.items():
            yield f"{key}\t{value_text(item, precision)}"
    elif isinstance(value, Iterable) and not isinstance(value, str):
        for item in value:
            nested = isinstance(item, list | tuple) and item
            if nested and isinstance(item[0], list | tuple | Mapping):
                yield from plain_lines(item, precision)
            else:
                yield value_text(item, precision)
    else:
        yield value_text(value, precision)


def scalar_row(fields: Mapping[str, Any]) -> dict[str, Any]:
    """Return the fields that are single values."""
    return {
        key: value
        for key, value in fields.items()
        if value is None or isinstance(value, bool | int | float | str)
    }


def tsv_lines(
    rows: Iterable[Mapping[str, Any]], precision: int | None
) -> Iterator[str]:
    """Yield a header and the rows; tabs and line ends in texts are escaped."""
    for header, row in _with_header(rows):
        if header:
            yield "\t".join(header)
        yield "\t".join(_tsv_cell(value, precision) for value in row)


def csv_lines(
    rows: Iterable[Mapping[str, Any]], precision: int | None
) -> Iterator[str]:
    """Yield a header and the rows; cells are quoted as RFC 4180 has them."""
    for header, row in _with_header(rows):
        if header:
            yield ",".join(map(_csv_cell, header))
        yield ",".join(_csv_cell(value_text(value, precision)) for value in row)


def _csv_cell(text: str) -> str:
    if any(mark in text for mark in ',"\r\n'):
        return '"' + text.replace('"', '""') + '"'
    return text


def _tsv_cell(value: Any, precision: int | None) -> str:
    if isinstance(value, str):
        return value.translate(_ESCAPES)
    return value_text(value, precision).replace("\t", " ")


def _with_header(
    rows: Iterable[Mapping[str, Any]],
) -> Iterator[tuple[list[str], list[Any]]]:
    keys: list[str] = []
    for row in rows:
        if keys:
            yield [], [row.get(key) for key in keys]
        else:
            keys = list(row)
            yield keys, list(row.values())
