"""Streams that can be peeked at, decompressed by what they hold.

Start-up is a feature: a decompressor loads only when a file needs it.
"""

import io
from collections.abc import Callable
from functools import lru_cache
from typing import Any, BinaryIO, cast

from llmcalc.errors import LlmcalcError, missing_extra, naming

Errors = tuple[type[Exception], ...]
Read = Callable[[int], bytes]
Close = Callable[[], None]
# Large enough that a peek shows what a file is and that a read call costs nothing.
BUFFER = 1 << 18
_MAGIC = (
    (b"\x1f\x8b", "gzip"),
    (b"BZh", "bzip2"),
    (b"\xfd7zXZ\x00", "xz"),
    (b"\x28\xb5\x2f\xfd", "zstd"),
)


def compression(head: bytes) -> str:
    """Return the compression that the first bytes show, or the empty text.

    >>> compression(b"\\x1f\\x8b\\x08"), compression(b"-0.5")
    ('gzip', '')
    """
    return next((method for magic, method in _MAGIC if head.startswith(magic)), "")


def decompressed(name: str, stream: io.BufferedReader) -> io.BufferedReader:
    """Return the stream itself, or what is packed in it.

    Raises LlmcalcError for a missing extra and, while reading, for damaged data.
    """
    try:
        method = compression(stream.peek(8))
    except OSError:
        stream.close()
        raise
    if not method:
        return stream
    unpacked, damage = _decompressor(name, method, stream)

    def close() -> None:
        unpacked.close()
        stream.close()

    return buffered(name, unpacked.read, close, damage)


def opened(path: str) -> io.BufferedReader:
    """Open a file for reading; its failures name it. The caller closes it."""
    return io.BufferedReader(File(path), BUFFER)


class File(io.FileIO):
    """An open file that says which it is when reading it fails."""

    def readinto(self, buffer: Any) -> int | None:
        """Fill the buffer as far as one read goes; OSError names the file."""
        with naming(str(self.name)):
            return super().readinto(buffer)

    def readall(self) -> bytes:
        """Return all that is left; OSError names the file."""
        with naming(str(self.name)):
            return super().readall()


class _Refill(io.RawIOBase):
    """A raw stream that fills each request, so that a slow pipe can be peeked at.

    ``io`` asks for this class: it is the standard library's protocol of raw streams.
    """

    def __init__(self, name: str, read: Read, close: Close, damage: Errors) -> None:
        self._name = name
        self._read = read
        self._close = close
        self._damage = damage

    def close(self) -> None:
        if not self.closed:
            self._close()
        super().close()

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        filled = 0
        while filled < len(buffer):
            piece = self._piece(len(buffer) - filled)
            if not piece:
                break
            buffer[filled : filled + len(piece)] = piece
            filled += len(piece)
        return filled

    def _piece(self, size: int) -> bytes:
        try:
            return self._read(size)
        except EOFError:
            raise LlmcalcError(f"{self._name}: the compressed data end early") from None
        except OSError as error:
            # A decompressor's complaint has no errno; the machine's failures have one.
            if error.errno is not None:
                with naming(self._name):
                    raise
            raise LlmcalcError(f"{self._name}: damaged: {error}") from None
        except self._damage as error:
            raise LlmcalcError(f"{self._name}: damaged: {error}") from None


def buffered(
    name: str, read: Read, close: Close = lambda: None, damage: Errors = ()
) -> io.BufferedReader:
    """Return a buffer over ``read`` whose ``peek`` shows all that is there.

    ``damage`` are the exceptions by which a decompressor calls its input damaged;
    ``close`` is called once, when the buffer is closed.
    """
    return io.BufferedReader(_Refill(name, read, close, damage), BUFFER)


class _Kept(io.BufferedReader):
    """A stream that can be read only once: it stays open, and what was looked at."""

    def close(self) -> None:
        """Leave it open for the next who opens the same source."""


@lru_cache(maxsize=4)
def read_once(name: str, stream: Any) -> io.BufferedReader:
    """Return the one decompressed reader of a pipe, however often it is opened."""
    reader = decompressed(name, buffered(name, stream.read))
    return _Kept(_Refill(name, reader.read, reader.close, ()), BUFFER)


def _decompressor(name: str, method: str, stream: BinaryIO) -> tuple[BinaryIO, Errors]:
    if method == "gzip":
        import gzip
        import zlib

        return cast(BinaryIO, gzip.GzipFile(fileobj=stream)), (zlib.error,)
    if method == "bzip2":
        import bz2

        return cast(BinaryIO, bz2.BZ2File(stream)), ()
    if method == "xz":
        import lzma

        return cast(BinaryIO, lzma.LZMAFile(stream)), (lzma.LZMAError,)
    try:
        import zstandard
    except ModuleNotFoundError:
        raise missing_extra(name, "zstd", "zstandard") from None
    reader = zstandard.ZstdDecompressor().stream_reader(stream, read_across_frames=True)
    return cast(BinaryIO, reader), (zstandard.ZstdError,)
