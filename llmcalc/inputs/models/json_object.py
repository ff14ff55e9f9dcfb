"""A JSON file that holds one object: a config, an index."""

from typing import Any

from llmcalc.errors import LlmcalcError
from llmcalc.inputs.source import Source


def read_object(source: Source) -> dict[str, Any]:
    """Return the one JSON object of a file.

    Raises LlmcalcError for anything else: text, several documents, an array.
    """
    from llmcalc.inputs.json_records import records

    with source.open() as stream:
        found = records(stream, source.name)
        first = next(found, None)
        if first is None:
            raise LlmcalcError(f"{source.name}: is empty")
        if not isinstance(first.value, dict):
            raise LlmcalcError(f"{source.name}: holds no JSON object")
        if next(found, None) is not None:
            raise LlmcalcError(f"{source.name}: holds several JSON documents, not one")
    return first.value
