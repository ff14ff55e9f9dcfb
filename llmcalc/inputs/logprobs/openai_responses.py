"""OpenAI Responses, whole and streamed.

A stream says the same tokens up to five times: in deltas (without bytes), then in
the finished text, content part, output item and response. Each repeat replaces what
came before it, so they count once and the bytes of the last one are kept.
"""

from collections.abc import Iterator
from typing import Any

from llmcalc.inputs.logprobs.document import Reply
from llmcalc.inputs.logprobs.items import id_of, token_entries

# A choice is an output item and a content part of it; no reply has that many parts.
PARTS = 1000


def read(record: dict[str, Any]) -> Iterator[Reply]:
    """Yield the sequence of each text of a response; an event gives its own text."""
    if "output" in record:
        for position, item in enumerate(record["output"]):
            yield from _item(
                item, position, f"output[{position}].", id_of(record, "id")
            )
        return
    kind = record["type"].removeprefix("response.")
    output = record.get("output_index", 0)
    if kind in ("output_text.delta", "output_text.done"):
        part = {"content_index": record.get("content_index", 0), **record}
        yield _event(part, output, replaces=kind.endswith("done"))
    elif kind == "content_part.done":
        part = {**record["part"], "content_index": record.get("content_index", 0)}
        yield _event(part, output, replaces=True)
    elif kind == "output_item.done":
        for reply in _item(record["item"], output, "item."):
            yield reply._replace(event=True, replaces=True)
    elif kind in ("completed", "incomplete"):
        yield Reply(event=True, ended=True)
        for position, item in enumerate(record["response"].get("output", ())):
            path = f"response.output[{position}]."
            for reply in _item(item, position, path):
                yield reply._replace(event=True, replaces=True)


def _item(
    item: dict[str, Any], position: int, path: str, reply_id: str = ""
) -> Iterator[Reply]:
    """Yield the texts of an output item; reasoning and tool calls have none."""
    for index, part in enumerate(item.get("content") or ()):
        if part.get("logprobs"):
            name = f"{path}content[{index}].logprobs"
            yield Reply(
                id=reply_id,
                choice=position * PARTS + index,
                output=token_entries(part["logprobs"], name),
            )


def _event(part: dict[str, Any], output: int, replaces: bool) -> Reply:
    logprobs = part.get("logprobs")
    text = part.get("delta")
    entries = None
    if logprobs:
        entries = token_entries(logprobs, "logprobs")
    elif text and not replaces:
        # Text whose log-probs are missing is an unscored entry.
        entries = token_entries([{"logprob": None, "token": text}], "logprobs")
    return Reply(
        choice=output * PARTS + part["content_index"],
        output=entries,
        event=True,
        replaces=replaces,
    )
