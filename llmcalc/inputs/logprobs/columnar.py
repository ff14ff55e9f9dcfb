"""Parquet and Arrow files: a column of log-probs, or one of lists of them.

Imported only for such files; pyarrow comes with the extra ``parquet``.
"""

from collections.abc import Iterator, Sequence
from itertools import chain
from typing import Any

from llmcalc.errors import LlmcalcError, missing_extra
from llmcalc.inputs.logprobs.checks import scale_of
from llmcalc.inputs.logprobs.document import (
    Document,
    Entries,
    Reading,
    ReadOptions,
    Where,
)
from llmcalc.inputs.logprobs.notes import Notes
from llmcalc.inputs.logprobs.padding import PADDED, padded
from llmcalc.inputs.logprobs.parts import Context, document_of
from llmcalc.inputs.logprobs.table_columns import Columns, columns_of
from llmcalc.inputs.logprobs.table_pieces import Cell, pieces_of
from llmcalc.inputs.source import Source

# Columns that name the row of a list, where none of a table's names is there.
IDS = ("id", "custom_id", "name")


def read(source: Source, kind: str, options: ReadOptions) -> Reading:
    """Return the reading of a columnar file.

    Each list is a document; of a column of numbers, each run of rows with one
    document id is. Raises LlmcalcError where no column is known to hold log-probs.
    """
    if options.part in ("prompt", "output"):
        raise LlmcalcError(f"{source.name}: {kind} has no parts; leave --part out")
    if options.mask is not None:
        raise LlmcalcError(f"{source.name}: --mask goes with npy and npz")
    context = Context(options, scale_of(options, "e"), Notes())
    return Reading(
        format="parquet",
        part="all",
        base=context.scale.base,
        unit="token",
        notes=context.notes,
        documents=_documents(source, kind, context),
    )


def _documents(source: Source, kind: str, context: Context) -> Iterator[Document]:
    try:
        import pyarrow as pa
    except ModuleNotFoundError:
        raise missing_extra(source.name, "parquet", "pyarrow") from None
    try:
        names, batches = _opened(source, kind)
        columns = columns_of(names, context.options, source.name)
        cells = _cells(names, columns, batches)
        first = next(cells, None)
        if first is None:
            raise LlmcalcError(f"{source.name}: the table has no rows")
        rows = chain([first], cells)
        if isinstance(first.value, list):
            for cell in rows:
                yield _listed(cell, source.name, context)
        else:
            yield from pieces_of(rows, Where(source.name, path="row "), context)
    except (pa.ArrowException, OSError) as error:
        if isinstance(error, OSError) and error.errno is not None:
            raise
        reason = str(error).partition("\n")[0]
        raise LlmcalcError(f"{source.name}: damaged, or no table: {reason}") from None


def _opened(source: Source, kind: str) -> tuple[list[str], Iterator[Any]]:
    """Return the names of the columns and the batches of rows."""
    import io

    import pyarrow as pa

    path = source.plain_path()
    file: Any = path
    if path is None:
        with source.open() as stream:
            file = io.BytesIO(stream.read())
    if kind == "parquet":
        import pyarrow.parquet as pq

        table = pq.ParquetFile(file)
        return list(table.schema_arrow.names), table.iter_batches()
    opened = pa.memory_map(path) if path is not None else file
    if kind == "arrow-stream":
        reader = pa.ipc.open_stream(opened)
        return list(reader.schema.names), iter(reader)
    reader = pa.ipc.open_file(opened)
    count = reader.num_record_batches
    return list(reader.schema.names), map(reader.get_batch, range(count))


def _cells(
    names: Sequence[str], columns: Columns, batches: Iterator[Any]
) -> Iterator[Cell]:
    """Yield what is read of each row, numbered from 0."""
    named = [name.lower() for name in names]
    ids = [named.index(name) for name in IDS if name in named]
    number = 0
    for batch in batches:
        values = batch.column(columns.logprob).to_pylist()
        lists = any(isinstance(value, list) for value in values)
        label = (
            ids[0] if columns.document is None and ids and lists else columns.document
        )
        tokens = _listing(batch, columns.token, len(values))
        labels = _listing(batch, label, len(values))
        for value, token, name in zip(values, tokens, labels, strict=True):
            yield Cell(number, value, token, name)
            number += 1


def _listing(batch: Any, column: int | None, count: int) -> list[Any]:
    if column is None:
        return [None] * count
    found: list[Any] = batch.column(column).to_pylist()
    return found


def _listed(cell: Cell, name: str, context: Context) -> Document:
    """Return the document of a row that holds a list."""
    where = Where(name, path=f"row {cell.number}, index ")
    tokens: Any = cell.token
    if not isinstance(tokens, list) or len(tokens) != len(cell.value or ()):
        tokens = None
    entries = Entries(cell.value or [], where.path, tokens)
    if padded(entries.values, 2):
        context.notes.add(PADDED, f"{name}: row {cell.number}")
    label = "" if cell.document is None else str(cell.document)
    return document_of(entries, where, context)._replace(id=label)
