"""TensorRT-LLM: outputs of its LLM API, and Triton's output_log_probs.

Prompt log-probs have no leading null. A list is one shorter than the prompt, or as
long with the first token at no place; the token ids decide which. The own token
stands after the top ones where it is not among them, so not first.
"""

from collections.abc import Iterator, Sequence
from typing import Any

from llmcalc.inputs.logprobs.document import Entries, Reply
from llmcalc.inputs.logprobs.items import choice_of, id_of

UNTOLD = (
    "which entry is the token itself cannot be told without token_ids; "
    "ask for one log-prob a token (logprobs=0) or save the ids too"
)


def read(record: dict[str, Any]) -> Iterator[Reply]:
    """Yield the sequence of each output."""
    if "output_log_probs" in record:
        yield from _triton(record)
        return
    ids = record.get("prompt_token_ids")
    for position, output in enumerate(record["outputs"]):
        path = f"outputs[{position}]"
        prompt = output.get("prompt_logprobs")
        generated = output.get("logprobs")
        yield Reply(
            id=id_of(record, "id", "request_id"),
            choice=choice_of(output, position),
            prompt=_prompt(prompt, ids, f"{path}.prompt_logprobs") if prompt else None,
            output=_entries(generated, output.get("token_ids"), f"{path}.logprobs")
            if generated
            else None,
        )


def _triton(record: dict[str, Any]) -> Iterator[Reply]:
    """Yield one sequence, or one a beam (a list of lists)."""
    values = record["output_log_probs"]
    if isinstance(values, list) and values and isinstance(values[0], list):
        for position, row in enumerate(values):
            entries = Entries(row, f"output_log_probs[{position}]")
            yield Reply(choice=position, output=entries)
        return
    yield Reply(output=Entries(values, "output_log_probs"))


def _prompt(positions: list[Any], ids: list[int] | None, path: str) -> Entries:
    if ids is None or not all(isinstance(p, dict) for p in positions):
        return _entries(positions, None, path)
    if len(positions) == len(ids) and not all(map(_holds, positions, ids)):
        positions = positions[:-1]  # the last is of the token after the prompt
    if len(positions) == len(ids) - 1:
        ids = ids[1:]
    return _entries(positions, ids, path)


def _holds(position: dict[str, Any], token: int) -> bool:
    return str(token) in position


def _entries(positions: Sequence[Any], ids: list[int] | None, path: str) -> Entries:
    if not any(isinstance(position, dict) for position in positions):
        return Entries(positions, path)
    if ids is None or len(ids) != len(positions):
        ids = None
    if ids is not None:
        own = [p[str(i)] for p, i in zip(positions, ids, strict=True)]
    elif all(len(position) == 1 for position in positions):
        own = [next(iter(position.values())) for position in positions]
    else:
        raise ValueError(UNTOLD)
    values = [item["logprob"] if isinstance(item, dict) else item for item in own]
    return Entries(values, path, token_ids=ids)
