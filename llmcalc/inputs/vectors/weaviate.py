"""Weaviate's objects, by REST or GraphQL.

``{"objects": [{"id", "properties", "vector" or "vectors"}]}`` and
``{"data": {"Get": {"Class": [{"_additional": {"id", "vector"}}]}}}``.
"""

from typing import Any

from llmcalc.errors import LlmcalcError
from llmcalc.inputs.vectors.reply import Reply, Row, is_dicts, named_vector


def recognise(value: Any) -> bool:
    """Return whether a JSON value is a reply of Weaviate, or one of its objects."""
    objects = _objects(value)
    return objects is not None and ("vector" in objects[0] or "vectors" in objects[0])


def rows(reply: Reply) -> list[Row]:
    """Return the vectors, labelled with their ids; ``--key`` picks a named vector."""
    return [
        Row(_vector(entry, reply), entry.get("id"))
        for entry in _objects(reply.value) or []
    ]


def _vector(entry: dict[str, Any], reply: Reply) -> Any:
    vector = entry.get("vector") or entry.get("vectors")
    if not vector:
        raise LlmcalcError(
            f"{reply.where}: object {entry.get('id')}: has no vector; ask Weaviate "
            "with include=vector"
        )
    return named_vector(vector, reply)


def _objects(value: Any) -> list[dict[str, Any]] | None:
    if not isinstance(value, dict):
        return None
    if is_dicts(value.get("objects")):
        found: list[dict[str, Any]] = value["objects"]
        return found
    if "properties" in value and "id" in value:
        return [value]
    answer = value.get("data")
    classes = answer.get("Get") if isinstance(answer, dict) else None
    if isinstance(classes, dict) and len(classes) == 1:
        objects = next(iter(classes.values()))
        if is_dicts(objects) and isinstance(objects[0].get("_additional"), dict):
            return [entry.get("_additional") or {} for entry in objects]
    return None
