"""Elasticsearch and OpenSearch: ``hits.hits[]._source``, or one such hit a line."""

from typing import Any

from llmcalc.errors import LlmcalcError
from llmcalc.inputs.vectors.reply import Reply, Row, chosen_field, is_dicts


def recognise(value: Any) -> bool:
    """Return whether a JSON value is a search reply, or one hit of a dump."""
    hits = _hits(value)
    return hits is not None and isinstance(hits[0].get("_source"), dict)


def rows(reply: Reply) -> list[Row]:
    """Return the vectors, labelled with the ids of their documents."""
    found = []
    for hit in _hits(reply.value) or []:
        source = hit.get("_source")
        if not isinstance(source, dict):
            raise LlmcalcError(f"{reply.where}: hit {hit.get('_id')}: has no _source")
        one = reply._replace(where=f"{reply.where}: hit {hit.get('_id')}")
        found.append(Row(source[chosen_field(source, one)], hit.get("_id")))
    return found


def _hits(value: Any) -> list[dict[str, Any]] | None:
    if not isinstance(value, dict):
        return None
    if "_source" in value:
        return [value]
    hits = value.get("hits")
    inner = hits.get("hits") if isinstance(hits, dict) else None
    return inner if is_dicts(inner) else None
