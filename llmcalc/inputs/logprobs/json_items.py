"""The JSON values of a file out of their containers: events, lines, batches, lists."""

from collections.abc import Iterable, Iterator
from io import BufferedReader
from itertools import chain, islice
from typing import NamedTuple

from llmcalc.inputs.content import text_lines
from llmcalc.inputs.json_records import loader, records
from llmcalc.inputs.logprobs import sse
from llmcalc.inputs.logprobs.document import Where
from llmcalc.inputs.logprobs.events import Item
from llmcalc.inputs.logprobs.notes import Notes
from llmcalc.inputs.logprobs.requests import FAILED, is_bare, requests_of
from llmcalc.inputs.logprobs.vllm_text import loads_with


class Container(NamedTuple):
    """How the JSON of a stream is wrapped, and where its first line stands."""

    name: str
    streamed: bool  # server-sent events
    first_line: int = 1
    cut: bool = False  # a byte range: the number of a record is not known


def items_of(
    stream: BufferedReader, container: Container, notes: Notes
) -> Iterator[Item]:
    """Yield the replies and events of a stream; requests that failed are remarked."""
    return _requests(_values(stream, container), notes)


def _values(stream: BufferedReader, container: Container) -> Iterator[Item]:
    """Yield the JSON values of a stream with their places."""
    name, start = container.name, container.first_line
    if container.streamed:
        for event in sse.events(text_lines(stream, name), name, start):
            where = Where(name, event.line)
            yield Item(event.value, where, closes=event.value is None)
        return
    found = records(stream, name, loads_with(loader()), start)
    head = list(islice(found, 2))
    alone = len(head) == 1 and not container.cut
    for record in chain(head, found):
        where = Where(name)
        if not alone:
            number = None if container.cut else record.number
            where = Where(name, record.line, number)
        yield Item(record.value, where)


def _requests(items: Iterable[Item], notes: Notes) -> Iterator[Item]:
    """Unwrap batches and lists; requests that failed are remarked by name."""
    for item in items:
        if item.closes or is_bare(item.value):
            yield item
            continue
        for request in requests_of(item.value):
            if request.failure is None:
                yield item._replace(value=request.value, name=request.name)
                continue
            name = f", request {request.name!r}" if request.name else ""
            place = f"{item.where.record_place()}{name} ({request.failure})"
            notes.add(FAILED, place)
