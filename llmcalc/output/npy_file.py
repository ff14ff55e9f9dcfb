"""A .npy file of doubles, written row by row so that no array has to be held."""

import contextlib
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType

import numpy as np

# The file appears under its own name only when it is whole.
_UNFINISHED = ".part"


class NpyFile:
    """A .npy file of float64 of a known shape; rows come in order.

    What was written before an error is removed, and a file of that name stays.
    """

    def __init__(self, path: str, shape: tuple[int, ...]) -> None:
        self._path = Path(path)
        self._unfinished = self._path.with_name(self._path.name + _UNFINISHED)
        self._stream = self._unfinished.open("wb")
        header = {"descr": "<f8", "fortran_order": False, "shape": shape}
        np.lib.format.write_array_header_1_0(self._stream, header)

    def write(self, row: Sequence[float]) -> None:
        """Append the numbers of one row."""
        self._stream.write(np.ascontiguousarray(row, dtype="<f8").data)

    def __enter__(self) -> "NpyFile":
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Give the file its name, or remove it after an error."""
        try:
            self._stream.close()
            if kind is None:
                self._unfinished.replace(self._path)
        finally:
            with contextlib.suppress(FileNotFoundError):
                self._unfinished.unlink()
