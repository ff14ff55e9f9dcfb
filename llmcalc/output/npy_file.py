"""A .npy file of doubles, written row by row so that no array has to be held."""

import contextlib
from collections.abc import Iterator, Sequence
from pathlib import Path
from types import TracebackType

import numpy as np

# The file appears under its own name only when it is whole.
_UNFINISHED = ".part"


class NpyFile:
    """A .npy file of float64 of a known shape; rows come in order.

    What was written before an error is removed, and a file of that name stays. A
    pipe or a device is written to as it is. Raises OSError where it cannot be opened.
    """

    def __init__(self, path: str, shape: tuple[int, ...]) -> None:
        self._name = path
        special = Path(path).exists() and not Path(path).is_file()
        # A link stays a link: what it points to is replaced.
        self._path = Path(path) if special else Path(path).resolve()
        ending = "" if special else _UNFINISHED
        self._unfinished = self._path.with_name(self._path.name + ending)
        with self._named():
            self._stream = self._unfinished.open("wb")
        header = {"descr": "<f8", "fortran_order": False, "shape": shape}
        np.lib.format.write_array_header_1_0(self._stream, header)

    def write(self, row: Sequence[float]) -> None:
        """Append the numbers of one row."""
        with self._named():
            self._stream.write(np.ascontiguousarray(row, dtype="<f8").data)

    @contextlib.contextmanager
    def _named(self) -> Iterator[None]:
        """Say which file it was that the machine failed on."""
        try:
            yield
        except OSError as error:
            error.filename = self._name
            raise

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
            with self._named():
                self._stream.close()
            if kind is None and self._unfinished != self._path:
                self._unfinished.replace(self._path)
        finally:
            if self._unfinished != self._path:
                self._unfinished.unlink(missing_ok=True)
