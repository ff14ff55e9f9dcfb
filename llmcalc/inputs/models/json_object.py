"""A JSON file that holds one object: a config, an index."""

from functools import partial
from typing import Any

from llmcalc.errors import LlmcalcError
from llmcalc.inputs.content import encoding_of
from llmcalc.inputs.source import Source

# The index of the largest models has a few megabytes.
_MAX_BYTES = 100_000_000


def read_object(source: Source) -> dict[str, Any]:
    """Return the one JSON object of a file.

    Raises LlmcalcError for anything else: text, several documents, an array; for a
    name that is given twice, of which a parser would keep one without a word; and
    for more bytes than any config has.
    """
    import json
    from io import BufferedReader, BytesIO

    from llmcalc.inputs.json_records import records

    with source.open() as stream:
        content = stream.read(_MAX_BYTES + 1)
    if len(content) > _MAX_BYTES:
        raise LlmcalcError(f"{source.name}: is too large for a config or an index")
    # BytesIO has all that a buffer over it asks for.
    stored: Any = BytesIO(content)
    found = list(records(BufferedReader(stored), source.name))
    if not found:
        raise LlmcalcError(f"{source.name}: is empty")
    if len(found) > 1:
        raise LlmcalcError(f"{source.name}: holds several JSON documents, not one")
    if not isinstance(found[0].value, dict):
        raise LlmcalcError(f"{source.name}: holds no JSON object")
    text = content.decode(encoding_of(content))
    value: dict[str, Any] = json.loads(
        text, object_pairs_hook=partial(_once, source.name)
    )
    return value


def _once(name: str, pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        keys = [key for key, _ in pairs]
        twice = next(key for key in keys if keys.count(key) > 1)
        raise LlmcalcError(f"{name}: names {twice!r:.60} twice")
    return found
