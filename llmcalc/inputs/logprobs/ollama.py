"""Ollama /api/generate and /api/chat: whole replies, and NDJSON of events."""

from collections.abc import Iterator
from typing import Any

from llmcalc.inputs.logprobs.document import Reply
from llmcalc.inputs.logprobs.items import token_entries


def read(record: dict[str, Any]) -> Iterator[Reply]:
    """Yield the sequence of a reply or of an event; ``done`` ends it."""
    tokens = record.get("logprobs") or []
    done = record.get("done", True)
    yield Reply(
        output=token_entries(tokens, "logprobs") if tokens else None,
        event=not done or not tokens,
        ended=done,
    )
