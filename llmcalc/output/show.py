"""The only writer to standard output: a report in the format that is asked for.

Start-up is a feature: rich and json load only for the format that needs them.
"""

import errno
import io
import itertools
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple

from llmcalc.errors import STDOUT, LlmcalcError, naming
from llmcalc.output.report import Report
from llmcalc.output.text import csv_lines, plain_lines, scalar_row, tsv_lines

# Lines are written together: a write call a line costs more than the arithmetic.
_CHUNK = 4096
_CHUNK_LENGTH = 1 << 20


class Output(NamedTuple):
    """How a report is to be written; ``format`` is a name of the contract."""

    format: str
    field: str | None
    precision: int | None
    save: str | None
    quiet: bool


def show(report: Report, output: Output) -> None:
    """Write the warnings, the picture that is to be saved, and the result.

    Raises LlmcalcError for a field that the result does not have, OSError where
    standard output or the picture cannot be written.
    """
    format_name = output.format
    if output.field is not None:
        report = _one_field(report, output.field)
        format_name = "plain" if format_name in ("auto", "table") else format_name
    if not output.quiet:
        for warning in report.warnings:
            warn(warning)
    if output.save is not None:
        from llmcalc.output.picture import save_picture

        save_picture(report, output.save, output.precision)
    if format_name == "auto":
        format_name = "table" if is_terminal() else "plain"
    if format_name == "table":
        from llmcalc.output.canvas import print_table

        writable_stdout()
        with naming(STDOUT):
            print_table(report, output.precision)
    elif format_name == "json":
        write_lines(itertools.chain(_json(report, output.precision), "\n"), end="")
    else:
        write_lines(_lines(report, format_name, output.precision))


def warn(message: str) -> None:
    """Write one line to standard error, where there is one."""
    if sys.stderr is not None:
        sys.stderr.write(f"llmcalc: warning: {message}\n")


def is_terminal() -> bool:
    """Return whether standard output is a terminal."""
    return sys.stdout is not None and sys.stdout.isatty()


def write_lines(lines: Iterable[str], end: str = "\n") -> None:
    """Write lines, or pieces that nothing ends, to standard output, many in one call.

    A character that the stream's encoding lacks is written as its escape.
    """
    stream = writable_stdout()
    chunk: list[str] = []
    length = 0
    for line in lines:
        chunk.append(line)
        length += len(line)
        if len(chunk) == _CHUNK or length > _CHUNK_LENGTH:
            _write(stream, chunk, end)
            chunk.clear()
            length = 0
    _write(stream, chunk, end)


def _write(stream: Any, lines: Sequence[str], end: str) -> None:
    if lines:
        with naming(STDOUT):
            stream.write(end.join(lines) + end)


def writable_stdout() -> Any:
    """Return standard output made to take any character; OSError if it is closed."""
    stream: Any = sys.stdout
    if stream is None:
        raise OSError(errno.EBADF, "is closed", STDOUT)
    if isinstance(getattr(stream, "buffer", None), io.RawIOBase):
        # PYTHONUNBUFFERED: a raw stream may take a part of what is written, and text
        # streams do not look at how much.
        encoding = stream.encoding
        buffer = io.BufferedWriter(stream.detach())
        stream = sys.stdout = io.TextIOWrapper(buffer, encoding)
    if hasattr(stream, "reconfigure"):
        stream.reconfigure(errors="backslashreplace")
    return stream


def utf8_stdout() -> bool:
    """Return whether standard output can carry any character."""
    encoding = getattr(sys.stdout, "encoding", None) or "utf-8"
    return encoding.lower().replace("-", "").startswith("utf")


def _lines(report: Report, name: str, precision: int | None) -> Iterator[str]:
    if name == "plain":
        if report.plain is not None:
            yield from report.plain(precision)
        else:
            yield from plain_lines(report.fields[report.headline], precision)
    else:
        rows = report.rows() if report.rows else [scalar_row(report.fields)]
        if name == "jsonl":
            from llmcalc.output.json_text import json_text

            yield from (json_text(row, precision, not utf8_stdout()) for row in rows)
        else:
            write = tsv_lines if name == "tsv" else csv_lines
            yield from write(rows, precision)


def _json(report: Report, precision: int | None) -> Iterator[str]:
    from llmcalc.output.json_text import json_pieces

    return json_pieces(report.fields, precision, ascii_only=not utf8_stdout())


def _one_field(report: Report, name: str) -> Report:
    value: Any = report.fields
    for key in name.split("."):
        if not isinstance(value, Mapping) or key not in value:
            choices = ", ".join(report.fields)
            raise LlmcalcError(f"no field {name!r} here; this result has: {choices}")
        value = value[key]
    rows = partial(_field_rows, name, value)
    return Report({name: value}, name, report.view, rows, report.warnings)


def _field_rows(name: str, value: Any) -> Iterator[Mapping[str, Any]]:
    """Yield the rows of one field: a row an item of a list, of an object one."""
    if hasattr(value, "tolist"):
        value = value.tolist()
    for item in value if isinstance(value, list | tuple) else [value]:
        yield item if isinstance(item, Mapping) else {name: item}
