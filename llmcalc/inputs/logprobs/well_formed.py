"""What a family read is what it should be: lists of numbers, texts and bytes."""

from collections.abc import Iterable
from typing import Any

from llmcalc.inputs.logprobs.document import Entries, Reply


def check_reply(reply: Reply) -> Reply:
    """Return the reply, or raise TypeError for what no server writes.

    The numbers themselves are judged later, each with its place.

    >>> check_reply(Reply(output=Entries(values=3, path="x")))
    Traceback (most recent call last):
        ...
    TypeError: x is no list
    """
    for entries in (reply.prompt, reply.output, reply.whole):
        if entries is not None:
            _check_entries(entries)
    if reply.total is not None and type(reply.total.sum_logprob) not in (int, float):
        raise TypeError(f"{reply.total.sum_logprob!r:.40} is no number")
    return reply


def _check_entries(entries: Entries) -> None:
    if not isinstance(entries.values, list | tuple):
        raise TypeError(f"{entries.path} is no list")
    if entries.tokens is not None and not _are(entries.tokens, {str, type(None)}):
        raise TypeError(f"{entries.path or 'the list'} has a token that is no text")
    if entries.bytes is not None and not _are(entries.bytes, {list, bytes, type(None)}):
        raise TypeError(f"{entries.path or 'the list'} has bytes that are no list")


def _are(items: Iterable[Any], kinds: set[type]) -> bool:
    return isinstance(items, list | tuple) and set(map(type, items)) <= kinds
