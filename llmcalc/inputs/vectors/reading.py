"""Typed numbers or a file -> vectors: what the file holds picks the reader.

Start-up is a feature: numpy and the table of families load only for a file.
"""

from __future__ import annotations

import io
import itertools
from pathlib import Path

from llmcalc.errors import LlmcalcError
from llmcalc.inputs.content import encoding_of, kind_of, text_lines
from llmcalc.inputs.source import Source, Typed
from llmcalc.inputs.vectors.vector_set import VectorOptions, VectorSet

# What is looked at before a reader is picked: a few lines of the widest vectors.
HEAD_BYTES = 1 << 18
_ASCII = bytes(range(32, 127)) + b"\t\r\n"
# Of the bytes of float32 about half are no printable ASCII, of Latin-1 few; --dtype
# speaks for bytes.
_LEAST_OTHERS, _LEAST_OTHERS_ASKED = 0.25, 0.1
# Formats whose uint8 may as well be packed bits.
_ARRAYS = ("npy", "npz", "safetensors", "arrow")
_UNKNOWN = {
    "pickle": "is a pickle, which can run code: not opened; save the vectors as npy",
}


def read(value: Typed | Source, options: VectorOptions) -> VectorSet:
    """Return the vectors of one value, with the labels that the options name.

    Raises LlmcalcError for a file of no known format, and for everything in it that
    is no vector.
    """
    if isinstance(value, Typed):
        return _typed(value)
    part = value.part or options.column or options.key
    found = _read_file(value._replace(part=part), options.dtype)
    shared = options.several and part in (options.column, options.key)
    if part is not None and not shared:
        _check_part(found, part)
    found = _as_asked(found, options.dtype)
    if options.labels is not None:
        from llmcalc.inputs.vectors.labels import read_labels

        found = found._replace(labels=read_labels(options.labels, len(found.rows)))
    return found


def _check_part(found: VectorSet, part: str) -> None:
    """Raise LlmcalcError for a part of what is no more than one set of vectors."""
    from llmcalc.inputs.vectors.families import FAMILIES

    family = next(family for family in FAMILIES if family.name == found.format)
    if not family.parted:
        raise LlmcalcError(
            f"{found.name}: one set of vectors ({family.title}), it has no {part!r}"
        )


def _typed(value: Typed) -> VectorSet:
    import numpy as np

    from llmcalc.inputs.vectors.row_buffer import check_finite

    rows = np.array([value.numbers], np.float64)
    check_finite(rows, lambda _: value.name)
    position = f"vector {value.position}"
    return VectorSet(value.name, rows, None, lambda _: position, "typed", None, [])


def _read_file(source: Source, dtype: str | None) -> VectorSet:
    from llmcalc.inputs.vectors import byte_input

    with source.open() as stream:
        head = stream.peek(HEAD_BYTES)[:HEAD_BYTES]
        if not head:
            raise LlmcalcError(f"{source.name}: is empty")
        kind = kind_of(head)
        if kind == "json" and not _is_printed(head, source.name):
            from llmcalc.inputs.vectors.gather import read_json

            return read_json(stream, source.name, source.part, dtype)
        if kind in ("json", "text") and not _may_be_bytes(head, source.name, dtype):
            return _read_text(stream, source, dtype)
        with byte_input.plain_file(source, stream) as path:
            return _read_bytes(source._replace(path=path), head, dtype)


def _read_bytes(plain: Source, head: bytes, dtype: str | None) -> VectorSet:
    from llmcalc.inputs.vectors.byte_families import byte_family
    from llmcalc.inputs.vectors.byte_input import ByteInput

    size = Path(str(plain.path)).stat().st_size
    file = ByteInput(plain, head, size, dtype)
    family = byte_family(file)
    if family is not None:
        return family.read(file)
    kind = kind_of(head)
    if kind == "text":
        with plain.open() as stream:
            return _read_text(stream, plain, dtype)
    problem = _UNKNOWN.get(
        kind,
        "is no vector file that is known; raw numbers need --dtype, as in float32 "
        "for one vector or float32x384 for rows of 384",
    )
    raise LlmcalcError(f"{plain.name}: {problem}")


def _is_printed(head: bytes, name: str) -> bool:
    from llmcalc.inputs.vectors import printed

    return printed.begins(head, name)


def _may_be_bytes(head: bytes, name: str, dtype: str | None) -> bool:
    """Return whether what begins like text may be binary after all.

    The binary of word2vec begins with a line of text; short blobs may hold no zero.
    Text in another encoding is no UTF-8 either, but most of it is ASCII.
    """
    import codecs

    from llmcalc.inputs.vectors import word2vec_binary, words

    if word2vec_binary.begins(head):
        return True
    if encoding_of(head) != "utf-8":
        return False
    try:
        # A letter may be cut at the end of what was looked at.
        codecs.getincrementaldecoder("utf-8")().decode(head)
    except UnicodeDecodeError:
        others = len(head.translate(None, _ASCII))
        least = _LEAST_OTHERS if dtype is None else _LEAST_OTHERS_ASKED
        return others > least * len(head) and not words.begin(head, name)
    return False


def _read_text(
    stream: io.BufferedReader, source: Source, dtype: str | None
) -> VectorSet:
    from llmcalc.inputs.vectors.text_families import text_family
    from llmcalc.inputs.vectors.text_input import TextInput, first_lines

    lines = text_lines(stream, source.name, "surrogateescape")
    head = first_lines(lines)
    text = TextInput(
        source.name, head, itertools.chain(head, lines), source.part, dtype
    )
    return text_family(text).read(text)


def _as_asked(found: VectorSet, dtype: str | None) -> VectorSet:
    """Return the vectors in the element type that the user named, if any.

    Without one, a file of uint8 says how it was taken.
    """
    from llmcalc.inputs.vectors.element_types import raw_type
    from llmcalc.inputs.vectors.encodings import as_type
    from llmcalc.inputs.vectors.row_buffer import check_finite

    if dtype is None:
        if found.rows.dtype == "u1" and found.packed is None:
            found.notes.extend(_uint8_notes(found))
        return found
    if found.packed is not None:
        return found
    raw = raw_type(dtype)
    rows = as_type(found.rows, raw, found.where)
    if rows is not found.rows:
        check_finite(rows, found.where_of_many)
    return found._replace(rows=rows, packed="ubinary" if raw.packed else None)


def _uint8_notes(found: VectorSet) -> list[str]:
    sample = found.rows[:256]
    notes = []
    if sample.max() > 1 and found.format in _ARRAYS:
        notes = [f"{found.name}: uint8 components; --dtype ubinary reads packed bits"]
    if abs(float(sample.mean()) - 128) < 32:
        notes.append(
            f"{found.name}: uint8 around 128: where a zero point was added, cosines "
            "lean towards 1"
        )
    return notes
