"""What a file holds, told from its first bytes, and its text as lines."""

import io
import re
from collections.abc import Iterator

from llmcalc.errors import LlmcalcError

_MAGIC = (
    (b"\x93NUMPY", "npy"),
    (b"PK\x03\x04", "npz"),
    (b"PK\x05\x06", "npz"),
    (b"PAR1", "parquet"),
    (b"ARROW1", "arrow"),
    (b"SQLite format 3\x00", "sqlite"),
)
# No header of a real model comes near this; a length above it is not a length.
MAX_SAFETENSORS_HEADER = 100_000_000
_BOMS = (
    (b"\xef\xbb\xbf", "utf-8-sig"),
    (b"\xff\xfe\x00\x00", "utf-32"),
    (b"\x00\x00\xfe\xff", "utf-32"),
    (b"\xff\xfe", "utf-16"),
    (b"\xfe\xff", "utf-16"),
)
_WIDE = ("utf-16", "utf-32")
_PICKLE = re.compile(rb"\x80[\x02-\x05]")
_JSON_START = re.compile(r"\s*[\[{]")


def kind_of(head: bytes) -> str:
    """Return what the first bytes of a file show it to be.

    One of npy, npz, parquet, arrow, sqlite, safetensors, pickle, json, text, binary.

    >>> kind_of(b'  {"a": 1}'), kind_of(b"-0.5"), kind_of(bytes(9))
    ('json', 'text', 'binary')
    """
    for magic, kind in _MAGIC:
        if head.startswith(magic):
            return kind
    if head[8:9] == b"{":
        length = int.from_bytes(head[:8], "little")
        if 2 <= length <= MAX_SAFETENSORS_HEADER:
            return "safetensors"
    if _PICKLE.match(head):
        return "pickle"
    encoding = encoding_of(head)
    if encoding not in _WIDE and b"\x00" in head[:4096]:
        return "binary"
    # An odd last byte of a 16-bit text, or half a letter, says nothing here.
    start = head[:4096].decode(encoding, errors="ignore")
    return "json" if _JSON_START.match(start) else "text"


def encoding_of(head: bytes) -> str:
    """Return the encoding that a byte-order mark names, else UTF-8.

    >>> encoding_of(b"\\xff\\xfe-\\x00")
    'utf-16'
    """
    return next((name for bom, name in _BOMS if head.startswith(bom)), "utf-8")


def text_lines(
    stream: io.BufferedReader, name: str, errors: str = "strict", start: int = 1
) -> Iterator[str]:
    """Yield the lines of a text without their ends (LF, CRLF or CR).

    Raises LlmcalcError naming the line and byte that is not in the encoding: UTF-8,
    or UTF-16 and UTF-32 where a byte-order mark says so. ``errors="surrogateescape"``
    keeps such bytes of UTF-8 for a caller that knows what they are; ``start`` is the
    number of the first line.
    """
    head = stream.peek(4)
    encoding = encoding_of(head)
    old_mac = b"\r" in head and b"\n" not in head
    if encoding in _WIDE or old_mac:
        yield from _wrapped_lines(stream, encoding, name, start)
        return
    if encoding == "utf-8-sig":
        stream.read(3)
    for number, raw in enumerate(stream, start):
        try:
            yield raw.decode(errors=errors).rstrip("\r\n")
        except UnicodeDecodeError as error:
            raise _undecodable(error, name, number) from None


def _wrapped_lines(
    stream: io.BufferedReader, encoding: str, name: str, number: int
) -> Iterator[str]:
    try:
        with io.TextIOWrapper(stream, encoding) as text:
            for line in text:
                yield line.rstrip("\n")
                number += 1
    except UnicodeDecodeError as error:
        raise _undecodable(error, name, number) from None


def _undecodable(error: UnicodeDecodeError, name: str, line: int) -> LlmcalcError:
    byte = error.object[error.start]
    encoding = error.encoding.upper()
    return LlmcalcError(
        f"{name}: line {line}: byte 0x{byte:02x} is not {encoding}; "
        "convert the file, for example with iconv"
    )
