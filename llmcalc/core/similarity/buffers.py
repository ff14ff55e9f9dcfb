"""Arrays that a thread uses again and again.

Memory that is fresh from the system costs more than the arithmetic done in it.
"""

import math
import threading
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray


class Buffers:
    """Gives each thread arrays by name; the next call of that name reuses them."""

    def __init__(self, keep: bool = True) -> None:
        """With ``keep`` false, every array is new and may be held on to."""
        self._keep = keep
        self._local = threading.local()

    def take(self, name: str, shape: tuple[int, ...], dtype: DTypeLike) -> NDArray[Any]:
        """Return an array of that shape and type with any content.

        >>> Buffers().take("product", (2, 3), np.float32).shape
        (2, 3)
        """
        if not self._keep:
            return np.empty(shape, dtype)
        held: dict[str, NDArray[Any]] = self._local.__dict__
        key = f"{name} {np.dtype(dtype).str}"
        size = math.prod(shape)
        if key not in held or held[key].size < size:
            held[key] = np.empty(size, dtype)
        return held[key][:size].reshape(shape)


# For blocks that outlive the next one.
FRESH = Buffers(keep=False)
