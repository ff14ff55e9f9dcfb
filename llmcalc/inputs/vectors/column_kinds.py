"""What the cells of a column of text are."""

from collections.abc import Sequence

from llmcalc.inputs.delimited import is_number
from llmcalc.inputs.vectors.cells import BITS, looks_like_vector
from llmcalc.inputs.vectors.llm_text import is_encoded

# How Postgres' COPY writes that there is nothing.
NULL = "\\N"


def column_kind(cells: Sequence[str]) -> str:
    """Return what a column holds: "number", "vector", "encoded" (hex, base64), "text".

    Empty cells say nothing. "mixed" is half numbers or more, and "vector" mostly
    vectors: a cell that is none is for the reader to name.

    >>> column_kind(["1", "", "2.5"]), column_kind(["[1, 2]"]), column_kind(["a", "b"])
    ('number', 'vector', 'text')
    >>> column_kind(["1", "x", "2"]), column_kind(["[1, 2]", "x", "[3, 4]"])
    ('mixed', 'vector')
    """
    filled = [cell.strip() for cell in cells if cell.strip() not in ("", NULL)]
    if not filled:
        return "text"
    if is_bits(filled):
        return "vector"
    numbers = sum(map(is_number, filled))
    if 2 * numbers >= len(filled):
        return "number" if numbers == len(filled) else "mixed"
    if 2 * sum(map(_is_vector, filled)) > len(filled):
        return "vector"
    return "encoded" if all(map(is_encoded, filled)) else "text"


def is_bits(cells: Sequence[str]) -> bool:
    """Return whether a column holds bits: equally many 0 and 1, a 0 in front of some.

    >>> is_bits(["01000001", "11111110"]), is_bits(["10000000", "11111111"])
    (True, False)
    """
    return (
        all(BITS.fullmatch(cell) for cell in cells)
        and len({len(cell) for cell in cells}) == 1
        and any(cell[0] == "0" for cell in cells)
    )


def _is_vector(cell: str) -> bool:
    return looks_like_vector(cell) or (
        " " in cell and all(map(is_number, cell.split()))
    )
