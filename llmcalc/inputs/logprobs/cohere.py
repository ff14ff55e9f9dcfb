"""Cohere: v2 chat (whole and streamed) and v1 generate.

A v2 item is a chunk of text with the log-probs of the one or several tokens in it.
In v1 the word likelihood means the log-likelihood; the first token of a prompt has
none, and prompt and output are one list.
"""

from collections.abc import Iterator
from typing import Any

from llmcalc.inputs.logprobs.document import Entries, Reply
from llmcalc.inputs.logprobs.items import id_of


def read(record: dict[str, Any]) -> Iterator[Reply]:
    """Yield the sequence of a reply, of each generation, or of an event."""
    if "generations" in record:
        for position, generation in enumerate(record["generations"]):
            yield _generation(generation, position)
        return
    logprobs = record.get("logprobs")
    if isinstance(logprobs, list):
        yield Reply(id=id_of(record, "id"), output=_chunks(logprobs))
        return
    kind = record.get("type", "")
    yield Reply(
        output=_chunks([logprobs]) if logprobs else None,
        event=True,
        ended=kind == "message-end",
    )


def _chunks(chunks: list[dict[str, Any]]) -> Entries:
    values: list[float | None] = []
    tokens: list[str | None] = []
    ids: list[int | None] = []
    for chunk in chunks:
        inner = chunk["logprobs"]
        token_ids = chunk.get("token_ids") or []
        values += inner
        # The text is that of the whole chunk: it stands at its first token.
        tokens += [chunk.get("text"), *[""] * (len(inner) - 1)][: len(inner)]
        ids += token_ids if len(token_ids) == len(inner) else [None] * len(inner)
    return Entries(values, "logprobs", tokens, ids)


def _generation(generation: dict[str, Any], position: int) -> Reply:
    items = generation.get("token_likelihoods")
    if not items:
        return Reply(id=id_of(generation, "id"), choice=position)
    entries = Entries(
        values=[item.get("likelihood") for item in items],
        path=f"generations[{position}].token_likelihoods",
        tokens=[item.get("token") for item in items],
    )
    # With return_likelihoods ALL the prompt comes first, and nothing says how long.
    if entries.values[0] is None:
        return Reply(id=id_of(generation, "id"), choice=position, whole=entries)
    return Reply(id=id_of(generation, "id"), choice=position, output=entries)
