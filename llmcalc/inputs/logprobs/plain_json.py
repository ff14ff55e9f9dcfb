"""JSON of one's own: lists of numbers, token objects, documents."""

from collections.abc import Iterator
from typing import Any

from llmcalc.inputs.logprobs.document import Entries, Reply
from llmcalc.inputs.logprobs.items import counted, id_of, token_entries
from llmcalc.inputs.logprobs.openai_chat import chat_entries
from llmcalc.inputs.logprobs.openai_completions import legacy_entries
from llmcalc.inputs.logprobs.padding import PADDED, padded

LISTS = ("logprobs", "log_probs", "token_logprobs", "logprob")
IDS = ("id", "doc_id", "document_id", "custom_id", "name")


def read(record: Any) -> Iterator[Reply]:
    """Yield the sequences of a list or of a document."""
    if isinstance(record, list):
        yield from _lists(record)
        return
    name = next((name for name in LISTS if record.get(name) is not None), None)
    if name is not None:
        yield _document(record, name)


def is_numbers(value: Any) -> bool:
    """Return whether a JSON list holds numbers and nulls, or lists of them.

    >>> is_numbers([None, -1.5]), is_numbers([[-1.0]]), is_numbers([{}])
    (True, True, False)
    """
    if not isinstance(value, list):
        return False
    kinds = set(map(type, value))
    if kinds == {list}:
        return all(is_numbers(row) for row in value)
    return kinds <= {float, int, type(None), str}


def is_tokens(value: Any) -> bool:
    """Return whether a JSON list holds objects of one token each."""
    return isinstance(value, list) and all(
        isinstance(item, dict) and "logprob" in item for item in value
    )


def _lists(rows: list[Any]) -> Iterator[Reply]:
    if rows and isinstance(rows[0], dict):
        yield Reply(whole=token_entries(rows, ""))
    elif rows and isinstance(rows[0], list):
        for index, row in enumerate(rows):
            yield _row(row, index, f"[{index}]", 1)
    else:
        # A sequence by itself may well end with one certain token.
        yield _row(rows, 0, "", 2)


def _row(row: list[Any], index: int, path: str, run: int) -> Reply:
    remark = PADDED if padded(row, run) else ""
    return Reply(choice=index, whole=Entries(row, path), remark=remark)


def _document(record: dict[str, Any], name: str) -> Reply:
    entries = _entries(record, name)
    return Reply(
        id=id_of(record, *IDS),
        whole=entries,
        # As of a sequence by itself: one certain token at its end is none.
        remark=PADDED if entries and padded(entries.values, 2) else "",
        nbytes=_count(record, "bytes", "n_bytes", "num_bytes"),
        words=_count(record, "words", "n_words", "num_words"),
    )


def _entries(record: dict[str, Any], name: str) -> Entries | None:
    values = record[name]
    if isinstance(values, dict):
        if "token_logprobs" in values:
            return legacy_entries(values, f"{name}.")
        return chat_entries(values, name)
    if values and all(isinstance(item, dict) for item in values):
        return token_entries(values, name)
    return legacy_entries({**record, "token_logprobs": values}, "")._replace(path=name)


def _count(record: dict[str, Any], *names: str) -> int | None:
    for name in names:
        found = counted(record.get(name))
        if found is not None:
            return found
    return None
