"""vLLM prompt_logprobs: completions, chat, and saved RequestOutputs.

Each position is null or {token id: {logprob, rank, decoded_token}}. The engine puts
the token's own id first and the top ones after it, so the first key is the answer;
``prompt_token_ids`` says so outright where it is there. What sorted the keys anew
(jq -S, JavaScript) destroyed the answer, which shows in the ranks: see `_sorted_anew`.
"""

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, islice
from typing import Any

from llmcalc.inputs.logprobs.document import Entries, Reply
from llmcalc.inputs.logprobs.items import choice_of, id_of
from llmcalc.inputs.logprobs.openai_chat import chat_entries
from llmcalc.inputs.logprobs.openai_completions import cut, legacy_entries
from llmcalc.inputs.logprobs.vllm_text import LOOKED_AT, OwnEntries

Position = dict[str, Any]
RESORTED = (
    "the entries were sorted anew (jq -S and JavaScript do that), so which one is the "
    "token itself is lost; save the reply as it came, or ask for return_token_ids"
)
REPEATED = "{n} of the choices repeat the prompt before them, which counts once"


def read(record: dict[str, Any]) -> Iterator[Reply]:
    """Yield the sequence of each choice, with its prompt and what was generated.

    A chat reply has one prompt for all choices. Choices of one completion request
    that repeat the prompt before them count it once.
    """
    shared = record.get("prompt_logprobs")
    ids = record.get("prompt_token_ids")
    prompt = _entries(shared, ids, "prompt_logprobs") if shared else None
    choices = record.get("choices") or record.get("outputs")
    if not choices:
        yield Reply(id=id_of(record, "id", "request_id"), prompt=prompt)
        return
    before: Entries | None = None
    for position, choice in enumerate(choices):
        own = choice.get("prompt_logprobs")
        if own:
            path = f"choices[{position}].prompt_logprobs"
            prompt = _entries(own, choice.get("prompt_token_ids"), path)
        repeated = before is not None and prompt is not None and _same(prompt, before)
        yield Reply(
            id=id_of(record, "id", "request_id"),
            choice=choice_of(choice, position),
            prompt=None if repeated else prompt,
            output=_generated(choice, position, _count(own)),
            remark=REPEATED if repeated else "",
        )
        before, prompt = prompt or before, None


def _same(prompt: Entries, other: Entries) -> bool:
    return prompt.values == other.values and prompt.tokens == other.tokens


def own_entries(
    positions: Sequence[Position], ids: Sequence[int] | None
) -> list[dict[str, Any] | None]:
    """Return the entry of the token itself at each position, None where it has none.

    Raises ValueError where that cannot be told.
    """
    if ids is not None:
        return [p[str(i)] if p else None for p, i in zip(positions, ids, strict=True)]
    _check_order(positions)
    return [next(iter(p.values())) if p else None for p in positions]


def _check_order(positions: Iterable[Position]) -> None:
    several = list(islice((p for p in positions if p and len(p) > 1), LOOKED_AT))
    if any(map(_sorted_anew, several)) or _ascending(several):
        raise ValueError(RESORTED)


def _entries(
    positions: list[Any] | OwnEntries, ids: list[int] | None, path: str
) -> Entries:
    if isinstance(positions, OwnEntries):
        if ids is None or list(map(str, ids[positions.nulls :])) == [*positions.ids]:
            return _from_text(positions, path)
        positions = positions.positions(whole=True)
    if not isinstance(ids, list) or len(ids) != len(positions):
        ids = None
    own = own_entries(positions, ids)
    return Entries(
        values=[entry["logprob"] if entry is not None else None for entry in own],
        path=path,
        tokens=[entry.get("decoded_token") if entry else "" for entry in own],
        token_ids=ids or (_id(next(iter(p))) if p else None for p in positions),
    )


def _from_text(own: OwnEntries, path: str) -> Entries:
    """Return the entries that were read from the text of the reply."""
    import json

    _check_order(own.positions(whole=False))
    nulls: list[Any] = [None] * own.nulls
    texts = json.loads(f"[{','.join(own.tokens)}]")
    return Entries(
        values=[*nulls, *own.values],
        path=path,
        tokens=[*[""] * own.nulls, *texts],
        token_ids=chain(nulls, map(int, own.ids)),
    )


def _generated(choice: dict[str, Any], position: int, prompt: int) -> Entries | None:
    """Return what was generated: chat, legacy (after an echo) or RequestOutput."""
    logprobs = choice.get("logprobs")
    path = f"choices[{position}].logprobs"
    if isinstance(logprobs, list):
        return _entries(
            logprobs, choice.get("token_ids"), f"outputs[{position}].logprobs"
        )
    if not isinstance(logprobs, dict):
        return None
    if "token_logprobs" not in logprobs:
        return chat_entries(logprobs, path)
    entries = legacy_entries(logprobs, f"{path}.")
    echoed = bool(entries.values) and entries.values[0] is None
    # With echo the list begins with the tokens that prompt_logprobs gives too.
    return cut(entries, prompt)[1] if echoed else entries


def _id(key: str) -> int | None:
    return int(key) if key.isascii() and key.isdecimal() else None


def _count(positions: list[Any] | OwnEntries | None) -> int:
    if isinstance(positions, OwnEntries):
        return positions.nulls + len(positions.values)
    return len(positions or ())


def _sorted_anew(position: Position) -> bool:
    """Return whether the ranks show that the own token is not the first entry.

    After it stand the k best in order, it among them or not: the second entry has
    rank 1 or 2 and the last a rank not above the number of entries.
    """
    entries = list(position.values())
    second, last = entries[1].get("rank"), entries[-1].get("rank")
    if not isinstance(second, int) or not isinstance(last, int):
        return False
    return second > 2 or last > len(entries)


def _ascending(several: list[Position]) -> bool:
    """Return whether ids ascend everywhere where no rank says how they were put.

    By chance eight pairs do so once in 256 times.
    """
    if len(several) < 8 or any("rank" in e for e in several[0].values()):
        return False
    return all(list(p) == sorted(p, key=int) for p in several)
