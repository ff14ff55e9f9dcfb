"""The safetensors container: its header alone, or one tensor as an array.

Layout: 8 bytes little-endian length, that many bytes of JSON (name -> dtype, shape,
data_offsets), then the data. Nothing outside the checked offsets is read.
"""

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, BinaryIO, NamedTuple

from llmcalc.errors import LlmcalcError
from llmcalc.inputs.content import MAX_SAFETENSORS_HEADER
from llmcalc.inputs.source import Source

if TYPE_CHECKING:
    from numpy.typing import NDArray

# Bits of one element; a dtype of less than a byte is packed.
BITS = {
    "BOOL": 8, "U8": 8, "I8": 8, "F8_E4M3": 8, "F8_E5M2": 8, "F8_E8M0": 8,
    "F8_E4M3FNUZ": 8, "F8_E5M2FNUZ": 8, "F4": 4, "F6_E2M3": 6, "F6_E3M2": 6,
    "I16": 16, "U16": 16, "F16": 16, "BF16": 16,
    "I32": 32, "U32": 32, "F32": 32, "I64": 64, "U64": 64, "F64": 64, "C64": 64,
}  # fmt: skip
_NUMPY = {
    "BOOL": "?", "U8": "u1", "I8": "i1", "I16": "<i2", "U16": "<u2", "F16": "<f2",
    "I32": "<i4", "U32": "<u4", "F32": "<f4", "I64": "<i8", "U64": "<u8", "F64": "<f8",
}  # fmt: skip


# Bytes of other tensors that are skipped at a time.
_STEP = 1 << 20


class TensorInfo(NamedTuple):
    """Element type, shape, and bytes ``start`` to ``end`` of the file of one tensor."""

    dtype: str
    shape: tuple[int, ...]
    start: int
    end: int


class Header(NamedTuple):
    """What a safetensors header says; ``header_bytes`` counts its JSON."""

    tensors: dict[str, TensorInfo]
    metadata: dict[str, str]
    header_bytes: int


def safetensors_header(source: Source) -> Header:
    """Return the checked header of a safetensors file; no data are read.

    Raises LlmcalcError for lengths, offsets and shapes that don't fit the file, for
    overlapping or twice named tensors, and for element types that are not known.
    """
    with source.open() as stream:
        return _header(stream, _size(source.plain_path()), source.name)


def read_safetensors(source: Source, wanted: Sequence[str] = ()) -> "NDArray[Any]":
    """Return the tensor that is asked for, known, or the only one; BF16 as float32.

    It is memory-mapped where the file lies plain; a pipe is read once.
    """
    import numpy as np

    from llmcalc.inputs.arrays import pick_array

    path = source.plain_path()
    with source.open() as stream:
        header = _header(stream, _size(path), source.name)
        chosen = pick_array(list(header.tensors), source.part, wanted, source.name)
        info = header.tensors[chosen]
        name = f"{source.name}:{chosen}"
        stored = "<u2" if info.dtype == "BF16" else _NUMPY.get(info.dtype)
        if stored is None:
            raise LlmcalcError(f"{name}: elements of type {info.dtype} are not read")
        array: NDArray[Any]
        if path is not None and info.end > info.start:
            array = np.memmap(path, stored, "r", info.start, info.shape or (1,))
        else:
            data = _data(stream, info, 8 + header.header_bytes, name)
            array = np.frombuffer(data, stored).reshape(info.shape or (1,))
    if info.dtype == "BF16":
        # bfloat16 is the upper half of a float32.
        return (array.astype(np.uint32) << 16).view(np.float32)
    return array


def _size(path: str | None) -> int | None:
    from pathlib import Path

    return None if path is None else Path(path).stat().st_size


def _data(stream: BinaryIO, info: TensorInfo, position: int, name: str) -> bytes:
    """Return the bytes of a tensor from a stream that is read up to a position."""
    while position < info.start:
        skipped = len(stream.read(min(_STEP, info.start - position)))
        if not skipped:
            raise LlmcalcError(f"{name}: the file is cut off")
        position += skipped
    data = stream.read(info.end - info.start)
    if len(data) != info.end - info.start:
        raise LlmcalcError(f"{name}: the file is cut off")
    return data


def _header(stream: BinaryIO, size: int | None, name: str) -> Header:
    import json

    length = int.from_bytes(stream.read(8), "little")
    if not 2 <= length <= MAX_SAFETENSORS_HEADER:
        raise LlmcalcError(f"{name}: a header of {length} bytes is not safetensors")
    if size is not None and 8 + length > size:
        raise LlmcalcError(f"{name}: cut off: a header of {length} bytes is promised")
    text = stream.read(length)
    if len(text) < length:
        raise LlmcalcError(f"{name}: cut off inside the header")
    try:
        entries = json.loads(text, object_pairs_hook=_Pairs)
    except (ValueError, RecursionError) as error:
        raise LlmcalcError(f"{name}: the header is not JSON: {error!s:.60}") from None
    if not isinstance(entries, _Pairs):
        raise LlmcalcError(f"{name}: the header is not a JSON object")
    tensors: dict[str, TensorInfo] = {}
    metadata: dict[str, str] = {}
    for tensor, entry in entries.pairs:
        if tensor == "__metadata__" and isinstance(entry, _Pairs):
            metadata = {key: str(text) for key, text in entry.pairs}
        elif tensor in tensors:
            raise LlmcalcError(f"{name}: names {tensor!r} twice")
        else:
            tensors[tensor] = _tensor(entry, 8 + length, f"{name}: {tensor}")
    _check_layout(tensors, 8 + length, size, name)
    return Header(tensors, metadata, length)


class _Pairs:
    """A JSON object as its pairs, so that a name given twice is seen."""

    def __init__(self, pairs: list[tuple[str, Any]]) -> None:
        self.pairs = pairs


def _tensor(entry: Any, base: int, where: str) -> TensorInfo:
    fields = dict(entry.pairs) if isinstance(entry, _Pairs) else {}
    dtype: Any = fields.get("dtype")
    shape: Any = fields.get("shape")
    offsets: Any = fields.get("data_offsets")
    if not isinstance(dtype, str) or dtype not in BITS:
        raise LlmcalcError(f"{where}: element type {dtype!r} is not known")
    if not _naturals(shape) or not _naturals(offsets) or len(offsets) != 2:
        raise LlmcalcError(
            f"{where}: shape {shape!r} and offsets {offsets!r} are wrong"
        )
    count = 1
    for extent in shape:
        count *= extent
    start, end = offsets
    if (count * BITS[dtype] + 7) // 8 != end - start:
        raise LlmcalcError(
            f"{where}: {dtype} of shape {shape} does not fill {end - start} bytes"
        )
    return TensorInfo(dtype, tuple(shape), base + start, base + end)


def _naturals(value: Any) -> bool:
    return isinstance(value, list) and all(
        isinstance(item, int) and not isinstance(item, bool) and item >= 0
        for item in value
    )


def _check_layout(
    tensors: dict[str, TensorInfo], base: int, size: int | None, name: str
) -> None:
    end = base
    last = "the header"
    for tensor, info in _by_start(tensors):
        if info.start < end:
            raise LlmcalcError(f"{name}: {tensor} overlaps {last}")
        end, last = info.end, tensor
    if size is not None and end > size:
        raise LlmcalcError(
            f"{name}: cut off: {last} ends at byte {end}, the file has {size}"
        )


def _by_start(tensors: dict[str, TensorInfo]) -> Iterable[tuple[str, TensorInfo]]:
    return sorted(tensors.items(), key=lambda item: (item[1].start, item[1].end))
