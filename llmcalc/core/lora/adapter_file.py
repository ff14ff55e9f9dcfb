"""The size of a safetensors file, to the byte, from names, shapes and dtypes."""

from collections.abc import Iterable
from math import prod
from typing import NamedTuple

from llmcalc.core.lora.matrix import ITEM_BYTES
from llmcalc.errors import LlmcalcError

_CODES = {"float32": "F32", "bfloat16": "BF16", "float16": "F16"}
# The format sorts tensors by dtype, widest alignment first, then by name; this is
# the order of its own list of dtypes for those that occur here.
_DTYPE_ORDER = {"float32": 0, "bfloat16": 1, "float16": 2}
_METADATA = '{"__metadata__":{"format":"pt"}'
_ENTRY = len(',:{"dtype":"","shape":[],"data_offsets":[]}')
_LENGTH_BYTES = 8
_ALIGNMENT = 8


class StoredTensor(NamedTuple):
    """A tensor as it is saved: its name, its shape and float32/bfloat16/float16."""

    name: str
    shape: tuple[int, ...]
    dtype: str

    @property
    def size(self) -> int:
        """Return the number of elements."""
        return prod(self.shape)


class FileSize(NamedTuple):
    """The bytes of a safetensors file: length field, header and payload together."""

    tensors: int
    header_bytes: int
    payload_bytes: int

    @property
    def file_bytes(self) -> int:
        """Return the size of the whole file."""
        return self.header_bytes + self.payload_bytes


def safetensors_size(tensors: Iterable[StoredTensor]) -> FileSize:
    """Return the exact size of the file that PEFT saves for these tensors.

    size = 8 + H + payload; H is the JSON header without blanks, metadata first, then
    the tensors by dtype and name, padded with blanks to a multiple of 8.
    ``header_bytes`` includes the 8 bytes of its length. Source: the format's
    description in the safetensors repository; equal to saved files byte for byte.

    Raises LlmcalcError for two tensors of one name.

    >>> name = "base_model.model.layers.0.q.lora_A.weight"
    >>> safetensors_size([StoredTensor(name, (8, 32), "float32")]).file_bytes
    1168
    """
    from json.encoder import encode_basestring

    header, offset, count, last = len(_METADATA + "}"), 0, 0, None
    for name, shape, dtype in sorted(tensors, key=_file_order):
        if name == last:
            raise LlmcalcError(f"{name}: two tensors have this name")
        end = offset + prod(shape) * ITEM_BYTES[dtype]
        # ,"NAME":{"dtype":"F32","shape":[8,32],"data_offsets":[0,1024]}
        entry = f"{_CODES[dtype]}{','.join(map(str, shape))}{offset},{end}"
        header += (
            _ENTRY
            + len(entry)
            + len(encode_basestring(name).encode("utf-8", "surrogatepass"))
        )
        last, offset, count = name, end, count + 1
    return FileSize(count, _LENGTH_BYTES + header + -header % _ALIGNMENT, offset)


def _file_order(tensor: StoredTensor) -> tuple[int, bytes]:
    return _DTYPE_ORDER[tensor.dtype], tensor.name.encode("utf-8", "surrogatepass")
