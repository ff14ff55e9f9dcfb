"""Bytes of numbers and nothing else: ``llm embed -f blob``, tofile, vLLM's bytes.

``llm`` writes little-endian float32 and a newline: that can be told from the length.
Anything else needs --dtype, and for several rows their width: float32x384.
"""

from llmcalc.errors import LlmcalcError
from llmcalc.inputs.vectors.byte_input import ByteInput, array_set
from llmcalc.inputs.vectors.element_types import FLOAT32, raw_type
from llmcalc.inputs.vectors.lazy_rows import widened_rows
from llmcalc.inputs.vectors.vector_set import Packed, VectorSet


def recognise(file: ByteInput) -> bool:
    """Return whether --dtype says what the bytes are, or a blob of llm may be them."""
    return file.dtype is not None or _ends_as_blob(file)


def read(file: ByteInput) -> VectorSet:
    """Read the vector, or the rows of the width that --dtype names."""
    import numpy as np

    raw = raw_type(file.dtype) if file.dtype else FLOAT32
    size = np.dtype(raw.stored).itemsize
    used = file.size
    if used % size and _last_byte(file) == b"\n":
        used -= 1
    width = (raw.width or used // size) * size
    if not width or used % width:
        raise LlmcalcError(
            f"{file.name}: {file.size} bytes are no rows of {raw.width or 'any'} "
            f"{raw.name}"
        )
    stored = file.mapped(raw.stored, 0, (used // width, width // size))
    packed: Packed | None = "ubinary" if raw.packed else None
    return array_set(widened_rows(stored, raw), file.name, "raw", None, packed)


def _ends_as_blob(file: ByteInput) -> bool:
    return file.size % 4 == 1 and file.size > 4 and _last_byte(file) == b"\n"


def _last_byte(file: ByteInput) -> bytes:
    with open(file.path, "rb") as stream:  # noqa: PTH123 - the same either way
        stream.seek(-1, 2)
        return stream.read(1)
