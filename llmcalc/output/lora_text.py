"""Sizes, shares and names as a person reads them."""

from collections.abc import Iterable, Iterator
from typing import Any

# Below this width a table keeps only the columns that answer the question: bytes of
# a model in a table with all of them would be folded.
NARROW = 76
# A unit of that many letters stands beside a name and 14 digits on 40 columns.
_UNIT = 8
# From this width on there is room for what one may want to know too.
WIDE = 100
_DECIMAL = ("B", "kB", "MB", "GB", "TB", "PB", "EB")
_BINARY = ("B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB")


def bytes_text(size: int, *, binary: bool = False) -> str:
    """Return bytes in a unit, four digits at least: powers of 1000, or of 1024.

    Integers only, so that a size beyond the doubles is shown too.

    >>> bytes_text(167832240), bytes_text(16 * 2**30, binary=True), bytes_text(512)
    ('167.8 MB', '16.00 GiB', '512 B')
    """
    step, units = (1024, _BINARY) if binary else (1000, _DECIMAL)
    power = 0
    while power + 1 < len(units) and size >= step ** (power + 1):
        power += 1
    if power == 0:
        return f"{size} B"
    unit = step**power
    places = max(0, 4 - len(str(size // unit)))
    rounded = (2 * size * 10**places + unit) // (2 * unit)
    whole, rest = divmod(rounded, 10**places)
    shown = f"{whole:,}.{rest:0{places}}" if places else f"{whole:,}"
    return f"{shown} {units[power]}"


def percent_text(ratio: float) -> str:
    """Return a ratio in percent, four significant digits.

    >>> percent_text(0.00390625), percent_text(2.5)
    ('0.3906 %', '250 %')
    """
    return f"{100 * ratio:.4g} %"


def short_facts(
    width: int, rows: Iterable[tuple[str, Any, str]]
) -> list[tuple[str, Any, str]]:
    """Return name, value and unit; without remarks where they would fold numbers.

    >>> short_facts(40, [("file", 512, "512 B"), ("rank", 8, "of most layers")])
    [('file', 512, '512 B'), ('rank', 8, '')]
    """
    room = _UNIT if width < NARROW else width
    return [(n, value, unit if len(unit) <= room else "") for n, value, unit in rows]


def tree(rows: Iterable[list[Any]]) -> Iterator[list[Any]]:
    """Yield rows whose first cell is a name pattern, under a row for their place.

    The place is what stands before the last star: layers share it, so it is said once
    and the names under it stay short.

    >>> for row in tree([["lm_head", 1], ["layers.*.q", 8], ["layers.*.v", 8]]):
    ...     print(row)
    ['lm_head', 1]
    ['layers.*', '']
    ['  q', 8]
    ['  v', 8]
    """
    place = ""
    for name, *cells in rows:
        before, star, leaf = name.rpartition("*.")
        if before + star[:1] != place:
            place = before + star[:1]
            if place:
                yield [place, *[""] * len(cells)]
        yield [f"  {leaf}" if place else name, *cells]
