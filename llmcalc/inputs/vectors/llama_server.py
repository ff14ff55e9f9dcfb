"""llama-server ``/embedding``: ``[{"index": 0, "embedding": [[..]]}, ..]``.

The inner list has one vector with pooling, and one a token without.
"""

from typing import Any

from llmcalc.errors import LlmcalcError
from llmcalc.inputs.vectors.reply import Reply, Row


def recognise(value: Any) -> bool:
    """Return whether a JSON value is such a list, or one of its entries."""
    entry = value[0] if isinstance(value, list) and value else value
    if not isinstance(entry, dict) or "index" not in entry:
        return False
    inner = entry.get("embedding")
    return isinstance(inner, list) and bool(inner) and isinstance(inner[0], list)


def rows(reply: Reply) -> list[Row]:
    """Return the pooled vectors, each with its index."""
    if isinstance(reply.value, dict):
        return [_row(reply.value, reply)._replace(order=None)]
    return [_row(entry, reply) for entry in reply.value]


def _row(entry: Any, reply: Reply) -> Row:
    inner = entry.get("embedding") if isinstance(entry, dict) else None
    if not isinstance(inner, list) or not inner:
        raise LlmcalcError(f"{reply.where}: an entry has no list of vectors")
    if len(inner) > 1 and isinstance(inner[0], list):
        raise LlmcalcError(
            f"{reply.where}: index {entry.get('index')}: holds {len(inner)} vectors, "
            "one a token; start llama-server with --pooling mean"
        )
    return Row(
        inner[0] if isinstance(inner[0], list) else inner, None, entry.get("index")
    )
