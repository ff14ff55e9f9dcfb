"""Ranges of bytes of a file that hold whole lines, each a stream of its own."""

import io
from itertools import pairwise
from pathlib import Path
from typing import Any

from llmcalc.inputs.compression import BUFFER, File, opened

Range = tuple[int, int]


def line_ranges(path: str, pieces: int) -> list[Range]:
    """Return about equal ranges of bytes, each ending behind a line feed."""
    size = Path(path).stat().st_size
    edges = [0]
    with opened(path) as stream:
        for piece in range(1, pieces):
            stream.seek(max(edges[-1], size * piece // pieces))
            stream.readline()
            edges.append(stream.tell())
    edges.append(size)
    return [(start, stop) for start, stop in pairwise(edges) if start < stop]


def open_range(path: str, where: Range) -> io.BufferedReader:
    """Open the bytes of a range as a stream with ``peek``; the caller closes it."""
    return io.BufferedReader(_Range(path, where), BUFFER)


def lines_before(path: str, start: int) -> int:
    """Return the number of line feeds before a byte of a file."""
    with open_range(path, (0, start)) as stream:
        return sum(
            block.count(b"\n") for block in iter(lambda: stream.read(BUFFER), b"")
        )


class _Range(io.RawIOBase):
    """A raw stream over a part of a file.

    ``io`` asks for this class: it is the standard library's protocol of raw streams.
    """

    def __init__(self, path: str, where: Range) -> None:
        start, stop = where
        self._file = File(path)
        self._file.seek(start)
        self._left = stop - start

    def close(self) -> None:
        self._file.close()
        super().close()

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        size = self._file.readinto(memoryview(buffer)[: self._left]) or 0
        self._left -= size
        return size
