"""Parquet and Arrow (file or stream): a column of lists, or of printed vectors.

Start-up is a feature: pyarrow, an extra, loads only for such a file.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from llmcalc.errors import LlmcalcError, missing_extra
from llmcalc.inputs.vectors.byte_input import ByteInput, array_set
from llmcalc.inputs.vectors.cells import parse_cell
from llmcalc.inputs.vectors.collector import NO_LINE, Collector
from llmcalc.inputs.vectors.reply import LABEL_NAMES, VECTOR_NAMES
from llmcalc.inputs.vectors.vector_set import VectorSet, label_words

if TYPE_CHECKING:
    from numpy.typing import NDArray

_STREAM = b"\xff\xff\xff\xff"


def recognise(file: ByteInput) -> bool:
    """Return whether the file is Parquet, an Arrow file or an Arrow stream."""
    return file.head.startswith((b"PAR1", b"ARROW1", _STREAM))


def read(file: ByteInput) -> VectorSet:
    """Read the column of vectors, labelled by the column that names the rows.

    Raises LlmcalcError for a null, a ragged or an unclear column, and without pyarrow.
    """
    try:
        import pyarrow as pa
    except ModuleNotFoundError:
        raise missing_extra(file.name, "parquet", "pyarrow") from None
    try:
        table = _table(file)
        column = _vector_column(table.schema, file)
        vectors = table.column(column)
        label = _label_column(table.schema, column)
        labels = None if label is None else table.column(label).to_pylist()
    except (pa.ArrowException, OSError) as error:
        reason = str(error).partition("\n")[0]
        raise LlmcalcError(f"{file.name}: damaged, or no table: {reason}") from None
    name = f"{file.name}:{column}"
    if pa.types.is_string(vectors.type) or pa.types.is_large_string(vectors.type):
        return _printed(vectors.to_pylist(), labels, name)
    return array_set(_matrix(vectors, name), name, "arrow", labels)


def _table(file: ByteInput) -> Any:
    import pyarrow as pa

    if file.head.startswith(b"PAR1"):
        import pyarrow.parquet as pq

        return pq.ParquetFile(file.path, memory_map=True).read()
    source = pa.memory_map(file.path)
    if file.head.startswith(_STREAM):
        return pa.ipc.open_stream(source).read_all()
    return pa.ipc.open_file(source).read_all()


def _is_list(kind: Any) -> bool:
    from pyarrow import types

    nested = (
        types.is_list(kind)
        or types.is_large_list(kind)
        or types.is_fixed_size_list(kind)
    )
    return bool(nested) and bool(
        types.is_floating(kind.value_type) or types.is_integer(kind.value_type)
    )


def _vector_column(schema: Any, file: ByteInput) -> str:
    """Return the name of the column asked for, known, or the only one of lists."""
    part = file.source.part
    if part is not None:
        if part in schema.names:
            return part
        raise LlmcalcError(
            f"{file.name}: no column {part!r}; it has {', '.join(schema.names)}"
        )
    lists = [field.name for field in schema if _is_list(field.type)]
    named = [name for name in lists if name.lower() in VECTOR_NAMES]
    if not lists:
        lists = [name for name in schema.names if name.lower() in VECTOR_NAMES]
    for choice in (named, lists):
        if len(choice) == 1:
            return str(choice[0])
    if not lists:
        raise LlmcalcError(
            f"{file.name}: no column holds lists of numbers: {', '.join(schema.names)}"
        )
    raise LlmcalcError(
        f"{file.name}: which column is the vector? choose with {file.name}:COLUMN: "
        f"{', '.join(lists)}"
    )


def _label_column(schema: Any, vector: str) -> str | None:
    from pyarrow import types

    for wanted in LABEL_NAMES:
        for field in schema:
            usable = types.is_string(field.type) or types.is_integer(field.type)
            usable = usable or types.is_large_string(field.type)
            if field.name.lower() == wanted and field.name != vector and usable:
                return str(field.name)
    return None


def _matrix(column: Any, name: str) -> NDArray[Any]:
    """Return a column of equally long lists as a matrix; one chunk is not copied."""
    import numpy as np

    if not _is_list(column.type):
        raise LlmcalcError(f"{name}: holds {column.type}, not lists of numbers")
    if column.null_count:
        first = column.is_null().to_pylist().index(True)
        raise LlmcalcError(f"{name}: index {first}: the vector is null")
    pieces = []
    width, done = None, 0
    for chunk in column.chunks:
        if len(chunk) == 0:
            continue
        lengths = np.asarray(chunk.value_lengths())
        width = int(lengths[0]) if width is None else width
        wrong = np.nonzero(lengths != width)[0]
        if len(wrong):
            raise LlmcalcError(
                f"{name}: index {done + int(wrong[0])}: has {lengths[wrong[0]]} "
                f"components, the first vector has {width}"
            )
        values = chunk.flatten()
        if values.null_count:
            first = values.is_null().to_pylist().index(True)
            row, component = divmod(first, width)
            raise LlmcalcError(
                f"{name}: index {done + row}: component {component} is null"
            )
        pieces.append(values.to_numpy().reshape(len(chunk), width))
        done += len(chunk)
    if not pieces:
        raise LlmcalcError(f"{name}: holds no vector")
    return pieces[0] if len(pieces) == 1 else np.concatenate(pieces)


def _printed(cells: list[Any], labels: list[Any] | None, name: str) -> VectorSet:
    """Read a column of printed vectors."""
    rows = Collector(name)
    for index, cell in enumerate(cells):
        label = None if labels is None else labels[index]
        try:
            if not cell:
                raise ValueError("the vector is null" if cell is None else "is empty")
            rows.add(parse_cell(cell), label, NO_LINE, index)
        except LlmcalcError:
            raise
        except ValueError as error:
            place = f"{name}: index {index}{label_words(label)}"
            raise LlmcalcError(f"{place}: {error}") from None
    return rows.finish("arrow")
