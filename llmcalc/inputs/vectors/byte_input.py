"""A file of bytes that may hold vectors, and what array readers share.

Start-up is a feature: numpy and tempfile load only when a file needs them.
"""

from __future__ import annotations

import io
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from llmcalc.errors import LlmcalcError
from llmcalc.inputs.source import Source
from llmcalc.inputs.vectors.row_buffer import check_finite
from llmcalc.inputs.vectors.vector_set import Packed, VectorSet

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

# What is read through on opening; a larger mapped file is left to the computation.
CHECKED_BYTES = 1 << 26
_COMPRESSED = (".gz", ".bz2", ".xz", ".zst")


class ByteInput(NamedTuple):
    """A plain file on disk, its first bytes, its size, and what the user asked of it.

    ``source.name`` is the user's name for it; its path may be a temporary copy of
    what was compressed or piped in.
    """

    source: Source
    head: bytes
    size: int
    dtype: str | None

    @property
    def name(self) -> str:
        """The name of the file in messages."""
        return self.source.name

    @property
    def path(self) -> str:
        """The path of the plain file."""
        return str(self.source.path)

    @property
    def ending(self) -> str:
        """The ending of the name, lower case, without that of a compressor."""
        parts = [part.lower() for part in Path(self.name).suffixes]
        while parts and parts[-1] in _COMPRESSED:
            parts.pop()
        return parts[-1] if parts else ""

    def mapped(
        self, stored: str | np.dtype[Any], offset: int, shape: tuple[int, ...]
    ) -> NDArray[Any]:
        """Return a memory-mapped array of the file from ``offset`` on."""
        import numpy as np

        array: NDArray[Any] = np.memmap(self.path, stored, "r", offset, shape)
        return array


@contextmanager
def plain_file(source: Source, stream: io.BufferedReader) -> Iterator[str]:
    """Give the path of a plain file with the bytes of a stream.

    What is compressed or piped in is copied to a temporary file, which is gone when
    the context ends; a map of it stays good.
    """
    path = source.plain_path()
    if path is not None:
        yield path
        return
    import shutil
    import tempfile

    with tempfile.NamedTemporaryFile(prefix="llmcalc-") as copy:
        shutil.copyfileobj(stream, copy, 1 << 20)
        copy.flush()
        yield copy.name


def matrix(array: NDArray[Any], name: str) -> NDArray[Any]:
    """Return an array as rows: one vector is one row; a third axis is refused.

    >>> import numpy as np
    >>> matrix(np.arange(3), "a.npy").shape
    (1, 3)
    """
    import numpy as np

    if array.ndim == 0 or 0 in array.shape:
        raise LlmcalcError(f"{name}: has shape {_shape(array)}: no vector")
    if array.ndim > 2:
        raise LlmcalcError(
            f"{name}: has shape {_shape(array)}: one vector a token? "
            "pool them into one vector a text first, for example with mean(axis=1)"
        )
    if array.dtype.kind not in "fiub":
        raise LlmcalcError(f"{name}: holds {array.dtype}, not real numbers")
    rows = array if array.ndim == 2 else np.atleast_2d(array)
    if array.dtype.kind == "b":
        return rows.view(np.uint8)
    return rows.astype(np.float64) if array.dtype.itemsize > 8 else rows


def array_set(
    array: NDArray[Any],
    name: str,
    form: str,
    labels: Sequence[str | int] | None = None,
    packed: Packed | None = None,
) -> VectorSet:
    """Return the vectors of an array, whose rows are named by their index from 0.

    Raises LlmcalcError for what is no matrix of numbers, and for NaN and infinity
    where the array is small enough to be read through at once.
    """
    rows = matrix(array, name)
    found = VectorSet(name, rows, labels, index_place, form, packed, [])
    if rows.nbytes <= CHECKED_BYTES:
        check_finite(rows, found.where_of_many)
    return found


def index_place(row: int) -> str:
    """Return the words for a row of an array.

    >>> index_place(2)
    'index 2'
    """
    return f"index {row}"


def _shape(array: NDArray[Any]) -> str:
    return " x ".join(map(str, array.shape)) or "of a single number"
