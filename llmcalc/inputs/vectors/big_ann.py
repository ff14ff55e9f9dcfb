"""big-ann and usearch binaries: uint32 n, uint32 d, then n rows of d components.

The element type stands only in the name: .fbin .u8bin .i8bin .hbin .dbin .ibin ..
"""

from llmcalc.errors import LlmcalcError
from llmcalc.inputs.vectors.byte_input import ByteInput, array_set
from llmcalc.inputs.vectors.element_types import RawType, raw_type
from llmcalc.inputs.vectors.lazy_rows import widened_rows
from llmcalc.inputs.vectors.vector_set import Packed, VectorSet

_TYPES = {
    ".fbin": "float32", ".f32bin": "float32", ".dbin": "float64", ".f64bin": "float64",
    ".hbin": "float16", ".f16bin": "float16", ".bf16bin": "bfloat16",
    ".u8bin": "uint8", ".i8bin": "int8", ".ibin": "int32", ".i32bin": "int32",
    ".bbin": "ubinary", ".b1bin": "ubinary",
}  # fmt: skip
_HEADER = 8


def recognise(file: ByteInput) -> bool:
    """Return whether the name says so, or --dtype and the header fit the size."""
    if file.ending in _TYPES:
        return True
    if file.dtype is None or file.size <= _HEADER:
        return False
    return file.size == _size(file, raw_type(file.dtype))


def read(file: ByteInput) -> VectorSet:
    """Read the rows.

    Raises LlmcalcError where the header does not fit the size: a part of a large
    file that was loaded keeps the header of the whole.
    """
    raw = raw_type(file.dtype or _TYPES[file.ending])
    count, width = _extents(file)
    if file.size != _size(file, raw) or not count or not width:
        fitting = (file.size - _HEADER) // max(1, width * _itemsize(raw))
        raise LlmcalcError(
            f"{file.name}: the header promises {count} rows of {width} {raw.name}, "
            f"the file holds {max(0, fitting)}; a part of a larger file needs its "
            "first 4 bytes set to its own count"
        )
    stored = file.mapped(raw.stored, _HEADER, (count, width))
    packed: Packed | None = "ubinary" if raw.packed else None
    return array_set(widened_rows(stored, raw), file.name, "big-ann", None, packed)


def _extents(file: ByteInput) -> tuple[int, int]:
    return (
        int.from_bytes(file.head[:4], "little"),
        int.from_bytes(file.head[4:8], "little"),
    )


def _itemsize(raw: RawType) -> int:
    return int(raw.stored[-1])


def _size(file: ByteInput, raw: RawType) -> int:
    count, width = _extents(file)
    return _HEADER + count * width * _itemsize(raw)
