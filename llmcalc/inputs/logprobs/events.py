"""Records and stream events -> groups of sequences: joined, repeats replaced."""

from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from llmcalc.inputs.logprobs.document import Entries, Reply, Where
from llmcalc.inputs.logprobs.entry_lists import joined
from llmcalc.inputs.logprobs.notes import Notes
from llmcalc.inputs.logprobs.parts import Group

UNFINISHED = "{n} of the streams cut off before the last event"


class Item(NamedTuple):
    """One JSON value of a file: a record or an event, and where it stands."""

    value: Any
    where: Where
    name: str = ""  # the request's own name in a batch
    closes: bool = False  # no value: the stream said that it is done


class Read(NamedTuple):
    """What a family read of one item."""

    item: Item
    replies: list[Reply]


class _Stream(NamedTuple):
    """A stream that is being joined: its events so far, by choice."""

    item: Item
    id: str
    events: dict[int, list[Reply]]
    ended: set[int]  # choices


def groups_of(reads: Iterable[Read], notes: Notes) -> Iterator[Group]:
    """Yield a group a whole record, and a group a stream of events.

    Streams may be woven into one another where their events have ids. One ends where
    it says so and something else begins, or with the file.
    """
    streams: dict[str, _Stream] = {}
    for item, replies in reads:
        if not item.closes and all(_is_event(reply, streams) for reply in replies):
            name = next((reply.id for reply in replies if reply.id), "")
            yield from _ended(streams, name, replies, notes)
            if replies:
                stream = streams.setdefault(name, _Stream(item, name, {}, set()))
                _add(stream, replies, item.where.line)
            continue
        yield from _ended(streams, None, replies, notes)
        if replies:
            yield Group(item.where, replies, item.name)
    yield from [_closed(stream, notes) for stream in streams.values()]


def _is_event(reply: Reply, streams: dict[str, _Stream]) -> bool:
    """Return whether a reply is an event, be it one that looks like a whole reply."""
    return reply.event or (bool(reply.id) and reply.id in streams)


def _ended(
    streams: dict[str, _Stream], name: str | None, replies: list[Reply], notes: Notes
) -> Iterator[Group]:
    """Yield, and forget, the streams that are over as something else comes.

    ``name`` is that of the stream which goes on; None where none does.
    """
    if name is None and streams:
        # What said that it is done is the stream that began last.
        yield _closed(streams.pop(next(reversed(streams))), notes)
    for key, stream in list(streams.items()):
        begins = key != name or any(
            reply.choice in stream.ended and _gives(reply) for reply in replies
        )
        if stream.ended and begins and (replies or name is None):
            yield _closed(streams.pop(key), notes)


def _gives(reply: Reply) -> bool:
    return bool(reply.prompt or reply.output or reply.whole or reply.total)


def _add(stream: _Stream, replies: list[Reply], line: int | None) -> None:
    for event in replies:
        before = stream.events.setdefault(event.choice, [])
        if event.replaces and (event.output or event.prompt):
            before.clear()
        output, whole = _lined(event.output, line), _lined(event.whole, line)
        before.append(event._replace(output=output, whole=whole))
        if event.ended:
            stream.ended.add(event.choice)


def _lined(entries: Entries | None, line: int | None) -> Entries | None:
    if entries is None or line is None:
        return entries
    return entries._replace(lines=[line] * len(entries.values))


def _closed(stream: _Stream, notes: Notes) -> Group:
    if not stream.ended:
        notes.add(UNFINISHED, stream.item.where.record_place())
    return _group(stream)


def _group(stream: _Stream) -> Group:
    by_choice = sorted(stream.events.items())
    replies = [_whole(choice, events) for choice, events in by_choice]
    given = [reply for reply in replies if _gives(reply)]
    item = stream.item
    return Group(item.where, given or replies, item.name or stream.id)


def _whole(choice: int, events: list[Reply]) -> Reply:
    outputs = [part for event in events if (part := event.whole or event.output)]
    echoed = any(event.whole for event in events)
    prompts = [event.prompt for event in events if event.prompt]
    totals = [event.total for event in events if event.total]
    return events[0]._replace(
        choice=choice,
        prompt=prompts[-1] if prompts else None,
        output=joined(outputs) if outputs and not echoed else None,
        whole=joined(outputs) if echoed else None,
        # Of several summaries of one sequence the last one covers it all.
        total=totals[-1] if totals else None,
        event=False,
    )
