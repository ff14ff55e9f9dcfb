"""Replies -> documents: which part is scored, bytes, tokens, checked numbers."""

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from llmcalc.errors import LlmcalcError
from llmcalc.inputs.logprobs.checks import Scale, checked
from llmcalc.inputs.logprobs.document import (
    Document,
    Entries,
    ReadOptions,
    Reply,
    Where,
)
from llmcalc.inputs.logprobs.entry_lists import joined, without
from llmcalc.inputs.logprobs.items import counted
from llmcalc.inputs.logprobs.notes import Notes
from llmcalc.inputs.logprobs.text_bytes import bytes_of_texts


class Group(NamedTuple):
    """The sequences of one record (or one stream) and where it stands."""

    where: Where
    replies: list[Reply]
    name: str = ""  # what the request was called, where a batch says so
    continues: bool = False  # a further piece of the group before


class Context(NamedTuple):
    """What stays the same while one input is read."""

    options: ReadOptions
    scale: Scale
    notes: Notes
    ask: str = ""  # how to ask the server for log-probs


def part_of(group: Group, options: ReadOptions) -> str:
    """Return the part to score, decided from the first replies where it is auto.

    The prompt where it has scored tokens, else the output; where the two cannot be
    told apart, all.
    """
    if options.part != "auto":
        return options.part
    replies = group.replies
    if any(_scored(reply.prompt) for reply in replies):
        return "prompt"
    if any(reply.whole is not None or reply.unit != "token" for reply in replies):
        return "all"
    # A prompt of one token has no log-prob, those after it may have some.
    alone = any(reply.prompt for reply in replies)
    output = any(_scored(reply.output) for reply in replies)
    return "prompt" if alone and not output else "output"


def documents_of(group: Group, part: str, context: Context) -> Iterator[Document]:
    """Yield the document of each sequence of a group that has the part.

    Raises LlmcalcError where the part cannot be told from the rest, or where auto
    chose the output and a later reply has a scored prompt.
    """
    several = len(group.replies) > 1
    shared = any(_scored(reply.prompt) for reply in group.replies)
    for reply in sorted(group.replies, key=lambda reply: reply.choice):
        if reply.remark:
            context.notes.add(reply.remark, group.where.record_place())
        name = group.name or reply.id
        if several:
            name = f"{name}/{reply.choice}" if name else ""
        if reply.total is not None:
            yield _summed(reply, name, part, group.where)
            continue
        entries = _chosen(reply, part, group, context)
        if not _scored(entries) and not (shared and part == "prompt"):
            context.notes.add(
                _missing(reply, part, context.ask), group.where.record_place()
            )
        if entries is None:
            continue
        document = document_of(entries, group.where, context)
        yield document._replace(
            id=name,
            part=part,
            unit=reply.unit,
            words=reply.words,
            nbytes=document.nbytes if reply.nbytes is None else reply.nbytes,
            continues=group.continues,
        )


def document_of(entries: Entries, record: Where, context: Context) -> Document:
    """Return the document of one list of entries: nulls out, numbers checked."""
    where = record._replace(
        path=entries.path,
        lines=entries.lines,
        first=entries.first,
        later=entries.later,
    )
    logprobs, dropped = checked(
        entries.values, context.scale, where.place, context.notes
    )
    tokens = without(entries.tokens, dropped)
    nbytes = None
    spelt = without(entries.bytes, dropped)
    if spelt is not None and any(item is not None for item in spelt):
        nbytes = sum(map(len, filter(None, spelt)))
    elif tokens is not None:
        nbytes = bytes_of_texts(tokens, record.record_place(), context.notes)
    if dropped:
        lines = without(entries.lines, dropped)
        where = where._replace(lines=lines, nulls=() if lines else dropped)
    wanted = context.options.want_tokens
    return Document(
        id="",
        logprobs=logprobs,
        where=where,
        skipped=len(dropped),
        tokens=_texts(tokens) if wanted else None,
        token_ids=_ids(entries, dropped) if wanted else None,
        nbytes=nbytes,
    )


def _texts(tokens: Sequence[str | None] | None) -> list[str] | None:
    if tokens is None or all(token is None for token in tokens):
        return None
    return [token or "" for token in tokens]


def _ids(entries: Entries, dropped: Sequence[int]) -> list[int] | None:
    found: list[Any] | None = without(entries.token_ids, dropped)
    if found is None or any(counted(item) is None for item in found):
        return None
    return found


def _scored(entries: Entries | None) -> bool:
    return entries is not None and any(value is not None for value in entries.values)


def _chosen(reply: Reply, part: str, group: Group, context: Context) -> Entries | None:
    if part == "all":
        return _both(reply)
    if _scored(reply.whole):
        if part == "output" and context.options.part == "auto":
            raise _mixed(group)
        raise LlmcalcError(
            f"{group.where.record_place()}: prompt and output are one list whose "
            "lengths the reply does not say; --part all scores both"
        )
    if part == "prompt":
        return reply.prompt
    if context.options.part == "auto" and _scored(reply.prompt):
        raise _mixed(group)
    return reply.output


def _both(reply: Reply) -> Entries | None:
    if reply.prompt is None or reply.output is None:
        return reply.whole or reply.prompt or reply.output
    return joined([reply.prompt, reply.output])


def _missing(reply: Reply, part: str, ask: str) -> str:
    asked = f"; ask with {ask}" if ask else ""
    if part == "prompt" and _scored(reply.output):
        asked = asked if "prompt" in ask else ""
        return (
            "{n} of the replies without a scored prompt token; the output is not "
            f"counted (--part all counts both){asked}"
        )
    return f"{{n}} of the replies without log-probs, not counted{asked}"


def _mixed(group: Group) -> LlmcalcError:
    return LlmcalcError(
        f"{group.where.record_place()}: has scored prompt tokens, the replies before "
        "it have none; choose with --part prompt, output or all"
    )


def _summed(reply: Reply, name: str, part: str, where: Where) -> Document:
    if reply.total is not None and not reply.total.sum_logprob <= 0:
        raise LlmcalcError(
            f"{where.record_place()}: {reply.total.sum_logprob!r} is above 0: "
            "not a log-likelihood"
        )
    return Document(
        id=name,
        logprobs=[],
        where=where,
        part=part,
        unit=reply.unit,
        total=reply.total,
        nbytes=reply.nbytes,
        words=reply.words,
    )
