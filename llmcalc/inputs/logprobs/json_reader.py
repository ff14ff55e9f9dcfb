"""JSON of any container (documents, JSONL, server-sent events, batches) -> Reading."""

from collections.abc import Iterable, Iterator, Sequence
from io import BufferedReader
from itertools import chain, islice
from typing import Any

from llmcalc.errors import LlmcalcError
from llmcalc.inputs.logprobs import plain_json
from llmcalc.inputs.logprobs.checks import scale_of
from llmcalc.inputs.logprobs.document import Document, Reading, ReadOptions
from llmcalc.inputs.logprobs.events import Item, Read, groups_of
from llmcalc.inputs.logprobs.families import (
    Family,
    family_of,
    framed,
    kin,
    matches,
    named,
    reader_of,
)
from llmcalc.inputs.logprobs.json_faults import another, misshapen, nothing, unknown
from llmcalc.inputs.logprobs.json_items import Container, items_of
from llmcalc.inputs.logprobs.notes import Notes
from llmcalc.inputs.logprobs.parts import Context, Group, documents_of, part_of
from llmcalc.inputs.logprobs.plain_json import is_numbers, is_tokens
from llmcalc.inputs.logprobs.token_lines import token_groups
from llmcalc.inputs.logprobs.well_formed import check_reply

# What a damaged record makes a family's few lines of code raise.
MISSHAPEN = (
    *(KeyError, TypeError, AttributeError, IndexError, ValueError),
    OverflowError,
)


def read_json(
    stream: BufferedReader, container: Container, options: ReadOptions
) -> Reading:
    """Recognise the JSON of a stream and return its documents as they are read.

    Raises LlmcalcError for JSON whose shape is not known, for a known shape without
    log-probs (naming what to ask the server for), and for what is no JSON.
    """
    notes = Notes()
    items = items_of(stream, container, notes)
    seen: list[Item] = []
    family = named(options.input_format) if options.input_format else None
    for item in items:
        seen.append(item)
        if item.closes:
            continue
        if family is None:
            family = _recognised(item)
        if family is not None and _has(family, item.value):
            break
    else:
        raise nothing(seen, family, notes, container.name)
    context = Context(options, scale_of(options, family.base), notes, family.ask)
    items = chain(seen, items)
    if family.name == "tokens":
        return _reading(token_groups(items, family), family, context, container)
    reads = _read(items, family, container.streamed)
    early = list(islice(reads, 2))
    groups = groups_of(chain(early, reads), notes)
    reading = _reading(groups, family, context, container)
    return reading._replace(splits=_splits(early, container))


def _reading(
    groups: Iterator[Group], family: Family, context: Context, container: Container
) -> Reading:
    """Decide the part from the first replies, and the unit from the first document."""
    first = next(groups, None)
    if first is None:
        raise LlmcalcError(
            f"{container.name}: {family.name} without a single log-prob; "
            f"ask the server with {family.ask}"
        )
    part = part_of(first, context.options)
    documents = _documents(chain([first], groups), part, context)
    if not container.cut:
        documents = _scored(documents, container.name, context)
    early = next(documents, None)
    return Reading(
        format=family.name,
        part=part,
        base=context.scale.base,
        unit=early.unit if early else family.unit,
        notes=context.notes,
        documents=documents if early is None else chain([early], documents),
    )


def _splits(early: Sequence[Read], container: Container) -> bool:
    """Return whether the file looks like a whole reply a line."""
    if container.streamed or len(early) < 2:
        return False
    first, second = (read.item.where.line or 0 for read in early)
    whole = (r.ended or not r.event for read in early for r in read.replies)
    return second == first + 1 and all(whole)


def _documents(
    groups: Iterable[Group], part: str, context: Context
) -> Iterator[Document]:
    for group in groups:
        yield from documents_of(group, part, context)


def _scored(
    documents: Iterable[Document], name: str, context: Context
) -> Iterator[Document]:
    """Yield the documents; where none of them has a scored entry, say why."""
    scored = False
    for document in documents:
        scored = scored or bool(document.logprobs) or document.total is not None
        yield document
    remarks = context.notes.lines()
    if not scored and remarks:
        why = remarks[0].removeprefix(f"{name}: ")
        raise LlmcalcError(f"{name}: no token is scored: {why}")


def _recognised(item: Item) -> Family | None:
    """Return the family of a value; None where only its frame is known."""
    value = item.value
    if is_numbers(value):
        return named("numbers")
    if is_tokens(value):
        return named("tokens")
    family = family_of(value)
    if family is None and framed(value) is None:
        raise unknown(item)
    return family


def _has(family: Family, value: Any) -> bool:
    if isinstance(value, list):
        wanted = {"numbers": is_numbers, "tokens": is_tokens}.get(family.name)
        return wanted is not None and wanted(value)
    return matches(family, value)


def _read(items: Iterable[Item], family: Family, streamed: bool) -> Iterator[Read]:
    """Read each value by its family; another shape among them is an error."""
    # The row of plain numbers names what reads their text.
    module = plain_json if family.name == "numbers" else reader_of(family)
    for item in items:
        if item.closes:
            yield Read(item, [])
            continue
        if not _has(family, item.value) and not _kin(family, item.value):
            raise another(item, family)
        try:
            replies = list(map(check_reply, module.read(item.value)))
        except MISSHAPEN as error:
            raise misshapen(item, family, error) from None
        if streamed:
            replies = [reply._replace(event=True) for reply in replies]
        yield Read(item, replies)


def _kin(family: Family, value: Any) -> bool:
    """Return whether a value lacks log-probs but may stand among those of a family."""
    return family_of(value) is None and kin(family, value)
