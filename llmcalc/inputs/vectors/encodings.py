"""Element types by name, and bytes -> numbers: base64, raw, bfloat16, 8-bit floats.

Start-up is a feature: numpy and base64 load only when vectors are read.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

from llmcalc.errors import LlmcalcError

if TYPE_CHECKING:
    from numpy.typing import NDArray


class RawType(NamedTuple):
    """An element type: its name, how numpy stores it, and the width of a row if said.

    ``stored`` is little-endian. bfloat16 and the 8-bit floats are stored as unsigned
    integers and widened; ``binary`` and ``ubinary`` are bytes of packed bits.
    """

    name: str
    stored: str
    width: int | None = None

    @property
    def packed(self) -> bool:
        """Whether a byte holds eight components."""
        return self.name in ("binary", "ubinary")


_STORED = {
    "float64": "<f8", "float32": "<f4", "float16": "<f2", "bfloat16": "<u2",
    "float8_e4m3": "u1", "float8_e5m2": "u1", "int8": "i1", "uint8": "u1",
    "int16": "<i2", "uint16": "<u2", "int32": "<i4", "uint32": "<u4",
    "int64": "<i8", "uint64": "<u8", "binary": "i1", "ubinary": "u1",
}  # fmt: skip
_ALIASES = {
    "double": "float64", "f64": "float64", "fp64": "float64", "float": "float32",
    "f32": "float32", "fp32": "float32", "half": "float16", "f16": "float16",
    "fp16": "float16", "bf16": "bfloat16", "fp8": "float8_e4m3",
    "fp8_e4m3": "float8_e4m3", "float8_e4m3fn": "float8_e4m3", "f8_e4m3": "float8_e4m3",
    "fp8_e5m2": "float8_e5m2", "f8_e5m2": "float8_e5m2", "i8": "int8", "u8": "uint8",
    "bit": "ubinary", "bits": "ubinary",
}  # fmt: skip
# Components of one vector: no model is near it, and a wrong length shows.
MAX_WIDTH = 1 << 31


def raw_type(name: str) -> RawType:
    """Return the element type that ``--dtype`` names, as in float16 or float32x384.

    Raises LlmcalcError naming the types that are known.

    >>> raw_type("float32x384")
    RawType(name='float32', stored='<f4', width=384)
    >>> raw_type("bf16").name
    'bfloat16'
    """
    base, times, digits = name.strip().lower().partition("x")
    base = _ALIASES.get(base, base)
    width = int(digits) if digits.isdecimal() and len(digits) < 11 else 0
    if base not in _STORED or (times and not 0 < width < MAX_WIDTH):
        raise LlmcalcError(
            f"--dtype {name}: not an element type; choose one of {', '.join(_STORED)}, "
            "with xN for raw rows of N components (float32x384)"
        )
    return RawType(base, _STORED[base], width or None)


FLOAT32 = RawType("float32", "<f4")


def widened(stored: NDArray[Any], raw: RawType) -> NDArray[Any]:
    """Return the numbers of stored elements; only what numpy has no type for changes.

    >>> import numpy as np
    >>> widened(np.array([0x3F80, 0xC000], "<u2"), raw_type("bfloat16")).tolist()
    [1.0, -2.0]
    >>> widened(np.array([-128, 127], "i1"), raw_type("binary")).tolist()
    [0, 255]
    """
    import numpy as np

    if raw.name == "bfloat16":
        # bfloat16 is the upper half of a float32.
        wide: NDArray[Any] = stored.astype(np.uint32) << 16
        bits: NDArray[Any] = wide.view(np.float32)
        return bits
    if raw.name.startswith("float8"):
        values: NDArray[Any] = float8_table(raw.name)[stored]
        return values
    if raw.name == "binary":
        # "binary" is "ubinary" less 128, which is its highest bit turned.
        turned: NDArray[Any] = stored.view(np.uint8) ^ np.uint8(0x80)
        return turned
    return stored


def float8_table(name: str) -> NDArray[Any]:
    """Return the 256 values of an 8-bit float, float32, as the OCP standard has them.

    float8_e4m3 has no infinity and two NaNs; float8_e5m2 is a shorter float16.

    >>> float8_table("float8_e4m3")[0x7E], float8_table("float8_e5m2")[0x3C]
    (np.float32(448.0), np.float32(1.0))
    """
    import numpy as np

    bits = np.arange(256, dtype=np.uint16)
    if name == "float8_e5m2":
        halves: NDArray[Any] = (bits << 8).view(np.float16)
        return halves.astype(np.float32)
    mantissa = (bits & 7).astype(np.float32) / 8
    exponent = ((bits >> 3) & 15).astype(np.int32)
    size = np.where(
        exponent == 0,
        np.ldexp(mantissa, -6),
        np.ldexp(1 + mantissa, exponent - 7),
    )
    values = np.where(bits < 128, size, -size)
    values[(bits & 127) == 127] = np.nan
    return values.astype(np.float32)


def from_bytes(raw_bytes: bytes, raw: RawType) -> NDArray[Any]:
    """Return the vector that bytes hold. Raises ValueError where they don't fit."""
    import numpy as np

    stored = np.dtype(raw.stored)
    if not raw_bytes or len(raw_bytes) % stored.itemsize:
        raise ValueError(f"{len(raw_bytes)} bytes are no row of {raw.name}")
    return widened(np.frombuffer(raw_bytes, stored), raw)


def from_base64(text: str, raw: RawType) -> NDArray[Any]:
    """Return the vector behind base64. Raises ValueError where it is none.

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

    if raw.name == "bfloat16":
        if rows.dtype == np.uint16:
            return widened(rows, raw)
        return _round_bfloat16(rows)
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
