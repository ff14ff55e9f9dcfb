"""TEXMEX .fvecs, .ivecs, .bvecs: each vector is its int32 length and its components.

fvecs and ivecs have the same layout: only the name, or --dtype, tells them apart.
"""

from llmcalc.errors import LlmcalcError
from llmcalc.inputs.vectors.byte_input import ByteInput, array_set
from llmcalc.inputs.vectors.element_types import raw_type
from llmcalc.inputs.vectors.vector_set import VectorSet

_STORED = {".fvecs": "<f4", ".ivecs": "<i4", ".bvecs": "u1"}
_MAX_WIDTH = 1 << 20


def recognise(file: ByteInput) -> bool:
    """Return whether the name says so, or --dtype and the lengths in the file do."""
    if file.ending in _STORED:
        return True
    width = _width(file)
    if file.dtype is None or not 0 < width < _MAX_WIDTH:
        return False
    step = 4 + width * int(raw_type(file.dtype).stored[-1])
    second = file.head[step : step + 4]
    return file.size % step == 0 and (not second or second == file.head[:4])


def read(file: ByteInput) -> VectorSet:
    """Read the vectors. Raises LlmcalcError where their length does not stay."""
    import numpy as np

    stored = _STORED.get(file.ending, "<f4")
    if file.dtype is not None:
        stored = raw_type(file.dtype).stored
    width = _width(file)
    step = 4 + width * np.dtype(stored).itemsize
    if not 0 < width < _MAX_WIDTH or file.size % step:
        raise LlmcalcError(
            f"{file.name}: cut off, or no {file.ending or 'fvecs'}: {file.size} bytes "
            f"are not rows of {width} components"
        )
    count = file.size // step
    raw = file.mapped("u1", 0, (count, step))
    lengths = np.ascontiguousarray(raw[:, :4]).view("<i4")[:, 0]
    wrong = np.nonzero(lengths != width)[0]
    if len(wrong):
        raise LlmcalcError(
            f"{file.name}: index {wrong[0]}: has {lengths[wrong[0]]} components, "
            f"the first vector has {width}"
        )
    record = np.dtype([("length", "<i4"), ("vector", stored, (width,))])
    found = array_set(file.mapped(record, 0, (count,))["vector"], file.name, "texmex")
    if stored == "<i4":
        found.notes.append(
            f"{file.name}: ivecs mostly hold numbers of neighbours, not vectors"
        )
    return found


def _width(file: ByteInput) -> int:
    return int.from_bytes(file.head[:4], "little", signed=True)
