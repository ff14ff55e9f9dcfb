"""Rows brought to length 1 in float32, block by block.

They only choose candidates, whose figures are then computed from what is stored
(exact.py). ``margin`` bounds what float32 can be wrong by.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from llmcalc.core.similarity.buffers import FRESH, Buffers
from llmcalc.core.similarity.rows import Rows, named_rows, scaled, widened, zero_rows
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


def margin(dim: int) -> float:
    """Return a bound of the error of a float32 product of two unit rows.

    Rounding of the components, of the two lengths and of the sum of ``dim`` products:
    (2 d + 12) u, after N. Higham, "Accuracy and Stability of Numerical Algorithms",
    2002, section 3.1.
    """
    return (2 * dim + 12) * _ROUNDOFF32


def unit_block(
    rows: Rows, start: int, stop: int, scale: bool = False, buffers: Buffers = FRESH
) -> UnitBlock:
    """Return rows ``start`` to ``stop`` as float32 vectors of length 1.

    With ``scale``, the division by the lengths may be left to the user of the block;
    with ``buffers``, the vectors live until the thread makes the next block. Raises
    LlmcalcError naming a row that holds NaN or an infinity, and zero rows unless they
    are to be skipped.
    """
    narrow = _float32(rows, start, stop, buffers)
    with np.errstate(over="ignore", under="ignore", invalid="ignore"):
        squares = row_dots(narrow, narrow)
    high = _HALF_HIGH if rows.stored.dtype == np.float16 else _SAFE_HIGH
    if not (squares.min() > _SAFE_LOW and squares.max() < high):
        return _careful_block(rows, start, stop)
    lengths = np.sqrt(squares)
    wide, none = lengths.astype(np.float64), np.arange(0)
    if scale:
        return UnitBlock(start, narrow, wide, none, 1 / lengths)
    vectors = buffers.take("unit", narrow.shape, np.float32)
    np.divide(narrow, lengths[:, None], out=vectors)
    return UnitBlock(start, vectors, wide, none)


class DoubleUnits(NamedTuple):
    """Double vectors of length 1, shape (m, d), and the lengths of their rows."""

    vectors: NDArray[np.float64]
    lengths: NDArray[np.float64]


def double_units(rows: Rows, chosen: Any) -> DoubleUnits:
    """Return the chosen rows (a slice or indices) divided by their lengths.

    A zero row and one with NaN or an infinity come out as NaN vectors.
    """
    wide, exponents = scaled(rows, chosen)
    roots = np.sqrt(np.einsum("ij,ij->i", wide, wide))
    with np.errstate(over="ignore", under="ignore", invalid="ignore"):
        wide /= roots[:, None]
        return DoubleUnits(wide, np.ldexp(roots, exponents))


def row_dots(left: NDArray[Any], right: NDArray[Any]) -> NDArray[Any]:
    """Return the product of each row with the row of the same index, or with one."""
    # numpy 2 has a function of its own, twice as quick.
    if hasattr(np, "vecdot"):
        products: NDArray[Any] = np.vecdot(left, right)
        return products
    return np.asarray(np.einsum("...j,...j->...", left, right))


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


def _float32(
    rows: Rows, start: int, stop: int, buffers: Buffers
) -> NDArray[np.float32]:
    """Return the components as float32, those of a float32 array as they lie there."""
    picked = rows.stored[start:stop]
    if picked.dtype == np.float32 and picked.dtype.isnative:
        return picked
    shape = len(picked), rows.dim
    if rows.packed:
        picked = np.unpackbits(picked, axis=1, count=rows.dim)
    elif picked.dtype == np.float16:
        return _half_to_float32(picked, buffers.take("half", shape, np.int32))
    narrow = buffers.take("float32", shape, np.float32)
    with np.errstate(over="ignore", under="ignore", invalid="ignore"):
        np.copyto(narrow, picked, casting="unsafe")
    if rows.packed:
        narrow *= 2
        narrow -= 1
    return narrow


def _half_to_float32(half: NDArray[Any], bits: NDArray[Any]) -> NDArray[np.float32]:
    """Return float16 as float32 by its bits: numpy's own way is seven times slower.

    Subnormals come out right; NaN and infinities as 2^16 and more. The result lies
    in ``bits``, int32 of the same shape.
    """
    native = np.asarray(half, dtype=np.float16)
    np.copyto(bits, native.view(np.int16))
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
