"""Together: echoed prompts beside the choices, and streams with a float a chunk."""

from collections.abc import Iterator
from typing import Any

from llmcalc.inputs.logprobs import openai_completions
from llmcalc.inputs.logprobs.document import Entries, Reply
from llmcalc.inputs.logprobs.items import choice_of, id_of
from llmcalc.inputs.logprobs.openai_completions import legacy_entries


def read(record: dict[str, Any]) -> Iterator[Reply]:
    """Yield the sequence of each choice with the prompt it was given, or an event."""
    choices = record.get("choices") or []
    if any(type(choice.get("logprobs")) in (int, float) for choice in choices):
        for position, choice in enumerate(choices):
            yield _event(record, choice, position)
        return
    prompts = [
        legacy_entries(prompt["logprobs"], f"prompt[{position}].logprobs.")
        if prompt.get("logprobs")
        else None
        for position, prompt in enumerate(record.get("prompt") or [])
    ]
    replies = list(openai_completions.read({**record, "usage": None}))
    for position, reply in enumerate(replies):
        # One prompt for all choices, or one a choice; each counts once.
        prompt = prompts[position] if position < len(prompts) else None
        yield reply._replace(prompt=prompt, event=False)


def _event(record: dict[str, Any], choice: dict[str, Any], position: int) -> Reply:
    value = choice["logprobs"]
    delta = choice.get("delta") or {}
    text = choice.get("text") or delta.get("content")
    token = delta.get("token_id")
    return Reply(
        id=id_of(record, "id"),
        choice=choice_of(choice, position),
        output=Entries([value], f"choices[{position}].logprobs", [text], [token]),
        event=True,
        ended=choice.get("finish_reason") is not None,
    )
