"""Rows of vectors as they are stored, widened and brought to length 1 in blocks.

The unit rows are float32: they only choose candidates, whose figures are then computed
from what is stored (exact.py). ``margin`` bounds what float32 can be wrong by.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from llmcalc.errors import LlmcalcError

# Unit roundoff of float32.
_ROUNDOFF32 = 2.0**-24
# Squares of lengths between these are right in float32; others take the careful way.
_SAFE_LOW, _SAFE_HIGH = 1e-24, 1e30
# A float16 NaN or infinity widens to 2^16 or more, which no safe square holds.
_HALF_HIGH = 2.0**32
# Bits of a float16 after sign extension to 32 and a shift by 13: sign, exponent,
# significand at their float32 places, with an exponent that is too small by 112.
_HALF_BITS = np.array([0x8FFFE000], dtype=np.uint32).view(np.int32)[0]
_HALF_SCALE = np.float32(2.0**112)
# Lengths whose products and squares stay inside a double.
_LENGTH_LOW, _LENGTH_HIGH = 1e-140, 1e140
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


class UnitBlock(NamedTuple):
    """Float32 vectors of consecutive rows from ``start``, and their lengths.

    ``vectors`` times ``scale`` (where there is one) have length 1; ``zero`` holds
    the indices in the block of zero rows, whose vector is 0.
    """

    start: int
    vectors: NDArray[np.float32]
    lengths: NDArray[np.float64]
    zero: NDArray[np.intp]
    scale: NDArray[np.float32] | None = None


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


def margin(dim: int) -> float:
    """Return a bound of the error of a float32 product of two unit rows.

    Rounding of the components, of the two lengths and of the sum of ``dim`` products:
    (2 d + 12) u, after N. Higham, "Accuracy and Stability of Numerical Algorithms",
    2002, section 3.1.
    """
    return (2 * dim + 12) * _ROUNDOFF32


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


def unit_block(rows: Rows, start: int, stop: int, scale: bool = False) -> UnitBlock:
    """Return rows ``start`` to ``stop`` as float32 vectors of length 1.

    With ``scale``, the division by the lengths may be left to the user of the block.
    Raises LlmcalcError naming a row that holds NaN or an infinity, and zero rows
    unless they are to be skipped.
    """
    narrow, fresh = _float32(rows, start, stop)
    with np.errstate(over="ignore", under="ignore", invalid="ignore"):
        squares = np.einsum("ij,ij->i", narrow, narrow)
    high = _HALF_HIGH if rows.stored.dtype == np.float16 else _SAFE_HIGH
    if not ((squares > _SAFE_LOW) & (squares < high)).all():
        return _careful_block(rows, start, stop)
    lengths = np.sqrt(squares)
    wide, none = lengths.astype(np.float64), np.arange(0)
    if scale:
        return UnitBlock(start, narrow, wide, none, 1 / lengths)
    vectors = np.divide(narrow, lengths[:, None], out=narrow if fresh else None)
    return UnitBlock(start, vectors, wide, none)


def components(rows: Rows, index: int) -> list[float]:
    """Return the components of a row as Python numbers, exactly."""
    if rows.packed:
        return [float(x) for x in widened(rows, slice(index, index + 1))[0]]
    return list(rows.stored[index].tolist())


def check_lengths(rows: Rows, block: UnitBlock) -> None:
    """Raise LlmcalcError for a length whose square leaves the range of a double."""
    lengths = block.lengths
    if lengths.max() < _LENGTH_HIGH and lengths.min() > _LENGTH_LOW:
        return
    outside = (lengths > _LENGTH_HIGH) | ((lengths < _LENGTH_LOW) & (lengths > 0))
    if outside.any():
        index = int(outside.argmax())
        raise LlmcalcError(
            f"{rows.where(block.start + index)}: a vector of length "
            f"{lengths[index]:.3g} is beyond this metric; use --metric cosine"
        )


def zero_rows(rows: Rows, block: int = 4096) -> list[int]:
    """Return the indices of the rows whose components are all zero."""
    found: list[int] = []
    for start in range(0, rows.n, block) if not rows.packed else ():
        zero = ~rows.stored[start : start + block].any(axis=1)
        found += (np.flatnonzero(zero) + start).tolist()
    return found


def named_rows(rows: Rows, indices: list[int]) -> str:
    """Return the places of rows, the first few by name."""
    names = ", ".join(rows.where(index) for index in indices[:_NAMED])
    more = len(indices) - _NAMED
    return f"{names} and {more} more" if more > 0 else names


def _index_name(index: int) -> str:
    return f"row {index}"


def _float32(rows: Rows, start: int, stop: int) -> tuple[NDArray[np.float32], bool]:
    """Return the components as float32, and whether the array is a copy."""
    picked = rows.stored[start:stop]
    if rows.packed:
        signs = np.unpackbits(picked, axis=1, count=rows.dim).astype(np.float32)
        signs *= 2
        signs -= 1
        return signs, True
    if picked.dtype == np.float16:
        return _half_to_float32(picked), True
    with np.errstate(over="ignore", under="ignore", invalid="ignore"):
        narrow = np.ascontiguousarray(picked, dtype=np.float32)
    return narrow, not np.may_share_memory(narrow, picked)


def _half_to_float32(half: NDArray[Any]) -> NDArray[np.float32]:
    """Return float16 as float32 by its bits: numpy's own way is seven times slower.

    Subnormals come out right; NaN and infinities as 2^16 and more.
    """
    native = np.ascontiguousarray(half, dtype=np.float16)
    bits = native.view(np.int16).astype(np.int32)
    bits <<= 13
    bits &= _HALF_BITS
    wide = bits.view(np.float32)
    wide *= _HALF_SCALE
    return wide


def _careful_block(rows: Rows, start: int, stop: int) -> UnitBlock:
    """Do what ``unit_block`` does for rows of any length, in float64."""
    wide, exponents = scaled(rows, slice(start, stop))
    roots = np.sqrt(np.einsum("ij,ij->i", wide, wide))
    if np.isnan(roots).any():
        _refuse_not_finite(rows, start + int(np.isnan(roots).argmax()))
    zero = np.flatnonzero(roots == 0)
    if len(zero) and not rows.skip_zero:
        found = zero_rows(rows)
        verb = "is a zero vector" if len(found) == 1 else "are zero vectors"
        raise LlmcalcError(
            f"{named_rows(rows, found)} {verb}, without a direction; "
            "--zero skip leaves such rows out"
        )
    roots[zero] = 1
    vectors = (wide / roots[:, None]).astype(np.float32)
    roots[zero] = 0
    with np.errstate(over="ignore", under="ignore"):
        lengths = np.ldexp(roots, exponents)
    return UnitBlock(start, vectors, lengths, zero)


def _refuse_not_finite(rows: Rows, row: int) -> None:
    values = widened(rows, slice(row, row + 1))[0]
    index = int(np.isfinite(values).argmin())
    raise LlmcalcError(
        f"{rows.where(row)}: component {index} is {values[index]}, which gives no "
        "direction"
    )
