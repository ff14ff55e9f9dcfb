"""Qdrant's scroll, search and retrieve: points with ``id``, ``vector``, ``payload``."""

from typing import Any

from llmcalc.errors import LlmcalcError
from llmcalc.inputs.vectors.reply import Reply, Row, is_dicts, named_vector


def recognise(value: Any) -> bool:
    """Return whether a JSON value is a reply of Qdrant, or its list of points."""
    points = _points(value)
    return points is not None and ("payload" in points[0] or "vector" in points[0])


def rows(reply: Reply) -> list[Row]:
    """Return the vectors, labelled with their ids; ``--key`` picks a named vector."""
    found = []
    for point in _points(reply.value) or []:
        vector = point.get("vector", point.get("vectors"))
        if vector is None or vector == {}:
            raise LlmcalcError(
                f"{reply.where}: point {point.get('id')}: has no vector; ask Qdrant "
                "with with_vector: true"
            )
        found.append(Row(named_vector(vector, reply), point.get("id")))
    return found


def _points(value: Any) -> list[dict[str, Any]] | None:
    if not isinstance(value, dict):
        return None
    result = value.get("result", value)
    if isinstance(result, dict):
        result = result.get("points", [result] if "result" in value else None)
    return result if is_dicts(result) and "id" in result[0] else None
