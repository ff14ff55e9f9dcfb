"""SGLang /generate: triples [logprob, token id, text or null], whole and streamed.

Each event of a stream repeats all tokens so far (newer servers can be told not to):
``completion_tokens`` tells which of the two it is.
"""

from collections.abc import Iterator
from typing import Any

from llmcalc.inputs.logprobs.document import Entries, Reply
from llmcalc.inputs.logprobs.items import choice_of, id_of


def read(record: dict[str, Any]) -> Iterator[Reply]:
    """Yield the sequence of a reply or of an event of a stream."""
    meta = record["meta_info"]
    output = _entries(meta, "output_token_logprobs")
    total = meta.get("completion_tokens")
    yield Reply(
        id=id_of(meta, "id"),
        choice=choice_of(record, 0),
        prompt=_entries(meta, "input_token_logprobs"),
        output=output,
        event=True,
        replaces=output is None or total in (None, len(output.values)),
        ended=meta.get("finish_reason") is not None,
    )


def _entries(meta: dict[str, Any], name: str) -> Entries | None:
    triples = meta.get(name)
    if triples is None:
        return None
    return Entries(
        values=[triple[0] for triple in triples],
        path=f"meta_info.{name}",
        tokens=[triple[2] if len(triple) > 2 else None for triple in triples],
        token_ids=[triple[1] for triple in triples],
    )
