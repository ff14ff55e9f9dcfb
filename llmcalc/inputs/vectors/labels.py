"""``--labels FILE``: a label a line, a column of a table, or JSON."""

from typing import Any

from llmcalc.errors import LlmcalcError
from llmcalc.inputs.content import text_lines
from llmcalc.inputs.delimited import Row, pick_column, read_delimited
from llmcalc.inputs.json_records import loader
from llmcalc.inputs.source import Source
from llmcalc.inputs.vectors.reply import LABEL_NAMES, label_of


def read_labels(source: Source, count: int) -> list[str | int]:
    """Return a label for each of ``count`` rows.

    The names above the columns of a table are no label, nor is a line more than
    there are rows. Raises LlmcalcError where the file has more or fewer.
    """
    with source.open() as stream:
        lines = list(text_lines(stream, source.name))
    labels = _from_json(lines)
    if labels is None:
        labels = _from_text(lines, source, count)
    if len(labels) != count:
        raise LlmcalcError(f"{source.name}: {len(labels)} labels for {count} vectors")
    return labels


def _from_json(lines: list[str]) -> list[str | int] | None:
    """Return the strings of a JSON list, or the labels of records, one a line."""
    first = next((line.lstrip() for line in lines if line.strip()), "")
    if first[:1] not in ("[", "{"):
        return None
    loads = loader()
    try:
        whole = first.startswith("[")
        found: Any = loads("\n".join(lines)) if whole else list(map(loads, lines))
    except (ValueError, RecursionError):
        return None
    entries = [label_of(e) if isinstance(e, dict) else e for e in found]
    labels = [entry for entry in entries if isinstance(entry, str | int)]
    return labels if len(labels) == len(entries) else None


def _from_text(lines: list[str], source: Source, count: int) -> list[str | int]:
    delimiter = _delimiter(lines, source)
    if delimiter is None:
        # What is one column may still have a name above it.
        return list(lines[1:] if len(lines) == count + 1 else lines)
    table = read_delimited(lines, delimiter, source.name)
    header, rows = table.header, list(table.rows)
    if header is not None and len(rows) + 1 == count:
        # With its first row the table has as many as there are vectors: no header.
        rows, header = [Row(1, header), *rows], None
    index = _column(header, source)
    for row in rows:
        if index >= len(row.fields):
            raise LlmcalcError(
                f"{source.name}: line {row.line}: has {len(row.fields)} fields"
            )
    return [row.fields[index] for row in rows]


def _delimiter(lines: list[str], source: Source) -> str | None:
    """Return what parts the columns. A comma may well be one of a sentence."""
    if lines and all("\t" in line for line in lines if line):
        return "\t"
    table = ".csv" in source.name.lower() or source.part is not None
    return "," if table else None


def _column(header: list[str] | None, source: Source) -> int:
    lowered = [name.lower() for name in header or []]
    if source.part is None and not any(name in lowered for name in LABEL_NAMES):
        return 0
    return pick_column(header, source.part, LABEL_NAMES, source.name)
