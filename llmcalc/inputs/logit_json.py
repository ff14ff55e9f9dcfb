"""JSON that holds logits themselves: arrays, an object of arrays, objects of tokens.

Replies of servers are read elsewhere; what is neither is refused, never searched.
"""

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

from llmcalc.errors import LlmcalcError
from llmcalc.inputs.json_records import Record
from llmcalc.inputs.labelled import LABEL_COLUMNS
from llmcalc.inputs.numbers import Array, json_array

# The key by which logits are known, in an object of arrays and in one of a token.
LOGITS, LOGIT = "logits", "logit"
# The keys of the names of the tokens beside them.
_NAMES = ("labels", "tokens")


class JsonLogits(NamedTuple):
    """Logits, the vocabulary on the last axis; names of tokens for all rows or each."""

    array: Array
    labels: list[list[str]] | None


def json_logits(
    found: Sequence[Record], part: str | None, name: str
) -> JsonLogits | None:
    """Return the logits of JSON documents, None where they are no such JSON.

    Nested arrays (a document, or a row a document); an object with ``logits``, or
    the key that ``part`` names, beside ``labels`` or ``tokens``, as softmax's own
    JSON has them; objects of one token with ``logit`` (or ``part``). Raises
    LlmcalcError for a part that is not there and for what is no number.
    """
    values = [record.value for record in found]
    value: Any = values[0] if len(values) == 1 else values
    if isinstance(value, dict):
        return _from_object(value, part, name)
    if value and all(isinstance(item, dict) for item in value):
        return _from_tokens(value, part, name)
    if any(isinstance(item, dict) for item in value):
        return None
    if part is not None:
        raise LlmcalcError(f"{name}: one array, it has no {part!r}")
    return JsonLogits(json_array(list(found), name), None)


def _from_object(
    value: dict[str, Any], part: str | None, name: str
) -> JsonLogits | None:
    key = LOGITS if part is None else part
    if key not in value:
        if part is None:
            return None
        raise LlmcalcError(f"{name}: no key {part!r}; it has {', '.join(value)}")
    array = json_array([Record(value[key], 1, 1)], f"{name}:{key}")
    names = next((value[k] for k in _NAMES if isinstance(value.get(k), list)), None)
    if not names:
        return JsonLogits(array, None)
    labels = names if isinstance(names[0], list) else [names]
    *rows, n = array.values.shape
    if len(labels) not in (1, math.prod(rows)) or {len(row) for row in labels} != {n}:
        raise LlmcalcError(f"{name}: the names of the tokens do not fit the {key}")
    return JsonLogits(array, [list(map(str, row)) for row in labels])


def _from_tokens(
    tokens: list[dict[str, Any]], part: str | None, name: str
) -> JsonLogits | None:
    key = LOGIT if part is None else part
    if part is None and not all(key in token for token in tokens):
        return None
    for index, token in enumerate(tokens):
        if key not in token:
            raise LlmcalcError(f"{name}: index {index}: no key {key!r}")
    array = json_array([Record([token[key] for token in tokens], 1, 1)], name)
    named = next((k for k in LABEL_COLUMNS if k in tokens[0]), None)
    if named is None or not all(named in token for token in tokens):
        return JsonLogits(array, None)
    return JsonLogits(array, [[str(token[named]) for token in tokens]])
