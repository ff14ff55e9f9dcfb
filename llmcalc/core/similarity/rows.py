"""Rows of vectors as they are stored, and as doubles."""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from llmcalc.errors import LlmcalcError

# Bad rows that a message names one by one.
_NAMED = 5


class Rows(NamedTuple):
    """Vectors of ``dim`` components, shape (n, d); ``where`` names row i in messages.

    With ``packed``, a stored row is uint8 and holds ``dim`` bits, highest first; a
    component is then +1 or -1. ``skip_zero`` leaves zero rows out of every answer.
    """

    stored: NDArray[Any]
    dim: int
    where: Callable[[int], str]
    packed: bool = False
    skip_zero: bool = False

    @property
    def n(self) -> int:
        """How many rows there are."""
        return len(self.stored)


def rows_of(array: NDArray[Any], where: Callable[[int], str] | None = None) -> Rows:
    """Return the rows of an array of shape (n, d) that is not packed.

    >>> rows_of(np.eye(3)).dim
    3
    """
    return Rows(array, array.shape[1], where or _index_name)


def first_components(rows: Rows, count: int) -> Rows:
    """Return the same rows cut to their first ``count`` components.

    Raises LlmcalcError where there are fewer.
    """
    if count > rows.dim:
        raise LlmcalcError(
            f"{rows.where(0)}: has {rows.dim} components, not the {count} of --dims"
        )
    stored = rows.stored if rows.packed else rows.stored[:, :count]
    return rows._replace(stored=stored, dim=count)


def widened(rows: Rows, chosen: Any) -> NDArray[np.float64]:
    """Return the chosen rows (a slice or indices) as float64, an array of its own."""
    picked = rows.stored[chosen]
    if rows.packed:
        bits = np.unpackbits(picked, axis=1, count=rows.dim)
        return bits.astype(np.float64) * 2 - 1
    return np.array(picked, dtype=np.float64, order="C")


def scaled(rows: Rows, chosen: Any) -> tuple[NDArray[np.float64], NDArray[np.int32]]:
    """Return rows times a power of two that brings them below 1, and its exponents.

    row = scaled * 2^exponent, without rounding; the largest component of a row that
    is not zero lies in [1/2, 1). NaN and infinities come out as NaN rows.
    """
    wide = widened(rows, chosen)
    largest = np.abs(wide).max(axis=1)
    exponents = np.frexp(largest)[1].astype(np.int32)
    with np.errstate(under="ignore"):
        np.ldexp(wide, -exponents[:, None], out=wide)
    finite = np.isfinite(largest)
    if not finite.all():
        wide[~finite] = np.nan
    return wide, exponents


def components(rows: Rows, index: int) -> list[float]:
    """Return the components of a row as Python numbers, exactly."""
    if rows.packed:
        return [float(x) for x in widened(rows, slice(index, index + 1))[0]]
    return list(rows.stored[index].tolist())


def zero_rows(rows: Rows, block: int = 4096) -> list[int]:
    """Return the indices of the rows whose components are all zero."""
    found: list[int] = []
    for start in range(0, rows.n, block) if not rows.packed else ():
        zero = ~rows.stored[start : start + block].any(axis=1)
        found += (np.flatnonzero(zero) + start).tolist()
    return found


def named_rows(rows: Rows, indices: list[int]) -> str:
    """Return the places of rows, the first few by name, each file's name once.

    >>> named_rows(Rows(np.eye(3), 3, lambda i: f"a.npy: index {i}"), [0, 2])
    'a.npy: index 0, index 2'
    """
    places = [rows.where(index) for index in indices[:_NAMED]]
    files = [place.partition(": ")[0] for place in places]
    names = places[0]
    for place, file, before in zip(places[1:], files[1:], files, strict=False):
        names += f", {place.removeprefix(f'{file}: ') if file == before else place}"
    more = len(indices) - _NAMED
    return f"{names} and {more} more" if more > 0 else names


def _index_name(index: int) -> str:
    return f"row {index}"
