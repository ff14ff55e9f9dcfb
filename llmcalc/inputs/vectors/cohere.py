"""Cohere embeddings, v1 and v2.

v1 floats: ``{"embeddings": [[..]], "texts": [..]}``; by type, v1 and v2:
``{"embeddings": {"float": [[..]], "int8": .., "binary": .., "base64": [".."]}}``.
"""

from typing import Any

from llmcalc.errors import LlmcalcError
from llmcalc.inputs.vectors.reply import Reply, Row, refuse_part

# The same vectors in the order in which they are wanted: the most exact first.
_TYPES = {
    "float": None, "float_": None, "base64": "float32", "int8": "int8",
    "uint8": "uint8", "binary": "binary", "ubinary": "ubinary",
}  # fmt: skip


def recognise(value: Any) -> bool:
    """Return whether a JSON value is a Cohere reply."""
    if not isinstance(value, dict):
        return False
    embeddings = value.get("embeddings")
    if isinstance(embeddings, dict):
        return any(isinstance(embeddings.get(name), list) for name in _TYPES)
    named = "texts" in value or "response_type" in value
    return named and isinstance(embeddings, list) and "ids" not in value


def rows(reply: Reply) -> list[Row]:
    """Return the vectors, with their texts as labels where the reply has them."""
    embeddings = reply.value["embeddings"]
    kind = None
    if isinstance(embeddings, dict):
        name = _chosen(embeddings, reply)
        embeddings, kind = embeddings[name], _TYPES[name]
    else:
        refuse_part(reply)
    texts = reply.value.get("texts")
    if not isinstance(texts, list) or len(texts) != len(embeddings):
        texts = [None] * len(embeddings)
    return [
        Row(vector, text, None, kind)
        for vector, text in zip(embeddings, texts, strict=True)
    ]


def _chosen(embeddings: dict[str, Any], reply: Reply) -> str:
    there = [name for name in _TYPES if isinstance(embeddings.get(name), list)]
    if reply.part is not None:
        if reply.part in there:
            return reply.part
        raise LlmcalcError(
            f"{reply.where}: no embeddings of type {reply.part!r}; "
            f"it has {', '.join(there)}"
        )
    if len(there) > 1:
        reply.notes.append(
            f"{reply.where}: holds {', '.join(there)} of the same vectors; "
            f"{there[0]} is taken, choose another with --key"
        )
    return there[0]
