"""Hugging Face text-generation-inference /generate, whole and streamed.

The prompt (prefill) has null for its first token and for what came from the prefix
cache. ``best_of_sequences`` and ``top_tokens`` are other texts and never count.
"""

from collections.abc import Iterator
from typing import Any

from llmcalc.inputs.logprobs.document import Entries, Reply
from llmcalc.inputs.logprobs.items import token_entries


def read(record: dict[str, Any]) -> Iterator[Reply]:
    """Yield the sequence of a reply, or an event with one token."""
    details = record.get("details") or {}
    prefill = details.get("prefill")
    prompt = _entries(prefill, "details.prefill") if prefill else None
    token = record.get("token")
    if token is None:
        yield Reply(
            prompt=prompt,
            output=_entries(details.get("tokens") or [], "details.tokens"),
        )
        return
    yield Reply(
        prompt=prompt,
        output=_entries([token], "token"),
        event=True,
        ended=record.get("generated_text") is not None,
    )


def _entries(tokens: list[dict[str, Any]], path: str) -> Entries:
    entries = token_entries(tokens, path, text="text")
    if any(token.get("special") for token in tokens):
        # The letters of a mark such as </s> are no bytes of the text.
        texts = ("" if t.get("special") else t.get("text") or "" for t in tokens)
        return entries._replace(bytes=[text.encode() for text in texts])
    return entries
