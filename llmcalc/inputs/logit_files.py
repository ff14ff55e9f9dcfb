"""A file of logits -> rows: what it holds decides how it is read.

Start-up is a feature: numpy loads for arrays and tables of numbers; a column of text
and the replies of servers need none.
"""

import io
from collections.abc import Sequence
from functools import partial
from itertools import accumulate, chain
from typing import Any, cast

from llmcalc.errors import LlmcalcError
from llmcalc.inputs.content import kind_of, text_lines
from llmcalc.inputs.json_records import records
from llmcalc.inputs.labelled import Labelled, read_labelled
from llmcalc.inputs.logit_json import json_logits
from llmcalc.inputs.logit_places import (
    array_place,
    joined_place,
    labelled_place,
    line_place,
    position_place,
)
from llmcalc.inputs.logits import Logits
from llmcalc.inputs.logprobs import sse
from llmcalc.inputs.numbers import Array, index_place, text_array
from llmcalc.inputs.source import Source
from llmcalc.inputs.top_logprobs import positions

# Names by which an archive's logits are known, best first.
KNOWN_ARRAYS = ("logits", "scores", "logprobs")


def read_file(source: Source) -> Logits:
    """Return the rows of logits of one file or stream.

    Text is a column (one row) or a row a line, ``label<TAB>logit`` or a table with
    a header; JSON is nested arrays or a server's reply with top log-probs; arrays
    have the vocabulary on their last axis. Raises LlmcalcError naming the place.
    """
    with source.open() as stream:
        kind = kind_of(stream.peek(4096))
        if kind == "text":
            return _text(stream.read(), source)
        if kind == "json":
            found = list(records(stream, source.name))
            logits = json_logits(found, source.part, source.name)
            if logits is not None:
                return _from_array(logits.array, logits.labels)
            replies = [(f"line {record.line}", record.value) for record in found]
            return _from_replies(replies, source.name)
    from llmcalc.inputs.arrays import read_one_array

    array = read_one_array(source, kind, KNOWN_ARRAYS)
    return _from_array(Array(source.name, array, index_place))


def joined(parts: Sequence[Logits]) -> Logits:
    """Return the rows of several files one after another."""
    if len(parts) == 1:
        return parts[0]
    starts = list(accumulate((len(part.rows) for part in parts), initial=0))
    labels = None
    if any(part.labels for part in parts):
        labels = [
            part.row_labels(row) or [str(i) for i in range(len(part.rows[row]))]
            for part in parts
            for row in range(len(part.rows))
        ]
    masses = [part.listed_mass for part in parts if part.listed_mass is not None]
    return Logits(
        name=", ".join(part.name for part in parts),
        rows=[row for part in parts for row in part.rows],
        shape=(starts[-1],),
        place=partial(joined_place, [part.place for part in parts], starts),
        labels=labels,
        listed_mass=list(chain.from_iterable(masses))
        if len(masses) == len(parts)
        else None,
        notes=tuple(note for part in parts for note in part.notes),
    )


def _text(content: bytes, source: Source) -> Logits:
    name = source.name
    column = _column(content)
    if column is not None and source.part is None:
        return Logits(name, [column], (), partial(line_place, name))
    lines = list(text_lines(cast(Any, io.BufferedReader(io.BytesIO(content))), name))
    start = next((line for line in lines if line.strip()), "")
    if sse.START.match(start):
        events = sse.events(lines, name)
        replies = [(f"line {event.line}", event.value) for event in events]
        return _from_replies([reply for reply in replies if reply[1]], name)
    labelled = read_labelled(lines, source.part, name)
    if labelled is not None:
        return _from_labelled(labelled, name)
    array = text_array(iter(lines), name)
    return _from_array(array if source.part is None else _picked(array, source.part))


def _picked(array: Array, part: str) -> Array:
    """Return one column, counted from 0, of rows of plain numbers as one row."""
    columns = array.values.shape[-1] if array.values.ndim > 1 else 1
    if not part.isdecimal() or int(part) >= columns:
        raise LlmcalcError(
            f"{array.name}: no column {part!r}; choose with --column: 0 to "
            f"{columns - 1}, it has no header"
        )
    values = array.values.reshape(-1, columns)[:, int(part)]
    return array._replace(values=values, place=partial(_column_place, array, int(part)))


def _column_place(array: Array, column: int, index: Sequence[int]) -> str:
    return array.place([*index, column] if array.values.ndim > 1 else index)


def _column(content: bytes) -> list[float] | None:
    """Return one number a line, the quick way; None for everything else."""
    # What float() accepts and a reader of numbers does not.
    if b"_" in content or not content.isascii():
        return None
    try:
        return list(map(float, content.decode().splitlines())) or None
    except ValueError:
        return None


def _from_array(array: Array, labels: list[list[str]] | None = None) -> Logits:
    import numpy as np

    values = np.atleast_1d(array.values)
    if values.size == 0:
        raise LlmcalcError(f"{array.name}: no logits: the shape is {values.shape}")
    if values.dtype.kind == "b":
        raise LlmcalcError(f"{array.name}: holds booleans, not logits")
    if values.dtype.itemsize > np.dtype(np.float64).itemsize:
        # Wider than any figure of ours, and no Python number either.
        values = values.astype(np.float64)
    return Logits(
        name=array.name,
        rows=values.reshape(-1, values.shape[-1]),
        shape=values.shape[:-1],
        place=partial(array_place, array.name, array.place, values.shape[:-1]),
        labels=labels,
    )


def _from_labelled(found: Labelled, name: str) -> Logits:
    single = len(found.rows) == 1 and len(found.lines) == len(found.rows[0])
    return Logits(
        name=name,
        rows=found.rows,
        shape=() if single else (len(found.rows),),
        place=partial(labelled_place, name, found, single),
        labels=[found.labels] if found.labels else None,
        notes=() if found.note is None else (found.note,),
    )


def _from_replies(replies: list[tuple[str, Any]], name: str) -> Logits:
    if len(replies) == 1:
        ((_, value),) = replies
        replies = [("", value)]
        if isinstance(value, list):
            replies = [(f"record {i}", reply) for i, reply in enumerate(value, 1)]
    found = positions(replies, name)
    sentinels = sum(position.sentinels for position in found)
    note = (
        f"{name}: {sentinels} listed as a server's placeholder (-9999, -3.4e38): masked"
    )
    return Logits(
        name=name,
        rows=[position.logprobs for position in found],
        shape=() if len(found) == 1 else (len(found),),
        place=partial(position_place, name, found),
        labels=[position.labels for position in found],
        listed_mass=[position.listed_mass for position in found],
        notes=(note,) if sentinels else (),
    )
