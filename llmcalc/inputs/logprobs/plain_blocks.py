"""Plain numbers, many of them: a block of text at a time, through arrays.

What a block holds beside numbers and separators (comments, null, a fault) is for the
slow way, line by line, which has words for it; both give the same doubles.

Start-up is a feature: numpy loads only for a text that is long.
"""

import io
import itertools
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from llmcalc.core.perplexity import ROUNDING
from llmcalc.inputs.content import encoding_of, text_lines
from llmcalc.inputs.logprobs import plain_text
from llmcalc.inputs.logprobs.checks import CLIP, checked
from llmcalc.inputs.logprobs.document import LOGS, Document, Where
from llmcalc.inputs.logprobs.entry_lists import without
from llmcalc.inputs.logprobs.parts import Context
from llmcalc.inputs.logprobs.text_lines import Lines

if TYPE_CHECKING:
    from numpy.typing import NDArray

# A text below this is read sooner than numpy is loaded.
LONG = 1 << 19
_BLOCK = 1 << 18
# As decimal_text.PAD, which loads numpy.
PAD = 32
_BYTES = ("utf-8", "utf-8-sig")
_BOM = b"\xef\xbb\xbf"
# What parts numbers, beside the line feed.
_SEPARATORS = b" \t\r,;"
_TO_LINE_FEED = bytes.maketrans(_SEPARATORS, b"\n" * len(_SEPARATORS))


def read(
    stream: io.BufferedReader, name: str, context: Context, first_line: int = 1
) -> Iterator[Document]:
    """Yield the one document of a text, in pieces.

    Raises LlmcalcError naming the line and what is not a number there.
    """
    head = stream.read(LONG)
    if len(head) < LONG or encoding_of(head) not in _BYTES or b"\n" not in head:
        rest = itertools.chain([head], iter(lambda: stream.read(LONG), b""))
        yield from _slowly(b"".join(rest), name, context, first_line)
        return
    line, continues, separated = first_line, False, False
    for block in _blocks(head.removeprefix(_BOM), stream):
        read = None
        if not context.scale.probs and block.isascii():
            read = _quickly(block, line, separated)
            if read is None and not separated:
                separated = any(block.find(mark) >= 0 for mark in _SEPARATORS)
                read = _quickly(block, line, True) if separated else None
        if read is None:
            pieces = _slowly(bytes(block[PAD:]), name, context, line)
            line += block.count(b"\n", PAD)
        else:
            pieces = iter([_document(read, name, context)])
            line = read.next_line
        for piece in pieces:
            yield piece._replace(continues=continues)
            continues = True


class _Numbers(NamedTuple):
    values: "NDArray[Any]"
    lines: Sequence[int]
    next_line: int


def _blocks(head: bytes, stream: io.BufferedReader) -> Iterator[bytearray]:
    """Yield whole lines behind PAD line feeds; the last line gets its end."""
    held = head
    while True:
        block = bytearray(PAD + len(held) + _BLOCK)
        block[:PAD] = b"\n" * PAD
        block[PAD : PAD + len(held)] = held
        size = stream.readinto(memoryview(block)[PAD + len(held) :])
        if not size:
            break
        del block[PAD + len(held) + size :]
        cut = block.rfind(b"\n") + 1
        held = bytes(block[cut:])
        del block[cut:]
        if cut > PAD:
            yield block
    if held:
        yield bytearray(
            b"".join([b"\n" * PAD, held, b"" if held.endswith(b"\n") else b"\n"])
        )


def _slowly(block: bytes, name: str, context: Context, line: int) -> Iterator[Document]:
    stream: Any = io.BufferedReader(io.BytesIO(block))
    lines = Lines(name, enumerate(text_lines(stream, name, start=line), line))
    return plain_text.read(lines, context)


def _quickly(block: bytearray, line: int, separated: bool) -> _Numbers | None:
    import numpy as np

    from llmcalc.inputs.decimal_text import read_decimals

    text = block.translate(_TO_LINE_FEED) if separated else block
    decimals = read_decimals(np.frombuffer(text, np.uint8))
    if decimals is None or not decimals.values.size:
        return None
    n = len(decimals.values)
    if not separated and not decimals.gaps:
        return _Numbers(decimals.values, range(line, line + n), line + n)
    feeds = np.flatnonzero(np.frombuffer(block, np.uint8)[PAD:] == ord("\n"))
    lines: Any = np.searchsorted(feeds, decimals.ends - PAD) + line
    return _Numbers(decimals.values, lines, line + len(feeds))


def _document(numbers: _Numbers, name: str, context: Context) -> Document:
    where = Where(name, lines=numbers.lines)
    scale = context.scale
    logprobs: Any = -numbers.values if scale.nll else numbers.values
    # A NaN fails both.
    if not (logprobs.min() > CLIP and logprobs.max() <= ROUNDING):
        found = checked(numbers.values.tolist(), scale, where.place, context.notes)
        lines = without(where.lines, found.dropped)
        where = where._replace(lines=lines)
        return Document("", found.logprobs, where, skipped=len(found.dropped))
    factor = LOGS[scale.base]
    if factor != 1.0:
        logprobs = logprobs * factor
    return Document("", logprobs, where)
