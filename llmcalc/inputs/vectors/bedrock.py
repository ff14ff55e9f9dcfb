"""Amazon Bedrock Titan: ``{"embedding": [..], "embeddingsByType": {"float": [..]}}``.

Both hold the same vector: it counts once.
"""

from typing import Any

from llmcalc.errors import LlmcalcError
from llmcalc.inputs.vectors.reply import Reply, Row

_KINDS = {"float": None, "binary": "binary"}
_MARKS = ("embeddingsByType", "inputTextTokenCount")


def recognise(value: Any) -> bool:
    """Return whether a JSON value is a Titan embedding."""
    if not isinstance(value, dict) or not any(mark in value for mark in _MARKS):
        return False
    return "embedding" in value or "embeddingsByType" in value


def rows(reply: Reply) -> list[Row]:
    """Return the one vector; ``--key binary`` takes its bits."""
    by_type = reply.value.get("embeddingsByType")
    if not isinstance(by_type, dict):
        by_type = {}
    if reply.part is None and reply.value.get("embedding") is not None:
        return [Row(reply.value["embedding"])]
    wanted = reply.part or next((name for name in _KINDS if name in by_type), "")
    if wanted in by_type and wanted in _KINDS:
        vector = by_type[wanted]
        # Titan writes its bits one an entry; packed bytes go beyond 0 and 1.
        bits = wanted == "binary" and all(bit in (0, 1) for bit in vector or ())
        return [Row(_signs(vector) if bits else vector, kind=_bits_kind(wanted, bits))]
    raise LlmcalcError(
        f"{reply.where}: no embedding {wanted!r}; it has {', '.join(by_type) or 'none'}"
    )


def _bits_kind(wanted: str, bits: bool) -> str | None:
    return None if bits else _KINDS[wanted]


def _signs(bits: list[int]) -> list[int]:
    return [1 if bit else -1 for bit in bits]
