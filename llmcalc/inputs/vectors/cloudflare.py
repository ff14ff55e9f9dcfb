"""Cloudflare Workers AI: ``{"result": {"shape": [n, d], "data": [[..], ..]}}``.

Bare ``{"shape", "data"}`` is the same without the envelope.
"""

from typing import Any

from llmcalc.errors import LlmcalcError
from llmcalc.inputs.vectors.reply import Reply, Row


def recognise(value: Any) -> bool:
    """Return whether a JSON value is a Workers AI embedding."""
    return _body(value) is not None


def rows(reply: Reply) -> list[Row]:
    """Return the vectors, after a look at the shape that the reply names."""
    body = _body(reply.value) or {}
    vectors, shape = body["data"], body.get("shape")
    if isinstance(shape, list) and shape[:1] != [len(vectors)]:
        raise LlmcalcError(
            f"{reply.where}: the shape {shape} does not fit {len(vectors)} vectors"
        )
    return [Row(vector) for vector in vectors]


def _body(value: Any) -> dict[str, Any] | None:
    if isinstance(value, dict) and isinstance(value.get("result"), dict):
        value = value["result"]
    if not isinstance(value, dict):
        return None
    vectors = value.get("data")
    rows = isinstance(vectors, list) and vectors and isinstance(vectors[0], list)
    return value if rows else None
