"""Rows that are made when they are taken, so that a large file stays on disk.

numpy has no bfloat16 and no 8-bit float, and the vectors of word2vec's binary lie at
uneven distances: an array of such a file would be a copy of it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, cast

from llmcalc.inputs.vectors.element_types import RawType
from llmcalc.inputs.vectors.widening import is_narrow, widened

if TYPE_CHECKING:
    from numpy.typing import NDArray

# Bytes up to which rows are made at once.
SMALL = 1 << 26


class LazyRows:
    """What a search needs of a float32 array of shape (n, d): rows, a few at a time.

    ``take`` returns the rows of a slice, an index or an array of indices.
    """

    def __init__(
        self,
        shape: tuple[int, int],
        take: Callable[[Any], NDArray[Any]],
        columns: slice = slice(None),
    ) -> None:
        """Stand for rows of ``shape``, of which ``columns`` are taken."""
        import numpy as np

        self.shape = shape
        self.ndim = 2
        self.dtype = np.dtype(np.float32)
        self.nbytes = 4 * shape[0] * shape[1]
        self._take = take
        self._columns = columns

    def __len__(self) -> int:
        """Return the number of rows."""
        return self.shape[0]

    def __getitem__(self, chosen: Any) -> Any:
        """Return the chosen rows; of all rows and some columns, the same again."""
        if isinstance(chosen, tuple):
            columns: slice = chosen[1]
            width = len(range(self.shape[1])[columns])
            return LazyRows((self.shape[0], width), self._take, columns)
        return self._take(chosen)[..., self._columns]

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray[Any]:
        """Return all rows: what joins or converts them needs them in memory."""
        import numpy as np

        return np.asarray(self[:], dtype)


def made_rows(
    shape: tuple[int, int], take: Callable[[Any], NDArray[Any]]
) -> NDArray[Any]:
    """Return rows that are made of something else: at once where they are few."""
    rows = LazyRows(shape, take)
    return cast("NDArray[Any]", rows[:] if rows.nbytes <= SMALL else rows)


def widened_rows(stored: NDArray[Any], raw: RawType) -> NDArray[Any]:
    """Return the numbers of stored elements, of a large file when they are taken."""
    if stored.ndim != 2 or not is_narrow(raw):
        return widened(stored, raw)
    count, width = stored.shape
    return made_rows((count, width), lambda chosen: widened(stored[chosen], raw))
