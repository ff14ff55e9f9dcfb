"""npy, npz and safetensors: one sequence, or one a row; --mask says what is scored.

Imported only for array files, so numpy may load at the top.
"""

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from llmcalc.errors import LlmcalcError
from llmcalc.inputs.arrays import read_npz_with, read_one_array
from llmcalc.inputs.logprobs.array_checks import checked_array
from llmcalc.inputs.logprobs.checks import Scale, scale_of
from llmcalc.inputs.logprobs.document import Document, Reading, ReadOptions, Where
from llmcalc.inputs.logprobs.notes import Notes
from llmcalc.inputs.logprobs.padding import PADDED, padded
from llmcalc.inputs.numbers import read_array
from llmcalc.inputs.source import Source, resolve_file

WANTED = (
    *("logprobs", "log_probs", "token_logprobs", "logprob", "log_prob"),
    *("transition_scores", "scores"),
)
# So many entries at a time stay in the cache of a processor.
CHUNK = 1 << 17


class _Table(NamedTuple):
    name: str
    rows: NDArray[Any]  # rows x steps
    kept: NDArray[np.bool_] | None  # of the same shape
    vector: bool  # the file has one axis: a row is no part of the place


def read(source: Source, kind: str, options: ReadOptions) -> Reading:
    """Return the reading of an array file; each row is a document.

    Raises LlmcalcError for more than two axes, a mask of another shape, and what is
    no log-prob, naming its index.
    """
    if options.part in ("prompt", "output"):
        raise LlmcalcError(f"{source.name}: {kind} has no parts; leave --part out")
    part = source._replace(part=source.part or options.column)
    if kind == "npz":
        values, mask = read_npz_with(part, WANTED, options.mask)
    else:
        values, mask = read_one_array(part, kind, WANTED), None
    if values.ndim > 2:
        raise LlmcalcError(
            f"{source.name}: has the shape {values.shape}; log-probs have one axis "
            "(a sequence) or two (a sequence a row)"
        )
    kept = _mask(source.name, mask, options.mask, values.shape)
    table = _Table(source.name, np.atleast_2d(values), kept, values.ndim < 2)
    notes = Notes()
    scale = scale_of(options, "e")
    return Reading(
        format="npy",
        part="all",
        base=scale.base,
        unit="token",
        notes=notes,
        documents=_documents(table, scale, notes),
    )


def _mask(
    name: str, found: NDArray[Any] | None, mask: str | None, shape: tuple[int, ...]
) -> NDArray[np.bool_] | None:
    """Return what is scored: the array found in the archive, or a file of its own."""
    if mask is None:
        return None
    name = f"{name}:{mask}"
    if found is None:
        name, found = mask, read_array(resolve_file(mask)).values
    if found.shape != shape:
        raise LlmcalcError(
            f"{name}: the mask has the shape {found.shape}, the log-probs have {shape}"
        )
    kept: NDArray[np.bool_] = np.atleast_2d(found) != 0
    return kept


def _documents(table: _Table, scale: Scale, notes: Notes) -> Iterator[Document]:
    for index, row in enumerate(table.rows):
        where = Where(
            table.name, path="index " if table.vector else f"row {index}, index "
        )
        # A sequence by itself may well end with one certain token.
        if table.kept is None and padded(row, 2 if table.vector else 1):
            notes.add(
                PADDED, table.name if table.vector else f"{table.name}: row {index}"
            )
        for start in range(0, max(row.size, 1), CHUNK):
            chunk = slice(start, start + CHUNK)
            kept = table.kept[index, chunk] if table.kept is not None else None
            here = where._replace(first=start)
            document = _document(row[chunk], kept, here, scale, notes)
            yield document._replace(continues=start > 0)


def _document(
    values: NDArray[Any],
    kept: NDArray[np.bool_] | None,
    where: Where,
    scale: Scale,
    notes: Notes,
) -> Document:
    out: list[int] = []
    if kept is not None:
        out = np.flatnonzero(~kept).tolist()
        values = values[kept]
    place = where._replace(nulls=out).place
    logprobs, dropped = checked_array(values, scale, place, notes)
    if dropped:
        left = np.setdiff1d(np.arange(len(values) + len(out)), out)
        out = sorted([*out, *left[dropped].tolist()])
    return Document(
        id="", logprobs=logprobs, where=where._replace(nulls=out), skipped=len(out)
    )
