"""Lists of token objects -> entries: what most JSON families have in common."""

from collections.abc import Sequence
from typing import Any

from llmcalc.inputs.logprobs.document import Entries


def token_entries(
    tokens: Sequence[dict[str, Any]],
    path: str,
    logprob: str = "logprob",
    text: str = "token",
) -> Entries:
    """Return the entries of a list of objects, one a token.

    The field ``logprob`` must be there; it may be null, as ``bytes`` may.

    >>> token_entries([{"token": "a", "logprob": -1.5, "bytes": [97]}], "x").values
    [-1.5]
    """
    known = any("bytes" in item for item in tokens)
    return Entries(
        values=[item[logprob] for item in tokens],
        path=path,
        tokens=[item.get(text) for item in tokens],
        token_ids=(item.get("id", item.get("token_id")) for item in tokens),
        bytes=[item.get("bytes") for item in tokens] if known else None,
    )


def counted(value: Any) -> int | None:
    """Return an integer of at most 63 bits, else None.

    Quick parsers read a larger one as a float: for neither it is a count or an id.

    >>> counted(7), counted(True), counted(2**63)
    (7, None, None)
    """
    if type(value) is int and -(2**63) <= value < 2**63:
        return value
    return None


def choice_of(choice: dict[str, Any], position: int) -> int:
    """Return the number of a choice: its own ``index``, else its position."""
    index = counted(choice.get("index"))
    return position if index is None else index


def id_of(value: dict[str, Any], *names: str) -> str:
    """Return the first of the named fields that names a reply, as text.

    >>> id_of({"id": None, "doc_id": 3}, "id", "doc_id")
    '3'
    """
    for name in names:
        found = value.get(name)
        if isinstance(found, str) or counted(found) is not None:
            return str(found)
    return ""
