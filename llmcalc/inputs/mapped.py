"""Pages of memory-mapped arrays: let go, so that a file of any size fits in memory."""

import mmap
from typing import Any


def let_go(array: Any) -> None:
    """Let the pages of a mapped array go; what is used again is read again.

    Does nothing for other arrays and where the system has no such advice.
    """
    mapping = getattr(array, "_mmap", None)
    if mapping is not None and hasattr(mmap, "MADV_DONTNEED"):
        mapping.madvise(mmap.MADV_DONTNEED)
