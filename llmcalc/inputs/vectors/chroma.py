"""Chroma's ``get()`` and ``query()``: parallel lists of ids, embeddings, documents.

``query()`` nests each list once more, one entry a query.
"""

from typing import Any

from llmcalc.errors import LlmcalcError
from llmcalc.inputs.vectors.reply import Reply, Row


def recognise(value: Any) -> bool:
    """Return whether a JSON value is a dump of a Chroma collection."""
    return (
        isinstance(value, dict)
        and isinstance(value.get("ids"), list)
        and "embeddings" in value
    )


def rows(reply: Reply) -> list[Row]:
    """Return the vectors, labelled with their ids."""
    ids, embeddings = reply.value["ids"], reply.value["embeddings"]
    if not isinstance(embeddings, list):
        raise LlmcalcError(
            f"{reply.where}: embeddings is null; ask Chroma with include=['embeddings']"
        )
    if ids and all(isinstance(query, list) for query in ids + embeddings):
        ids = [entry for query in ids for entry in query]
        embeddings = [vector for query in embeddings for vector in query]
    if len(ids) != len(embeddings):
        raise LlmcalcError(
            f"{reply.where}: {len(ids)} ids for {len(embeddings)} embeddings"
        )
    return [Row(vector, label) for vector, label in zip(embeddings, ids, strict=True)]
