"""word2vec's binary: ``N D``, then each word, a blank, D float32, perhaps a newline.

Any byte may stand in a vector, so nothing is searched for but the blank after a word.
"""

from __future__ import annotations

import mmap
import re
from array import array
from functools import partial
from typing import TYPE_CHECKING, Any

from llmcalc.errors import LlmcalcError
from llmcalc.inputs.delimited import is_number
from llmcalc.inputs.vectors.byte_input import ByteInput, array_set
from llmcalc.inputs.vectors.lazy_rows import made_rows
from llmcalc.inputs.vectors.vector_set import VectorSet

if TYPE_CHECKING:
    from numpy.typing import NDArray

_HEADER = re.compile(rb"\s*(\d{1,12})[ \t]+(\d{1,9})[ \t\r]*\n")
# A word ends at a blank; longer ones than this are no words.
_MAX_WORD = 1 << 16


def recognise(file: ByteInput) -> bool:
    """Return whether the file has the header and no line of text after it."""
    return begins(file.head)


def begins(head: bytes) -> bool:
    """Return whether the first bytes are the header and no line of numbers.

    >>> begins(b"2 2\\nthe 0.5 1.0\\n"), begins(b"1 1\\nthe \\x00\\x00\\x80?")
    (False, True)
    """
    header = _HEADER.match(head)
    if header is None or header.end() >= len(head):
        return False
    line = head[header.end() :].split(b"\n", 1)[0]
    fields = line.decode("latin-1").split()
    return not all(is_number(field) for field in fields[-2:])


def read(file: ByteInput) -> VectorSet:
    """Read the words and their vectors.

    Raises LlmcalcError where the header promises more than the file holds.
    """
    import numpy as np

    header = _HEADER.match(file.head)
    count, width = (int(header[1]), int(header[2])) if header else (0, 0)
    start = header.end() if header else 0
    if not count or not width or count * (4 * width + 1) > file.size - start:
        raise LlmcalcError(
            f"{file.name}: the header promises {count} vectors of {width} components, "
            f"more than {file.size} bytes hold"
        )
    places = array("q")
    labels: list[str | int] = []
    with (
        open(file.path, "rb") as stream,  # noqa: PTH123 - the same either way
        mmap.mmap(stream.fileno(), 0, access=mmap.ACCESS_READ) as raw,
    ):
        position = start
        for index in range(count):
            blank = raw.find(b" ", position, position + _MAX_WORD)
            end = blank + 1 + 4 * width
            if blank < 0 or end > file.size:
                raise LlmcalcError(
                    f"{file.name}: cut off: the header promises {count} vectors of "
                    f"{width} components, the file holds {index}"
                )
            labels.append(_word(raw[position:blank]))
            places.append(blank + 1)
            position = end
    mapped = file.mapped("u1", 0, (file.size,))
    take = partial(_vectors, mapped, np.frombuffer(places, np.int64), width)
    rows = made_rows((count, width), take)
    return array_set(rows, file.name, "word2vec-binary", labels)


def _vectors(
    mapped: NDArray[Any], places: NDArray[Any], width: int, chosen: Any
) -> NDArray[Any]:
    """Return the vectors that begin at the chosen places, shape (.., width)."""
    import numpy as np

    starts = places[chosen]
    rows = np.empty((starts.size, width), np.float32)
    for row, start in zip(rows, starts.ravel().tolist(), strict=True):
        row[:] = np.frombuffer(mapped, "<f4", width, start)
    return rows.reshape(*starts.shape, width)


def _word(raw: bytes) -> str:
    # Its writer cuts words at a number of bytes, in the middle of a letter too.
    return raw.lstrip(b"\n").decode("utf-8", "replace")
