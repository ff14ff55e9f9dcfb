"""safetensors: the one tensor, or the one asked for; bfloat16 and 8-bit floats too."""

from llmcalc.inputs.vectors.byte_input import ByteInput, array_set
from llmcalc.inputs.vectors.element_types import raw_type
from llmcalc.inputs.vectors.lazy_rows import widened_rows
from llmcalc.inputs.vectors.vector_set import VectorSet

_NARROW = {"BF16": "bfloat16", "F8_E4M3": "float8_e4m3", "F8_E5M2": "float8_e5m2"}


def recognise(file: ByteInput) -> bool:
    """Return whether the file begins with the length of a JSON header."""
    from llmcalc.inputs.content import kind_of

    return kind_of(file.head) == "safetensors"


def read(file: ByteInput) -> VectorSet:
    """Read the tensor. Raises LlmcalcError that names them where there are several."""
    from llmcalc.inputs.arrays import pick_array
    from llmcalc.inputs.safetensors import read_safetensors, safetensors_header

    header = safetensors_header(file.source)
    chosen = pick_array(list(header.tensors), file.source.part, (), file.name)
    info = header.tensors[chosen]
    name = f"{file.name}:{chosen}"
    if info.dtype in _NARROW and info.end > info.start:
        raw = raw_type(_NARROW[info.dtype])
        stored = file.mapped(raw.stored, info.start, info.shape or (1,))
        return array_set(widened_rows(stored, raw), name, "safetensors")
    array = read_safetensors(file.source._replace(part=chosen))
    return array_set(array, name, "safetensors")
