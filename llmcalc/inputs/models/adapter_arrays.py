"""The tensors of an adapter file as arrays, one at a time, by its header.

Imported only where update norms are computed, so numpy may load at the top.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from llmcalc.inputs.safetensors import TensorInfo
from llmcalc.inputs.source import Source

FLOATS = {"F16": "<f2", "F32": "<f4", "F64": "<f8", "BF16": "<u2"}


class AdapterArrays:
    """The arrays of one file: mapped where it lies plain, else read in whole.

    Only offsets that the header's reader has checked are used.
    """

    def __init__(self, weights: Source, tensors: Mapping[str, TensorInfo]) -> None:
        self._tensors = tensors
        path = weights.plain_path()
        self._bytes: Any
        if path is not None:
            self._bytes = np.memmap(path, np.uint8, "r")
        else:
            with weights.open() as stream:
                self._bytes = np.frombuffer(stream.read(), np.uint8)

    def __getitem__(self, name: str) -> NDArray[Any]:
        """Return a tensor of one of `FLOATS`, bfloat16 widened to float32."""
        info = self._tensors[name]
        stored = self._bytes[info.start : info.end].view(FLOATS[info.dtype])
        array: NDArray[Any] = stored.reshape(info.shape)
        if info.dtype != "BF16":
            return array
        # bfloat16 is the upper half of a float32.
        return (array.astype(np.uint32) << 16).view(np.float32)
