"""LlamaIndex's simple vector store: ``{"embedding_dict": {node_id: [..]}, ..}``."""

from typing import Any

from llmcalc.inputs.vectors.reply import Reply, Row


def recognise(value: Any) -> bool:
    """Return whether a JSON value is a stored vector store."""
    return isinstance(value, dict) and isinstance(value.get("embedding_dict"), dict)


def rows(reply: Reply) -> list[Row]:
    """Return the vectors, labelled with their node ids."""
    return [Row(vector, node) for node, vector in reply.value["embedding_dict"].items()]
