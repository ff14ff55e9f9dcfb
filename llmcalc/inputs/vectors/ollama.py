"""Ollama: ``/api/embed`` writes ``{"embeddings": [[..], ..]}`` beside its timings.

The old ``/api/embeddings`` writes ``{"embedding": [..]}``, as llama-server did before
2025.
"""

from typing import Any

from llmcalc.inputs.vectors.reply import Reply, Row

_BESIDE = frozenset(
    ("embedding", "model", "total_duration", "load_duration", "prompt_eval_count")
)


def recognise(value: Any) -> bool:
    """Return whether a JSON value is a reply of Ollama."""
    if not isinstance(value, dict):
        return False
    embeddings = value.get("embeddings")
    if isinstance(embeddings, list) and "ids" not in value:
        return not embeddings or isinstance(embeddings[0], list)
    return isinstance(value.get("embedding"), list) and value.keys() <= _BESIDE


def rows(reply: Reply) -> list[Row]:
    """Return the vectors in the order of the texts that were sent."""
    if "embeddings" in reply.value:
        return [Row(vector) for vector in reply.value["embeddings"]]
    return [Row(reply.value["embedding"])]
