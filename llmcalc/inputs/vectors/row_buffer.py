"""Vectors that arrive one after another -> one matrix, checked on the way.

Start-up is a feature: numpy loads only when vectors are read.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any

from llmcalc.errors import LlmcalcError
from llmcalc.inputs.vectors.element_types import RawType
from llmcalc.inputs.vectors.widening import widened

if TYPE_CHECKING:
    from numpy import dtype
    from numpy.typing import NDArray

_FIRST_ROWS = 64
# Rows looked at in one go: what is checked stays in the cache.
_CHECKED_BYTES = 1 << 20


class RowBuffer:
    """A matrix that grows by rows.

    Doubles (lists of Python's numbers, arrays) are kept as float32 while every one of
    them is a float32, from the first that is not as float64: no digit is lost and none
    is stored twice. Other arrays keep their own element type.
    """

    def __init__(self, name: str) -> None:
        """Start empty; ``name`` is the file's, for messages."""
        self.name = name
        self.count = 0
        self._rows: NDArray[Any] | None = None
        self._pack = struct.Struct("0d")

    def add(self, vector: Any, where: Callable[[], str]) -> None:
        """Append a list of numbers or a 1-D array; ``where()`` names its place.

        Raises LlmcalcError for another length than the first, and for a component
        that is no number.
        """
        rows = self._room(vector, where)
        if isinstance(vector, list):
            self._add_doubles(rows, self._doubles(vector, where))
        elif vector.dtype == "f8":
            self._add_doubles(rows, vector)
        else:
            self._add_array(rows, vector)
        self.count += 1

    def finish(self) -> NDArray[Any]:
        """Return the matrix, of shape (rows added, d)."""
        if self._rows is None:
            raise LlmcalcError(f"{self.name}: holds no vector")
        self._rows.resize((self.count, self._rows.shape[1]), refcheck=False)
        return self._rows

    def _room(self, vector: Any, where: Callable[[], str]) -> NDArray[Any]:
        """Return the matrix with a free row of the vector's length."""
        import numpy as np

        if self._rows is None:
            if len(vector) == 0:
                raise LlmcalcError(f"{where()}: the vector is empty")
            doubles = isinstance(vector, list) or vector.dtype == "f8"
            dtype = np.dtype(np.float32) if doubles else vector.dtype
            self._rows = np.empty((_FIRST_ROWS, len(vector)), dtype)
            self._pack = struct.Struct(f"{len(vector)}d")
        rows = self._rows
        width = rows.shape[1]
        if len(vector) != width:
            if isinstance(vector, list):
                check_components(vector, where)
            raise LlmcalcError(
                f"{where()}: has {len(vector)} components, the first vector has {width}"
            )
        if self.count == len(rows):
            # realloc moves pages, not bytes; nobody else holds this array.
            rows.resize((len(rows) + len(rows) // 2 + 1, width), refcheck=False)
        return rows

    def _doubles(self, vector: list[Any], where: Callable[[], str]) -> NDArray[Any]:
        """Return a list of numbers as doubles; what is no number is named."""
        import numpy as np

        try:
            packed = self._pack.pack(*vector)
        except (struct.error, OverflowError):
            check_components(vector, where)
            raise
        exact = np.frombuffer(packed, np.float64)
        # A bool counts as 0 or 1 to everything in Python; few vectors hold those.
        if ((exact == 0) | (exact == 1)).any():
            check_components(vector, where)
        return exact

    def _add_doubles(self, rows: NDArray[Any], exact: NDArray[Any]) -> None:
        import numpy as np

        if rows.dtype != np.float64:
            with np.errstate(over="ignore", under="ignore"):
                narrow = exact.astype(np.float32)
            if rows.dtype == np.float32 and (narrow == exact).all():
                rows[self.count] = narrow
                return
            rows = self._retyped(rows, np.dtype(np.float64))
        rows[self.count] = exact

    def _add_array(self, rows: NDArray[Any], vector: NDArray[Any]) -> None:
        import numpy as np

        if rows.dtype != vector.dtype:
            common = np.result_type(rows.dtype, vector.dtype)
            if rows.dtype != common:
                rows = self._retyped(rows, common)
        rows[self.count] = vector

    def _retyped(self, rows: NDArray[Any], element: dtype[Any]) -> NDArray[Any]:
        import numpy as np

        self._rows = np.empty(rows.shape, element)
        self._rows[: self.count] = rows[: self.count]
        return self._rows


def check_components(vector: Sequence[Any], where: Callable[[], str]) -> None:
    """Raise LlmcalcError naming the first component that is no number, if any."""
    for index, component in enumerate(vector):
        if isinstance(component, float):
            continue
        if isinstance(component, list):
            raise LlmcalcError(
                f"{where()}: component {index} is a list: one vector a token? "
                "pool them into one vector a text first"
            )
        if isinstance(component, dict):
            raise LlmcalcError(
                f"{where()}: component {index} is an object: a sparse vector? "
                "write it out as a list of all its components"
            )
        if component is None:
            raise LlmcalcError(f"{where()}: component {index} is null")
        if isinstance(component, bool) or not isinstance(component, int):
            shown = str(component).lower() if isinstance(component, bool) else component
            raise LlmcalcError(
                f"{where()}: component {index}: {shown!r:.40} is not a number"
            )
        try:
            float(component)
        except OverflowError:
            raise LlmcalcError(
                f"{where()}: component {index}: {str(component)[:20]}... is beyond "
                "the range of a double"
            ) from None


def blocks(rows: NDArray[Any]) -> Iterable[tuple[int, NDArray[Any]]]:
    """Yield the rows in blocks that fit a cache, each with the index of its first."""
    step = max(1, _CHECKED_BYTES // max(1, rows[:1].nbytes))
    for start in range(0, len(rows), step):
        yield start, rows[start : start + step]


def check_finite(rows: NDArray[Any], where: Callable[[int], str]) -> None:
    """Raise LlmcalcError naming the first row and component that is NaN or infinite."""
    import numpy as np

    if rows.dtype.kind != "f":
        return
    for start, block in blocks(rows):
        wrong = ~np.isfinite(block)
        if wrong.any():
            row, column = (int(axis[0]) for axis in np.nonzero(wrong))
            raise LlmcalcError(
                f"{where(start + row)}: component {column} is {block[row, column]}"
            )


def integers(vector: list[Any], raw: RawType, where: Callable[[], str]) -> NDArray[Any]:
    """Return a list of whole numbers as int8, uint8 or the bytes of packed bits."""
    import numpy as np

    check_components(vector, where)
    exact = np.array(vector, np.float64)
    low, high = (-128, 127) if raw.stored == "i1" else (0, 255)
    wrong = ~((exact >= low) & (exact <= high) & (np.rint(exact) == exact))
    if wrong.any():
        index = int(np.nonzero(wrong)[0][0])
        raise LlmcalcError(
            f"{where()}: component {index}: {vector[index]} is no {raw.name} "
            f"({low} to {high})"
        )
    return widened(exact.astype(raw.stored), raw)
