"""llama.cpp llama-server /completion: three generations of completion_probabilities.

Since December 2024 each item has ``logprob``; with post_sampling_probs it has
``prob`` (after the samplers); before, it had ``probs``, a list of candidates of
which the sampled one is that whose ``tok_str`` is the item's ``content``.
"""

import math
from collections.abc import Iterator
from typing import Any

from llmcalc.inputs.logprobs.document import Entries, Reply
from llmcalc.inputs.logprobs.items import choice_of, token_entries

AFTER_SAMPLING = (
    "the reply has probabilities after the samplers (post_sampling_probs), not those "
    "of the model: temperature and cuts are in the perplexity"
)


def read(record: dict[str, Any]) -> Iterator[Reply]:
    """Yield the sequence of a reply or of an event of a stream.

    The closing event of old servers repeats the whole list.
    """
    items = record.get("completion_probabilities") or []
    stopped = record.get("stop") is True
    yield Reply(
        choice=choice_of(record, 0),
        output=_entries(items) if items else None,
        event=record.get("stop") is False or (stopped and not items),
        replaces=stopped and len(items) == record.get("tokens_predicted"),
        ended=stopped,
        remark=AFTER_SAMPLING if any("prob" in item for item in items) else "",
    )


def _entries(items: list[dict[str, Any]]) -> Entries:
    path = "completion_probabilities"
    if "logprob" in items[0]:
        return token_entries(items, path)
    if "prob" in items[0]:
        entries = token_entries(items, path, "prob")
        return entries._replace(values=[_log(item["prob"]) for item in items])
    return Entries(
        values=[_log(_sampled(item, index)) for index, item in enumerate(items)],
        path=path,
        tokens=[item["content"] for item in items],
    )


def _sampled(item: dict[str, Any], index: int) -> float:
    for candidate in item["probs"]:
        if candidate["tok_str"] == item["content"]:
            prob: float = candidate["prob"]
            return prob
    raise ValueError(
        f"completion_probabilities[{index}] lacks the token that was sampled, "
        f"{item['content']!r}; ask for a larger n_probs"
    )


def _log(prob: float) -> float:
    return math.log(prob) if prob > 0 else -math.inf if prob == 0 else math.nan
