"""Which columns of a table are the vector, and which is the label."""

import re
from collections.abc import Sequence
from typing import NamedTuple

from llmcalc.errors import LlmcalcError
from llmcalc.inputs.delimited import Row
from llmcalc.inputs.vectors.column_kinds import column_kind
from llmcalc.inputs.vectors.reply import LABEL_NAMES, VECTOR_NAMES
from llmcalc.inputs.vectors.text_input import column_range

_NUMBERED = re.compile(r"(.*?)(\d+)")
# Numbers that tables carry beside a vector, and never inside it.
_BESIDE = frozenset(
    ("index", "n_tokens", "tokens", "token_count", "count", "score", "similarity",
     "distance", "rank", "year", "cluster", "class", "target", "", "unnamed: 0")
)  # fmt: skip


class Columns(NamedTuple):
    """The columns to read: cells that hold a vector each, components, or one column.

    ``form`` is "cell", "components" or "column" (the column is the vector).
    """

    form: str
    vector: list[int]
    label: int | None
    notes: list[str]


class Table(NamedTuple):
    """What is known of a table before it is read."""

    name: str
    header: list[str] | None
    sample: list[Row]
    kinds: list[str]

    def column(self, index: int) -> str:
        """Return what messages call a column: its name, else its number from 0."""
        return " ".join(self.header[index].split()) if self.header else str(index)


def table_of(name: str, header: list[str] | None, sample: list[Row]) -> Table:
    """Return a table with what its first rows show each column to hold."""
    width = len(header or (sample[0].fields if sample else []))
    # A row of another width is an error that the reader names in its turn.
    full = [row for row in sample if len(row.fields) == width]
    kinds = [column_kind([row.fields[index] for row in full]) for index in range(width)]
    return Table(name, header, full, kinds)


def choose_columns(table: Table, part: str | None) -> Columns:
    """Return the columns asked for, else cells with a vector, else the components.

    Raises LlmcalcError naming the choices where several could be meant.
    """
    if part is not None:
        return _asked(table, part)
    cells = _vector_cells(table)
    if len(cells) > 1:
        names = ", ".join(table.column(index) for index in cells)
        raise LlmcalcError(
            f"{table.name}: which column is the vector? choose with --column: {names}"
        )
    if cells:
        return Columns("cell", cells, _label(table, cells), [])
    return _components(table)


def _asked(table: Table, part: str) -> Columns:
    header = table.header or []
    width = len(table.kinds)
    index = header.index(part) if part in header else -1
    if index < 0 and part.isdecimal() and int(part) < width:
        index = int(part)
    if index >= 0:
        form = "column" if table.kinds[index] == "number" else "cell"
        return Columns(form, [index], _label(table, [index]), [])
    chosen = column_range(part, width)
    columns = list(chosen) if chosen is not None else _groups(table).get(part, [])
    if not columns or columns[-1] >= width:
        names = ", ".join(map(table.column, range(width)))
        choices = names if header else f"0 to {width - 1}"
        raise LlmcalcError(
            f"{table.name}: no column {part!r}; choose with --column: {choices}"
        )
    return Columns("components", columns, _label(table, columns), [])


def _components(table: Table) -> Columns:
    numeric = [i for i, kind in enumerate(table.kinds) if kind == "number"]
    groups = _groups(table)
    if len(groups) > 1:
        raise LlmcalcError(
            f"{table.name}: which columns are the vector? "
            f"choose with --column: {', '.join(groups)}"
        )
    if groups:
        columns = next(iter(groups.values()))
        return Columns("components", columns, _label(table, columns), [])
    # A first column that is mixed is a label; another has cells for the reader to name.
    columns = [
        i
        for i, kind in enumerate(table.kinds)
        if kind == "number" or (kind == "mixed" and numeric and i)
    ]
    if table.header is None:
        _refuse_ids(table, numeric)
    else:
        columns = [i for i in columns if not _is_beside(table.header[i])]
    if not columns:
        raise LlmcalcError(
            f"{table.name}: no column holds a vector: "
            + ", ".join(table.column(i) for i in range(len(table.kinds)))
        )
    left = [table.column(i) for i in numeric if i not in columns]
    notes = []
    if left and table.header:
        taken = ", ".join(table.column(i) for i in columns)
        notes = [f"{table.name}: components are {taken}; not {', '.join(left)}"]
    return Columns("components", columns, _label(table, columns), notes)


def _is_beside(name: str) -> bool:
    return name.lower() in _BESIDE or name in LABEL_NAMES


def _groups(table: Table) -> dict[str, list[int]]:
    """Return the columns of components whose names count up, by what is before that.

    A text among them, after the first number, is a component that is no number.
    """
    groups: dict[str, list[int]] = {}
    for index, name in enumerate(table.header or []):
        found = _NUMBERED.fullmatch(name)
        numeric = table.kinds[index] in ("number", "mixed")
        if found is not None and (numeric or found[1] in groups):
            groups.setdefault(found[1], []).append(index)
    return {prefix: columns for prefix, columns in groups.items() if len(columns) > 1}


def _vector_cells(table: Table) -> list[int]:
    """Return the columns of vectors; those with a vector's name come before others."""
    header = table.header or []
    cells = [i for i, kind in enumerate(table.kinds) if kind == "vector"]
    if not cells:
        cells = [
            i
            for i, kind in enumerate(table.kinds)
            if kind == "encoded" and (not header or header[i].lower() in VECTOR_NAMES)
        ]
    named = [i for i in cells if header and header[i].lower() in VECTOR_NAMES]
    return named if len(named) == 1 else cells


def _label(table: Table, vector: Sequence[int]) -> int | None:
    """Return the label's column: a text by its name, any text, then an id."""
    others = [i for i in range(len(table.kinds)) if i not in vector]
    texts = [i for i in others if table.kinds[i] not in ("number", "vector")]
    names = [name.lower() for name in table.header or []]
    for columns in (texts, others):
        for wanted in LABEL_NAMES:
            for index in columns:
                if names and names[index] == wanted.lower():
                    return index
        if texts:
            return texts[0]
    return others[0] if others and not (names and names[others[0]]) else None


def _refuse_ids(table: Table, numeric: list[int]) -> None:
    """Raise LlmcalcError where a first column of integers may be an id."""
    if len(numeric) < 3 or numeric[0] != 0 or len(table.sample) < 2:
        return
    first = [row.fields[0].strip() for row in table.sample]
    rest = [row.fields[i].strip("+- ") for row in table.sample for i in numeric[1:]]
    if len(set(first)) < len(first) or any(map(str.isdecimal, rest)):
        return
    if all(map(str.isdecimal, first)):
        raise LlmcalcError(
            f"{table.name}: column 0 holds integers and no other does: ids or "
            "components? --column 1- leaves it out, --column 0- takes it in"
        )
