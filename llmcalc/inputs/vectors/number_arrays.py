"""Bare JSON arrays: ``[..]`` is one vector, ``[[..], ..]`` one a row.

TEI ``/embed``, Hugging Face feature extraction, llama-embedding's ``array``, ``llm
embed``, and anyone's own script; one a line gives a row a line.
"""

from typing import Any

from llmcalc.errors import LlmcalcError
from llmcalc.inputs.vectors.reply import Reply, Row, is_numbers


def recognise(value: Any) -> bool:
    """Return whether a JSON value is a list of numbers or of lists."""
    return is_numbers(value) or (
        isinstance(value, list) and bool(value) and isinstance(value[0], list)
    )


def rows(reply: Reply) -> list[Row]:
    """Return the vectors. Token-level and sparse output raise LlmcalcError."""
    if is_numbers(reply.value):
        return [Row(reply.value)]
    for number, vector in enumerate(reply.value):
        first = vector[0] if isinstance(vector, list) and vector else None
        if isinstance(first, list):
            raise LlmcalcError(
                f"{reply.where}: index {number}: holds {len(vector)} vectors, one a "
                "token; pool them first (TEI: /embed, not /embed_all)"
            )
        if isinstance(first, dict):
            raise LlmcalcError(
                f"{reply.where}: index {number}: is a sparse vector (index and value); "
                "write out all its components"
            )
    return [Row(vector) for vector in reply.value]
