"""LangChain's in-memory store: ``{id: {"id", "vector", "text", "metadata"}, ..}``."""

from typing import Any

from llmcalc.inputs.vectors.reply import Reply, Row, chosen_field, plain_vector

_FIELDS = ("vector", "embedding")


def recognise(value: Any) -> bool:
    """Return whether a JSON value maps names to records that hold a vector."""
    if not isinstance(value, dict) or not value:
        return False
    return all(
        isinstance(record, dict) and any(name in record for name in _FIELDS)
        for record in value.values()
    )


def rows(reply: Reply) -> list[Row]:
    """Return the vectors, labelled with the name of their record."""
    found = []
    for name, record in reply.value.items():
        one = reply._replace(where=f"{reply.where}: {name}")
        field = chosen_field(record, one)
        found.append(Row(plain_vector(record[field], one), name))
    return found
