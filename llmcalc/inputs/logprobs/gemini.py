"""Gemini generateContent, whole and streamed, in both spellings of its fields.

``topCandidates`` are alternatives. A reply with nothing but ``avgLogprobs`` has a
perplexity, but not how many tokens it is of.
"""

from collections.abc import Iterator
from typing import Any

from llmcalc.inputs.logprobs.document import Entries, Reply, Total
from llmcalc.inputs.logprobs.items import choice_of, id_of


def read(record: dict[str, Any]) -> Iterator[Reply]:
    """Yield the sequence of each candidate, or the summary that there is."""
    streamed = bool(id_of(record, "responseId", "response_id"))
    for position, candidate in enumerate(record.get("candidates") or ()):
        result = _field(candidate, "logprobsResult", "logprobs_result") or {}
        chosen = _field(result, "chosenCandidates", "chosen_candidates")
        mean = _field(candidate, "avgLogprobs", "avg_logprobs")
        path = f"candidates[{position}].logprobsResult.chosenCandidates"
        finish = _field(candidate, "finishReason", "finish_reason")
        yield Reply(
            id=id_of(record, "responseId", "response_id"),
            choice=choice_of(candidate, position),
            output=_entries(chosen, path) if chosen is not None else None,
            total=None if chosen is not None or mean is None else Total(mean, None),
            event=streamed,
            ended=finish is not None,
        )


def _entries(chosen: list[dict[str, Any]], path: str) -> Entries:
    return Entries(
        # The field may be absent; nothing says that this would mean 0.
        values=[_field(item, "logProbability", "log_probability") for item in chosen],
        path=path,
        tokens=[item.get("token") for item in chosen],
        token_ids=[_field(item, "tokenId", "token_id") for item in chosen],
    )


def _field(value: dict[str, Any], name: str, other: str) -> Any:
    found = value.get(name)
    return value.get(other) if found is None else found
