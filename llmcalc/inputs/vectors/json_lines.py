"""Records with an id, a text and a vector, one a line or in one list.

``{"id": "doc-7", "text": "a slate roof", "embedding": [..]}``: own scripts, pandas,
DuckDB, PostgREST (the vector as text), Milvus (under ``data``).
"""

from typing import Any

from llmcalc.inputs.vectors.reply import (
    Reply,
    Row,
    chosen_field,
    is_dicts,
    label_of,
    plain_vector,
    vector_field,
)


def recognise(value: Any) -> bool:
    """Return whether a JSON value is a record with a vector, or a wrapped list."""
    if not isinstance(value, dict):
        return False
    if vector_field(value):
        return True
    return is_dicts(value.get("data")) and bool(vector_field(value["data"][0]))


def rows(reply: Reply) -> list[Row]:
    """Return the vector of the record, labelled with its id, else its text."""
    record = reply.value
    if not vector_field(record) and reply.part not in record:
        return [
            row
            for number, item in enumerate(record["data"])
            for row in rows(
                reply._replace(value=item, where=f"{reply.where}: index {number}")
            )
        ]
    vector = plain_vector(record[chosen_field(record, reply)], reply)
    return [Row(vector, label_of(record))]
