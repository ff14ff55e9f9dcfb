"""OpenAI embeddings replies, and the many servers that copy them.

``{"object": "list", "data": [{"index": 0, "embedding": [..] or base64}, ..]}``: OpenAI,
vLLM, llama-server, TEI, Ollama, LM Studio, LiteLLM, Mistral, Jina, Voyage, NVIDIA,
Together, Fireworks, and llama-embedding's ``json`` and ``json+``. Voyage's contextual
reply nests once more: ``data[].data[]``; vLLM's pooling calls the vector ``data``;
Bedrock's Nova lists the same objects under ``embeddings``.
"""

from typing import Any

from llmcalc.errors import LlmcalcError
from llmcalc.inputs.vectors.reply import Reply, Row, is_dicts, label_of
from llmcalc.inputs.vectors.reply_order import in_order

_MEMBERS = frozenset(("embedding", "embeddings", "data"))


def recognise(value: Any) -> bool:
    """Return whether a JSON value is a list of embedding objects under ``data``."""
    if not isinstance(value, dict):
        return False
    entries = value.get("data", value.get("embeddings"))
    if entries == [] and value.get("object") == "list":
        return True
    if not is_dicts(entries):
        return False
    first = entries[0]
    if "embedding" not in first and _MEMBERS.isdisjoint(first):
        return False
    # Records of a table also come under "data"; those have a label of their own.
    return "index" in first or "object" in first or label_of(first) is None


def rows(reply: Reply) -> list[Row]:
    """Return the vectors, each with its index."""
    listed = reply.value.get("data", reply.value.get("embeddings"))
    entries = [_entry(entry, reply) for entry in listed]
    if any(is_dicts(entry.vector) for entry in entries):
        return _nested(entries, reply)
    return entries


def _entry(entry: dict[str, Any], reply: Reply) -> Row:
    index = entry.get("index")
    if "embedding" in entry:
        return Row(entry["embedding"], None, index)
    if "embeddings" in entry:
        raise LlmcalcError(
            f"{reply.where}: holds several vectors a text (embeddings), one a token; "
            "ask the server for pooled ones"
        )
    if "data" not in entry:
        raise LlmcalcError(f"{reply.where}: index {index}: has no embedding")
    return Row(entry["data"], None, index)


def _nested(entries: list[Row], reply: Reply) -> list[Row]:
    """Return the chunks of each document in order, with their text as label."""
    found = []
    for document in in_order(entries, reply.where):
        if not is_dicts(document.vector):
            raise LlmcalcError(
                f"{reply.where}: index {document.order}: has no list of chunks"
            )
        chunks = [
            Row(chunk.get("embedding"), chunk.get("text"), chunk.get("index"))
            for chunk in document.vector
        ]
        found += [row._replace(order=None) for row in in_order(chunks, reply.where)]
    return found
