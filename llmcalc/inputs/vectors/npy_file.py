"""NumPy's .npy: one array, memory-mapped."""

from llmcalc.inputs.vectors.byte_input import ByteInput, array_set
from llmcalc.inputs.vectors.vector_set import VectorSet


def recognise(file: ByteInput) -> bool:
    """Return whether the file begins as .npy does."""
    return file.head.startswith(b"\x93NUMPY")


def read(file: ByteInput) -> VectorSet:
    """Read the rows; one axis is one vector."""
    from llmcalc.inputs.arrays import read_npy

    one = file.source._replace(part=None)
    return array_set(read_npy(one), file.name, "npy")
