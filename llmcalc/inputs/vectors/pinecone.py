"""Pinecone: ``{"vectors": {id: {"values": [..]}}}`` of fetch, ``matches`` of query."""

from typing import Any

from llmcalc.errors import LlmcalcError
from llmcalc.inputs.vectors.reply import Reply, Row, is_dicts


def recognise(value: Any) -> bool:
    """Return whether a JSON value is a reply of Pinecone."""
    if not isinstance(value, dict):
        return False
    entries = _entries(value)
    return entries is not None and isinstance(entries[0][1].get("values"), list)


def rows(reply: Reply) -> list[Row]:
    """Return the dense vectors, labelled with their ids."""
    found = []
    for name, entry in _entries(reply.value) or []:
        values = entry.get("values")
        if not values:
            raise LlmcalcError(
                f"{reply.where}: vector {name}: has no values; ask Pinecone with "
                "include_values: true"
            )
        found.append(Row(values, name))
    return found


def _entries(value: dict[str, Any]) -> list[tuple[Any, dict[str, Any]]] | None:
    vectors = value.get("vectors", value.get("matches"))
    if isinstance(vectors, dict):
        entries = list(vectors.items())
        objects = all(isinstance(entry, dict) for entry in vectors.values())
        return entries if entries and objects else None
    if is_dicts(vectors):
        return [(entry.get("id"), entry) for entry in vectors]
    return None
