"""A matrix in a file: npy, memory-mapped, or tsv.

Start-up is a feature: numpy loads when a matrix is made.
"""

import contextlib
import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from llmcalc.errors import LlmcalcError

if TYPE_CHECKING:
    from numpy.typing import NDArray


@contextlib.contextmanager
def matrix_file(path: str | None, shape: tuple[int, int]) -> "Iterator[NDArray[Any]]":
    """Yield a float64 array to be filled, which ends up in ``path`` (None: memory).

    A file that is not finished is taken away again. Raises LlmcalcError where the
    disk has no room for it.
    """
    import numpy as np

    if path is None:
        yield np.empty(shape)
        return
    folder = Path(path).absolute().parent
    need = shape[0] * shape[1] * 8
    room = shutil.disk_usage(folder).free
    if need > room:
        raise LlmcalcError(
            f"{path}: needs {need / 1e9:,.3g} GB, the disk has {room / 1e9:,.3g} GB"
        )
    scratch = folder / f"{Path(path).name}.{os.getpid()}.part"
    try:
        out = np.lib.format.open_memmap(scratch, "w+", np.float64, shape)
        yield out
        out.flush()
        if path.endswith(".tsv"):
            _write_tsv(Path(path), out)
        else:
            scratch.replace(path)
    finally:
        scratch.unlink(missing_ok=True)


def _write_tsv(path: Path, matrix: "NDArray[Any]") -> None:
    with path.open("w", encoding="utf-8") as stream:
        for row in matrix:
            stream.write("\t".join(map(repr, row.tolist())) + "\n")
