"""Records and stream events -> groups of sequences: joined, repeats replaced."""

from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from llmcalc.inputs.logprobs.document import Entries, Notes, Reply, Where
from llmcalc.inputs.logprobs.entry_lists import joined
from llmcalc.inputs.logprobs.parts import Group

# A sequence given token by token is handed on in pieces, so memory stays flat.
PIECE = 1 << 16
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


class _Open(NamedTuple):
    """A stream that is being joined: its events so far, by choice and part."""

    item: Item
    id: str
    events: dict[int, list[Reply]]


def groups_of(reads: Iterable[Read], notes: Notes, pieces: bool) -> Iterator[Group]:
    """Yield a group a whole record, and a group a stream of events.

    A stream ends where it says so, where another id begins, or where a whole record
    comes. With ``pieces`` a long one is handed on in parts.
    """
    stream: _Open | None = None
    count, continues = 0, False
    for item, replies in reads:
        events = [reply for reply in replies if reply.event or _goes_on(stream, reply)]
        if stream and (item.closes or _parts(stream, replies)):
            yield _closed(stream, notes, continues, pieces)
            stream, count, continues = None, 0, False
        if not events:
            if replies:
                yield Group(item.where, replies, item.name)
            continue
        stream = stream or _Open(item, events[0].id, {})
        for event in events:
            count += _add(stream, event, item.where.line)
        if pieces and count >= PIECE:
            yield _closed(stream, notes, continues, pieces)
            stream, count, continues = _Open(item, stream.id, {}), 0, True
    if stream and stream.events:
        yield _closed(stream, notes, continues, pieces)


def _parts(stream: _Open, replies: list[Reply]) -> bool:
    """Return whether these replies begin something new."""
    for reply in replies:
        if not (reply.event or _goes_on(stream, reply)):
            return True
        if reply.id and stream.id and reply.id != stream.id:
            return True
        before = stream.events.get(reply.choice, [])
        if any(event.ended for event in before) and _gives(reply):
            return True
    return False


def _goes_on(stream: _Open | None, reply: Reply) -> bool:
    """Return whether what looks like a whole reply is the last event of a stream."""
    return stream is not None and bool(reply.id) and reply.id == stream.id


def _gives(reply: Reply) -> bool:
    return bool(reply.prompt or reply.output or reply.whole or reply.total)


def _add(stream: _Open, event: Reply, line: int | None) -> int:
    before = stream.events.setdefault(event.choice, [])
    if event.replaces and (event.output or event.prompt):
        before.clear()
    output, whole = _lined(event.output, line), _lined(event.whole, line)
    before.append(event._replace(output=output, whole=whole))
    return sum(len(part.values) for part in (output, whole) if part)


def _lined(entries: Entries | None, line: int | None) -> Entries | None:
    if entries is None or line is None:
        return entries
    return entries._replace(lines=[line] * len(entries.values))


def _closed(stream: _Open, notes: Notes, continues: bool, pieces: bool) -> Group:
    item = stream.item
    by_choice = sorted(stream.events.items())
    ended = any(event.ended for _, events in by_choice for event in events)
    if not (ended or pieces):
        notes.add(UNFINISHED, item.where.record_place())
    replies = [_whole(choice, events) for choice, events in by_choice]
    given = [reply for reply in replies if _gives(reply)]
    return Group(item.where, given or replies, item.name or stream.id, continues)


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
