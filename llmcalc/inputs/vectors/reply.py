"""What the JSON families share: a reply, its rows, labels and vector fields by name."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple, TypeGuard

from llmcalc.errors import LlmcalcError


class Reply(NamedTuple):
    """One JSON value, where it stands, and the part that the user asked for.

    ``notes`` collects what the user should hear of it.
    """

    value: Any
    where: str
    part: str | None
    notes: list[str]


class Row(NamedTuple):
    """One vector as the reply has it.

    ``vector`` is a list of numbers or text (base64, or a printed list); ``order`` is
    the place that the reply itself gives it; ``kind`` an element type by name, where
    the reply tells.
    """

    vector: Any
    label: str | int | None = None
    order: int | None = None
    kind: str | None = None


LABEL_NAMES = (
    "custom_id", "id", "_id", "uuid", "key", "name", "word", "title", "token",
    "node_id", "recordId", "text", "content", "document", "sentence", "page_content",
    "chunk", "input", "query", "url", "path", "file", "label",
)  # fmt: skip
VECTOR_NAMES = (
    "embedding", "embeddings", "vector", "vec", "values", "dense", "dense_vector",
    "emb", "features",
)  # fmt: skip
_HINTS = ("emb", "vec")
# Lists of numbers that are everywhere in replies and never a vector of meaning.
_NEVER = frozenset(
    ("tokens", "token_ids", "input_ids", "ids", "attention_mask", "token_type_ids",
     "special_tokens_mask", "offsets", "logprobs", "token_logprobs", "top_logprobs",
     "text_offset", "scores", "distances", "shape", "context", "usage", "bbox")
)  # fmt: skip


def is_numbers(value: Any) -> TypeGuard[list[Any]]:
    """Return whether a value is a list that begins with a number.

    >>> is_numbers([0.5]), is_numbers([]), is_numbers(["a"]), is_numbers([True])
    (True, False, False, False)
    """
    return (
        isinstance(value, list)
        and bool(value)
        and isinstance(value[0], int | float)
        and not isinstance(value[0], bool)
    )


def is_dicts(value: Any) -> TypeGuard[list[dict[str, Any]]]:
    """Return whether a value is a list of objects, and of at least one."""
    return (
        isinstance(value, list)
        and bool(value)
        and isinstance(value[0], dict)
        and all(isinstance(item, dict) for item in value[1:])
    )


def label_of(record: Mapping[str, Any]) -> str | int | None:
    """Return what names a record: an id before a word, a word before a text.

    >>> label_of({"text": "a slate roof", "id": 7})
    7
    """
    for name in LABEL_NAMES:
        label = record.get(name)
        if isinstance(label, dict) and isinstance(label.get("$oid"), str):
            label = label["$oid"]
        if isinstance(label, str | int) and not isinstance(label, bool):
            return label
    return None


def vector_field(record: Mapping[str, Any]) -> list[str]:
    """Return the names of the fields that may be the vector: one, several, or none.

    Names that vectors go by come first, then names that sound like one, then any
    list of numbers.

    >>> vector_field({"id": 1, "vec_size": 2, "e": [0.5, 1.0], "tokens": [1, 2]})
    ['e']
    """
    found = [name for name in VECTOR_NAMES if name in record]
    if found:
        return found
    likely = [name for name, value in record.items() if _may_be_vector(name, value)]
    hinted = [n for n in likely if any(hint in n.lower() for hint in _HINTS)]
    return hinted or likely


def _may_be_vector(name: str, value: Any) -> bool:
    if name in _NEVER:
        return False
    if isinstance(value, str):
        return len(value) > 2 and value[0] == "[" and value[1] in "-0123456789."
    return is_numbers(value) and len(value) > 1


def chosen_field(record: Mapping[str, Any], reply: Reply) -> str:
    """Return the name of the vector's field: the one asked for, else the only one.

    Raises LlmcalcError where several could be meant, naming them.
    """
    if reply.part is not None:
        if reply.part in record:
            return reply.part
        known = ", ".join(record)
        raise LlmcalcError(f"{reply.where}: no field {reply.part!r}; it has {known}")
    found = vector_field(record)
    if len(found) == 1:
        return found[0]
    if not found:
        raise LlmcalcError(f"{reply.where}: the record has no field that is a vector")
    raise LlmcalcError(
        f"{reply.where}: which field is the vector? "
        f"choose with --key: {', '.join(found)}"
    )


def plain_vector(value: Any, reply: Reply) -> Any:
    """Return the list or text inside what databases wrap around a vector.

    ``{"values": [..]}`` and the only one of several named vectors are opened; sparse
    vectors, and several names, raise LlmcalcError.
    """
    if not isinstance(value, dict) or "0" in value:
        return value
    if "indices" in value:
        raise LlmcalcError(
            f"{reply.where}: is a sparse vector; write out all its components"
        )
    if "values" in value:
        return value["values"]
    named = [name for name, vector in value.items() if not _is_sparse(vector)]
    if reply.part in value:
        return plain_vector(value[str(reply.part)], reply)
    if len(named) == 1:
        return plain_vector(value[named[0]], reply)
    choices = ", ".join(value) or "none"
    raise LlmcalcError(
        f"{reply.where}: several named vectors; choose with --key: {choices}"
    )


def named_vector(value: Any, reply: Reply) -> Any:
    """Return the same where a part can only be the name of one of several vectors."""
    if not isinstance(value, dict):
        refuse_part(reply)
    return plain_vector(value, reply)


def refuse_part(reply: Reply) -> None:
    """Raise LlmcalcError where a part is asked of what has no named ones."""
    if reply.part is not None:
        raise LlmcalcError(
            f"{reply.where}: one set of vectors, it has no {reply.part!r}"
        )


def counted_values(value: Mapping[str, Any]) -> list[Any] | None:
    """Return the values of ``{"0": .., "1": ..}``: a typed array of JavaScript.

    >>> counted_values({"0": 0.5, "1": 0.25}), counted_values({"0": 0.5, "2": 0.25})
    ([0.5, 0.25], None)
    """
    counted = all(key == str(index) for index, key in enumerate(value))
    return list(value.values()) if counted and value else None


def _is_sparse(vector: Any) -> bool:
    return isinstance(vector, dict) and "indices" in vector
