"""Rows of a table -> documents: a run of rows with one document id, in pieces."""

from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from llmcalc.inputs.logprobs.document import Document, Entries, Where
from llmcalc.inputs.logprobs.parts import Context, document_of

# So many rows are handed on at a time, so memory stays flat.
PIECE = 1 << 16


class Cell(NamedTuple):
    """What is read of one row."""

    number: int  # of the line, or of the row
    value: Any
    token: str | None
    document: Any


def pieces_of(
    cells: Iterable[Cell], where: Where, context: Context
) -> Iterator[Document]:
    """Yield the documents of rows; where the place has no path, numbers are lines."""
    held: list[Cell] = []
    continues = False
    for cell in cells:
        if held and (cell.document != held[-1].document or len(held) >= PIECE):
            yield _piece(held, where, context)._replace(continues=continues)
            continues = cell.document == held[-1].document
            held = []
        held.append(cell)
    if held:
        yield _piece(held, where, context)._replace(continues=continues)


def _piece(cells: list[Cell], where: Where, context: Context) -> Document:
    known = any(cell.token is not None for cell in cells)
    entries = Entries(
        values=[cell.value for cell in cells],
        path=where.path,
        tokens=[cell.token for cell in cells] if known else None,
        lines=None if where.path else [cell.number for cell in cells],
        first=cells[0].number if where.path else 0,
    )
    name = cells[0].document
    document = document_of(entries, where, context)
    return document._replace(id="" if name is None else str(name))
