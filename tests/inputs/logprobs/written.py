"""Read text as ppl does, and what of it a test looks at."""

import io
from itertools import chain
from pathlib import Path
from typing import NamedTuple

from llmcalc.inputs.logprobs.document import Document, Reading, ReadOptions
from llmcalc.inputs.logprobs.reader import open_logprobs, open_stream
from llmcalc.inputs.source import Source


class Found(NamedTuple):
    reading: Reading
    documents: list[Document]
    logprobs: list[float]
    skipped: int
    notes: list[str]


def _found(reading: Reading) -> Found:
    try:
        documents = list(reading.documents)
    finally:
        reading.close()
    logprobs = list(chain.from_iterable(document.logprobs for document in documents))
    skipped = sum(document.skipped for document in documents)
    return Found(reading, documents, logprobs, skipped, reading.notes.lines())


def read_text(text: str | bytes, options: ReadOptions | None = None) -> Found:
    """Read a stream (named x), as a byte range is read."""
    content = text.encode() if isinstance(text, str) else text
    stream = io.BufferedReader(io.BytesIO(content))  # type: ignore[arg-type]
    return _found(open_stream(stream, "x", options or ReadOptions()))


def read_file(
    folder: Path, text: str | bytes, options: ReadOptions | None = None
) -> Found:
    """Read a file (named given)."""
    path = folder / "given"
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    source = Source("given", str(path))
    return _found(open_logprobs(source, options or ReadOptions()))
