"""OpenAI legacy completions, with or without echo, and all that copy them.

With echo one list holds the prompt and what was generated. Where it parts is told
by ``usage``; where that cannot say, both are read as one.
"""

import re
from collections.abc import Iterator
from typing import Any

from llmcalc.inputs.logprobs.document import Entries, Reply
from llmcalc.inputs.logprobs.items import choice_of, counted, id_of

# vLLM with return_tokens_as_token_ids writes this and the id for the text.
_ID = re.compile(r"token_id:[0-9]{1,18}")


def read(record: dict[str, Any]) -> Iterator[Reply]:
    """Yield the sequence of each choice; a chunk (no usage, no end) gives events."""
    if "choices" not in record:
        yield Reply(id=id_of(record, "id"), whole=legacy_entries(record, ""))
        return
    choices = record["choices"]
    chunk = _is_chunk(record)
    for position, choice in enumerate(choices):
        logprobs = choice.get("logprobs") or {}
        entries = None
        if logprobs.get("token_logprobs") is not None:
            entries = legacy_entries(logprobs, f"choices[{position}].logprobs.")
        reply = Reply(
            id=id_of(record, "id"),
            choice=choice_of(choice, position),
            event=chunk,
            ended=choice.get("finish_reason") is not None,
        )
        if entries is None:
            yield reply
        elif chunk:
            echoed = entries.values and entries.values[0] is None
            yield _undivided(reply, entries, bool(echoed))
        else:
            usage = record.get("usage") or {}
            yield _divided(reply, entries, usage, len(choices) == 1)


def legacy_entries(logprobs: dict[str, Any], path: str) -> Entries:
    """Return the entries of parallel lists: token_logprobs, tokens, token_ids."""
    values = logprobs["token_logprobs"]
    tokens = logprobs.get("tokens")
    ids = logprobs.get("token_ids")
    if isinstance(tokens, list):
        if len(tokens) != len(values):
            raise ValueError(
                f"{path}tokens has {len(tokens)} entries, "
                f"token_logprobs has {len(values)}"
            )
        # An old mlx_lm.server lists ids where others list texts.
        if tokens and all(type(token) is int for token in tokens):
            tokens, ids = None, tokens
        elif tokens and all(map(_is_id, tokens)):
            ids, tokens = [int(token.partition(":")[2]) for token in tokens], None
    else:
        tokens = None
    if not isinstance(ids, list) or len(ids) != len(values):
        ids = None
    return Entries(values, f"{path}token_logprobs", tokens, ids)


def _is_id(token: Any) -> bool:
    return isinstance(token, str) and _ID.fullmatch(token) is not None


def cut(entries: Entries, at: int) -> tuple[Entries, Entries]:
    """Return the entries before and from an index."""
    tokens: Any = entries.tokens
    ids: Any = entries.token_ids
    first, second = (
        entries._replace(
            values=entries.values[part],
            tokens=tokens[part] if tokens is not None else None,
            token_ids=ids[part] if ids is not None else None,
            first=entries.first + (part.start or 0),
        )
        for part in (slice(at), slice(at, None))
    )
    return first, second


def _undivided(reply: Reply, entries: Entries, echoed: bool) -> Reply:
    if echoed:
        return reply._replace(whole=entries)
    return reply._replace(output=entries)


def _is_chunk(record: dict[str, Any]) -> bool:
    """Return whether this is an event: a delta, or neither an end nor usage."""
    choices = record["choices"]
    if any("message" in choice for choice in choices):
        return False
    if any("delta" in choice for choice in choices):
        return True
    unfinished = all(choice.get("finish_reason") is None for choice in choices)
    return unfinished and not record.get("usage") and "id" in record


def _divided(reply: Reply, entries: Entries, usage: Any, alone: bool) -> Reply:
    """Return the reply with its prompt and output told apart, where that can be."""
    length = len(entries.values)
    prompt, completion = _counts(usage)
    echoed = bool(entries.values) and entries.values[0] is None
    if alone and prompt + completion == length and prompt:
        echoed = True
    if not echoed:
        return reply._replace(output=entries)
    if prompt and completion == 0:
        return reply._replace(prompt=entries)
    if alone and 0 < prompt <= length:
        first, rest = cut(entries, prompt)
        return reply._replace(prompt=first, output=rest)
    return reply._replace(whole=entries)


def _counts(usage: dict[str, Any]) -> tuple[int, int]:
    """Return the numbers of prompt and generated tokens; a prompt of 0 is unknown."""
    prompt = counted(usage.get("prompt_tokens"))
    if prompt is None:
        return 0, 0
    completion = counted(usage.get("completion_tokens"))
    if completion is None:
        total = counted(usage.get("total_tokens"))
        completion = 0 if total is None else total - prompt
    return prompt, completion
