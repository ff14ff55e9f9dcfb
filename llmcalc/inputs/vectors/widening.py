"""bfloat16, 8-bit floats and packed bits -> what numpy has types for.

Start-up is a feature: numpy loads only when vectors are read.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from llmcalc.inputs.vectors.element_types import RawType

if TYPE_CHECKING:
    from numpy.typing import NDArray


def is_narrow(raw: RawType) -> bool:
    """Return whether numpy lacks the type, so that its numbers are float32."""
    return raw.name in ("bfloat16", "float8_e4m3", "float8_e5m2")


def widened(stored: NDArray[Any], raw: RawType) -> NDArray[Any]:
    """Return the numbers of stored elements; only what numpy has no type for changes.

    >>> import numpy as np
    >>> from llmcalc.inputs.vectors.element_types import raw_type
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
