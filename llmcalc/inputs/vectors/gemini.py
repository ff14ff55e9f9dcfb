"""Gemini and Vertex AI embeddings.

``{"embedding": {"values": [..]}}``, ``{"embeddings": [{"values": [..]}, ..]}`` and
Vertex's ``{"predictions": [{"embeddings": {"values": [..]}}]}``, in a batch file beside
the ``instance`` that was asked; its multimodal models name ``textEmbedding`` and
``imageEmbedding``, one's own model there may write bare lists.
"""

from typing import Any

from llmcalc.inputs.vectors.reply import (
    Reply,
    Row,
    chosen_field,
    is_dicts,
    is_numbers,
    label_of,
    plain_vector,
    refuse_part,
    vector_field,
)


def recognise(value: Any) -> bool:
    """Return whether a JSON value is a reply of Gemini or Vertex AI."""
    if not isinstance(value, dict):
        return False
    predictions = value.get("predictions")
    if isinstance(predictions, list) and predictions:
        first = predictions[0]
        if is_dicts(predictions):
            return bool(vector_field(first)) or _is_embedding(first)
        return all(map(is_numbers, predictions))
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
        return [Row(_prediction(item, reply), label) for item in value["predictions"]]
    refuse_part(reply)
    if "embedding" in value:
        return [Row(plain_vector(value["embedding"], reply), label_of(value))]
    return [Row(plain_vector(item, reply)) for item in value["embeddings"]]


def _prediction(item: Any, reply: Reply) -> Any:
    if isinstance(item, list) or _is_embedding(item):
        return plain_vector(item, reply)
    return plain_vector(item[chosen_field(item, reply)], reply)


def _is_embedding(value: Any) -> bool:
    return isinstance(value, dict) and isinstance(value.get("values"), list)
