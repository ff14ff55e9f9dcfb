"""A VALUE of ``ppl`` -> a Reading: its shape is recognised by what it holds.

Start-up is a feature: the readers of families load when an input needs them.
"""

import re
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from io import BufferedReader
from itertools import chain

from llmcalc.errors import LlmcalcError
from llmcalc.inputs.content import encoding_of, kind_of, text_lines
from llmcalc.inputs.logprobs.checks import checked, scale_of
from llmcalc.inputs.logprobs.document import Document, Reading, ReadOptions, Where
from llmcalc.inputs.logprobs.families import TEXT_FAMILIES, Family, named, reader_of
from llmcalc.inputs.logprobs.notes import Notes
from llmcalc.inputs.logprobs.parts import Context
from llmcalc.inputs.logprobs.text_lines import Lines
from llmcalc.inputs.source import Source, Typed

# A text is told by so many of its first bytes, and lines by so many letters.
HEAD = 1 << 16
LINE = 4096
ARRAYS = {"npy": "npy", "npz": "npy", "safetensors": "npy"}
COLUMNAR = {"parquet": "parquet", "arrow": "parquet", "arrow-stream": "parquet"}
ARROW_STREAM = b"\xff\xff\xff\xff"


def open_logprobs(
    value: Typed | Source | Sequence[Typed], options: ReadOptions
) -> Reading:
    """Recognise a VALUE and return its documents, which come as it is read.

    Several typed arguments are one sequence. Raises LlmcalcError for what is not
    recognised, naming the shapes that are.
    """
    if isinstance(value, Source):
        return _open_source(value, options)
    return _typed([value] if isinstance(value, Typed) else value, options)


def open_stream(
    stream: BufferedReader, name: str, options: ReadOptions, first_line: int = 1
) -> Reading:
    """Recognise text or JSON that is read from any stream, such as a byte range.

    ``first_line`` is the number of its first line in the file.
    """
    return _open_stream(stream, name, options, first_line, cut=True)


def _open_source(source: Source, options: ReadOptions) -> Reading:
    with ExitStack() as stack:
        stream = stack.enter_context(source.open())
        reading = _recognised(stream, source, options)
        # What is recognised stays open until it is read.
        return reading._replace(close=stack.pop_all().close)


def _recognised(
    stream: BufferedReader, source: Source, options: ReadOptions
) -> Reading:
    head = stream.peek(HEAD)
    kind = "arrow-stream" if head.startswith(ARROW_STREAM) else kind_of(head)
    if options.column is None and source.part is not None:
        options = options._replace(column=source.part)
    wanted = ARRAYS.get(kind) or COLUMNAR.get(kind)
    if wanted is not None:
        if options.input_format not in (None, wanted):
            raise LlmcalcError(f"{source.name}: is {kind}, not {options.input_format}")
        reading: Reading = reader_of(named(wanted)).read(source, kind, options)
        return reading
    if kind not in ("json", "text"):
        raise LlmcalcError(f"{source.name}: is {kind}, not text, JSON or an array file")
    return _open_stream(stream, source.name, options, 1, cut=False)


def _open_stream(
    stream: BufferedReader, name: str, options: ReadOptions, first_line: int, cut: bool
) -> Reading:
    from llmcalc.inputs.logprobs import plain_blocks, sse

    if options.mask is not None:
        raise LlmcalcError(f"{name}: --mask goes with array files (npy, npz)")
    head = stream.peek(HEAD)[:HEAD]
    lines = _head_lines(head)
    if not lines:
        raise LlmcalcError(f"{name}: is empty: nothing to score")
    family = _text_family(lines, options)
    loose = family.name in ("numbers", "table") and options.input_format != "table"
    streamed = loose and sse.START.match(lines[0]) is not None
    json = streamed or (loose and kind_of(head) == "json")
    _check_forced(options.input_format, "JSON" if json else "text", name)
    if options.column is not None and (json or family.name != "table"):
        raise LlmcalcError(f"{name}: --column goes with tables; this is none")
    if json:
        from llmcalc.inputs.logprobs.json_items import Container
        from llmcalc.inputs.logprobs.json_reader import read_json

        return read_json(stream, Container(name, streamed, first_line, cut), options)
    context = Context(options, scale_of(options, family.base), Notes(), family.ask)
    if options.part in ("prompt", "output"):
        raise LlmcalcError(f"{name}: {family.name} has no parts; leave --part out")
    if family.name == "numbers":
        documents = plain_blocks.read(stream, name, context, first_line)
    else:
        numbered = enumerate(text_lines(stream, name, start=first_line), first_line)
        documents = reader_of(family).read(Lines(name, numbered), context)
    return _reading(documents, family, context)


def _check_forced(wanted: str | None, held: str, name: str) -> None:
    """Require what a stream holds to be what the forced format is written in."""
    kind = named(wanted).kind if wanted else "text"
    if kind == "array" or (kind == "json" and held == "text"):
        raise LlmcalcError(f"{name}: is {held}, not {wanted}")


def _reading(
    documents: Iterator[Document], family: Family, context: Context
) -> Reading:
    first = next(documents, None)
    return Reading(
        format=family.name,
        part="all",
        base=context.scale.base,
        unit=first.unit if first else family.unit,
        notes=context.notes,
        documents=chain([first] if first else [], documents),
        splits=family.name == "numbers",
    )


def _head_lines(head: bytes) -> list[str]:
    """Return the first lines of a text that are not blank, shortened."""
    text = head.decode(encoding_of(head), errors="ignore")
    return [line[:LINE] for line in text.splitlines() if line.strip()]


def _text_family(lines: list[str], options: ReadOptions) -> Family:
    """Return the family of a text: of n-gram tools, a table, or numbers."""
    from llmcalc.inputs.delimited import delimiter_of
    from llmcalc.inputs.logprobs.table_columns import KNOWN

    if options.input_format is not None:
        family = named(options.input_format)
        return family if family.kind == "text" else named("numbers")
    for family in TEXT_FAMILIES:
        if any(any(map(re.compile(mark).match, lines)) for mark in family.marks):
            return family
    first = next((line for line in lines if not line.lstrip().startswith("#")), "")
    # A table of one column shows only in its header.
    header = first.strip().strip('"').lower() in KNOWN or options.column is not None
    return named("table" if header or delimiter_of(first) else "numbers")


def _typed(values: Sequence[Typed], options: ReadOptions) -> Reading:
    if options.mask is not None:
        raise LlmcalcError("typed numbers: --mask goes with array files (npy, npz)")
    if options.part in ("prompt", "output"):
        raise LlmcalcError("typed numbers have no parts; leave --part out")
    if options.input_format not in (None, "numbers"):
        raise LlmcalcError(f"typed numbers are not {options.input_format}")
    notes = Notes()
    scale = scale_of(options, "e")
    numbers = [number for value in values for number in value.numbers]
    names = [value.name for value in values for _ in value.numbers]
    logprobs, dropped = checked(numbers, scale, names.__getitem__, notes)
    where = Where(values[0].name if len(values) == 1 else "arguments", nulls=dropped)
    document = Document("", logprobs, where, part="all", skipped=len(dropped))
    return Reading(
        format="numbers",
        part="all",
        base=scale.base,
        unit="token",
        notes=notes,
        documents=iter([document]),
    )
