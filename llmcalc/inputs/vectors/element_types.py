"""Element types by name, as ``--dtype`` and replies call them."""

from typing import NamedTuple

from llmcalc.errors import LlmcalcError


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
