"""Gemini and Vertex AI embeddings.

``{"embedding": {"values": [..]}}``, ``{"embeddings": [{"values": [..]}, ..]}`` and
Vertex's ``{"predictions": [{"embeddings": {"values": [..]}}]}``, in a batch file beside
the ``instance`` that was asked.
"""

from typing import Any

from llmcalc.inputs.vectors.reply import Reply, Row, is_dicts, label_of, plain_vector


def recognise(value: Any) -> bool:
    """Return whether a JSON value is a reply of Gemini or Vertex AI."""
    if not isinstance(value, dict):
        return False
    if is_dicts(value.get("predictions")):
        return any(_is_embedding(item) for item in value["predictions"][0].values())
    embeddings = value.get("embeddings")
    return _is_embedding(value.get("embedding")) or (
        is_dicts(embeddings) and _is_embedding(embeddings[0])
    )


def rows(reply: Reply) -> list[Row]:
    """Return the vectors in the order of the reply: it has no index."""
    value = reply.value
    if "predictions" in value:
        instance = value.get("instance")
        label = label_of(instance) if isinstance(instance, dict) else None
        return [
            Row(plain_vector(item.get("embeddings"), reply), label)
            for item in value["predictions"]
        ]
    if "embedding" in value:
        return [Row(plain_vector(value["embedding"], reply), label_of(value))]
    return [Row(plain_vector(item, reply)) for item in value["embeddings"]]


def _is_embedding(value: Any) -> bool:
    return isinstance(value, dict) and isinstance(value.get("values"), list)
