"""Bytes and base64 -> numbers, and numbers in the element type that is asked for.

Start-up is a feature: numpy and base64 load only when vectors are read.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from llmcalc.errors import LlmcalcError
from llmcalc.inputs.vectors.element_types import RawType
from llmcalc.inputs.vectors.widening import float8_table, widened

if TYPE_CHECKING:
    from numpy.typing import NDArray


def from_bytes(raw_bytes: bytes, raw: RawType) -> NDArray[Any]:
    """Return the vector that bytes hold. Raises ValueError where they don't fit."""
    import numpy as np

    stored = np.dtype(raw.stored)
    count, left = divmod(len(raw_bytes), stored.itemsize)
    if left or not count or raw.width not in (None, count):
        width = f"{raw.width} " if raw.width else ""
        raise ValueError(f"{len(raw_bytes)} bytes are no row of {width}{raw.name}")
    return widened(np.frombuffer(raw_bytes, stored), raw)


def from_base64(text: str, raw: RawType) -> NDArray[Any]:
    """Return the vector behind base64. Raises ValueError where it is none.

    >>> from llmcalc.inputs.vectors.element_types import FLOAT32
    >>> from_base64("AACAPwAAAMA=", FLOAT32).tolist()
    [1.0, -2.0]
    """
    import base64

    try:
        decoded = base64.b64decode(text, validate=True)
    except ValueError:
        shown = text if len(text) <= 24 else text[:24] + "..."
        raise ValueError(f"{shown!r} is not base64") from None
    return from_bytes(decoded, raw)


def as_type(
    rows: NDArray[Any], raw: RawType, where: Callable[[int], str]
) -> NDArray[Any]:
    """Return rows as the element type that the user named.

    Floats are rounded to a narrower float; integers and bits must be what they are
    called; ``where(i)`` names row i. Raises LlmcalcError for values that the type
    cannot hold.
    """
    import numpy as np

    rows = np.asarray(rows)
    if raw.name == "bfloat16":
        if rows.dtype == np.uint16:
            return widened(rows, raw)
        with np.errstate(over="ignore"):
            rounded = _round_bfloat16(rows)
        _refuse_lost(np.isinf(rounded) & np.isfinite(rows), rows, raw, where)
        return rounded
    if raw.name.startswith("float8"):
        if rows.dtype == np.uint8:
            return widened(rows, raw)
        _refuse_lost(~np.isin(rows, float8_table(raw.name)), rows, raw, where)
        return rows
    if rows.dtype == np.dtype(raw.stored):
        return widened(rows, raw)
    with np.errstate(over="ignore", invalid="ignore"):
        changed = rows.astype(raw.stored, copy=False)
    if raw.stored.startswith("<f"):
        lost = np.isinf(changed) & np.isfinite(rows)
    else:
        lost = changed != rows
    _refuse_lost(lost, rows, raw, where)
    return widened(changed, raw)


def _refuse_lost(
    lost: NDArray[Any], rows: NDArray[Any], raw: RawType, where: Callable[[int], str]
) -> None:
    if lost.any():
        row, column = (int(axis[0]) for axis in lost.nonzero())
        raise LlmcalcError(
            f"{where(row)}: component {column}: {rows[row, column]} is no {raw.name}"
        )


def _round_bfloat16(rows: NDArray[Any]) -> NDArray[Any]:
    """Round float32 to nearest bfloat16, ties to even, kept as float32."""
    import numpy as np

    bits = rows.astype(np.float32).view(np.uint32)
    rounded = bits + np.uint32(0x7FFF) + ((bits >> np.uint32(16)) & np.uint32(1))
    upper: NDArray[Any] = rounded & np.uint32(0xFFFF0000)
    return upper.view(np.float32)
