"""Objects of one token each -> runs of one document, in pieces.

There may be millions of them, so they take a shorter way than replies do.
"""

from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from llmcalc.inputs.logprobs.document import Reply, Where
from llmcalc.inputs.logprobs.events import Item
from llmcalc.inputs.logprobs.families import Family
from llmcalc.inputs.logprobs.items import id_of, token_entries
from llmcalc.inputs.logprobs.json_faults import another, misshapen
from llmcalc.inputs.logprobs.parts import Group
from llmcalc.inputs.logprobs.plain_json import is_tokens
from llmcalc.inputs.logprobs.well_formed import check_reply

# So many tokens are handed on at a time, so memory stays flat.
PIECE = 1 << 16
# ``id`` beside a token is that of the token.
DOCUMENTS = ("doc_id", "document_id", "document", "doc", "sequence_id")
NAMES = ("logprob", "log_prob")


class _Run(NamedTuple):
    """Tokens of one document, and the name of the field that holds the log-prob."""

    id: str
    field: str
    where: Where
    tokens: list[dict[str, Any]]
    lines: list[int]
    continues: bool


def token_groups(items: Iterable[Item], family: Family) -> Iterator[Group]:
    """Yield a group a run of objects with one document id, long ones in pieces.

    Raises LlmcalcError for a record of another shape.
    """
    run: _Run | None = None
    for item in items:
        value = item.value
        field = _field(value)
        if field is None:
            if run:
                yield _group(run, family)
                run = None
            if not item.closes:
                yield _list(item, family)
            continue
        name = id_of(value, *DOCUMENTS)
        same = run is not None and run.id == name and run.field == field
        if run and (not same or len(run.tokens) >= PIECE):
            yield _group(run, family)
            run = None
        run = run or _Run(name, field, item.where, [], [], same)
        run.tokens.append(value)
        run.lines.append(item.where.line or 0)
    if run:
        yield _group(run, family)


def _field(value: Any) -> str | None:
    if type(value) is dict:
        for name in NAMES:
            if name in value and not isinstance(value[name], list):
                return name
    return None


def _group(run: _Run, family: Family) -> Group:
    entries = token_entries(run.tokens, run.field, run.field)
    lines = run.lines if run.where.line else None
    reply = Reply(id=run.id, whole=entries._replace(lines=lines))
    return _checked(Group(run.where, [reply], run.id, run.continues), family)


def _list(item: Item, family: Family) -> Group:
    if not is_tokens(item.value):
        raise another(item, family)
    reply = Reply(whole=token_entries(item.value, ""))
    return _checked(Group(item.where, [reply]), family)


def _checked(group: Group, family: Family) -> Group:
    try:
        for reply in group.replies:
            check_reply(reply)
    except TypeError as error:
        raise misshapen(Item(None, group.where), family, error) from None
    return group
