"""OpenAI chat completions, whole and in chunks, and all that copy them.

DeepSeek puts a list ``reasoning_content`` before ``content``; Fireworks adds
``sampling_logprob`` (after temperature and top-p), which is not the model's.
"""

from collections.abc import Iterator
from typing import Any

from llmcalc.inputs.logprobs.document import Entries, Reply
from llmcalc.inputs.logprobs.entry_lists import joined
from llmcalc.inputs.logprobs.items import choice_of, id_of, token_entries

# In the order in which they were generated.
LISTS = ("reasoning_content", "content", "refusal")
ARBITRARY = (
    "looks like mlx_lm.server with top_logprobs above 0, whose logprob is that of any "
    "of the top tokens, not of the one it chose: ask for top_logprobs 0"
)


def read(record: dict[str, Any]) -> Iterator[Reply]:
    """Yield the sequence of each choice; a chunk gives events."""
    if "choices" not in record:
        yield Reply(output=chat_entries(record, "logprobs"))
        return
    chunk = record.get("object") == "chat.completion.chunk"
    for position, choice in enumerate(record["choices"]):
        path = f"choices[{position}].logprobs"
        delta = choice.get("delta")
        yield Reply(
            id=id_of(record, "id"),
            choice=choice_of(choice, position),
            output=_output(choice, delta, path),
            event=chunk or delta is not None,
            ended=choice.get("finish_reason") is not None,
            remark=_doubt(choice.get("logprobs")),
        )


def _doubt(logprobs: Any) -> str:
    """Return what makes the numbers of a choice doubtful.

    mlx_lm.server gives tokens an ``id`` and no ``bytes``; with top_logprobs it
    writes the log-prob of an arbitrary one of them.
    """
    items = logprobs.get("content") if isinstance(logprobs, dict) else None
    for item in items or ():
        if "id" in item and "bytes" not in item and item.get("top_logprobs"):
            return ARBITRARY
    return ""


def chat_entries(logprobs: dict[str, Any], path: str) -> Entries | None:
    """Return the entries of a ``logprobs`` object; None where it has no list."""
    lists = [
        token_entries(logprobs[name], f"{path}.{name}")
        for name in LISTS
        if isinstance(logprobs.get(name), list)
    ]
    filled = [entries for entries in lists if entries.values]
    if len(filled) > 1:
        return joined(filled)
    return next(iter(filled or lists), None)


def _output(choice: dict[str, Any], delta: Any, path: str) -> Entries | None:
    logprobs = choice.get("logprobs")
    if isinstance(logprobs, dict):
        return chat_entries(logprobs, path)
    text = (delta or {}).get("content")
    if text:
        # A chunk of text whose log-probs are missing is an unscored entry.
        return Entries([None], path, [text], bytes=[None])
    return None
