"""The options that several commands share, each once, and what they say together."""

from enum import Enum
from pathlib import PurePath
from typing import Annotated

import typer

from llmcalc.errors import LlmcalcError
from llmcalc.output.show import Output

# Seventeen digits name every double.
MAX_PRECISION = 17
PICTURES = (".svg", ".html", ".txt")


class Format(str, Enum):
    """How a result is written."""

    auto = "auto"
    table = "table"
    plain = "plain"
    tsv = "tsv"
    csv = "csv"
    json = "json"
    jsonl = "jsonl"


FormatOption = Annotated[
    Format,
    typer.Option(
        "--format",
        "-f",
        metavar="NAME",
        help="auto, table, plain, tsv, csv, json or jsonl; auto is a table on a "
        "terminal and plain in a pipe.",
        show_default=False,
    ),
]
JsonOption = Annotated[
    bool, typer.Option("--json", help="Short for --format json.", show_default=False)
]
FieldOption = Annotated[
    str | None,
    typer.Option("--field", metavar="NAME", help="Print this one field, plain."),
]
PrecisionOption = Annotated[
    int | None,
    typer.Option(
        "--precision",
        "-p",
        metavar="N",
        min=1,
        max=MAX_PRECISION,
        help="Significant digits; 6 in tables, else every digit that reads back.",
    ),
]
SaveOption = Annotated[
    str | None,
    typer.Option(
        "--save", metavar="FILE", help="Save the table as FILE.svg, .html or .txt too."
    ),
]
QuietOption = Annotated[
    bool,
    typer.Option(
        "--quiet", "-q", help="No warnings and no progress.", show_default=False
    ),
]
TemperatureOption = Annotated[
    float,
    typer.Option(
        "--temperature",
        "--temp",
        "-t",
        metavar="T",
        help="Divide the logits by T; 0 and inf are the limits.",
    ),
]
TopKOption = Annotated[
    int | None,
    typer.Option("--top-k", "-k", metavar="K", help="The K largest."),
]
SeedOption = Annotated[
    int, typer.Option("--seed", metavar="N", min=0, help="Seed of the generator.")
]
ColumnOption = Annotated[
    str | None,
    typer.Option("--column", metavar="NAME", help="The column of a table to read."),
]
KeyOption = Annotated[
    str | None,
    typer.Option("--key", metavar="NAME", help="The array of an archive to read."),
]
WorkersOption = Annotated[
    int | None,
    typer.Option(
        "--workers",
        metavar="N",
        min=1,
        help="Processes to share the work; the result does not depend on it.",
    ),
]


def output_options(
    fmt: Format,
    as_json: bool,
    field: str | None,
    precision: int | None,
    save: str | None,
    quiet: bool,
) -> Output:
    """Return what the six output options ask for together.

    Raises LlmcalcError for formats that contradict and for a picture of no kind.
    """
    if as_json and fmt not in (Format.auto, Format.json):
        raise LlmcalcError(f"--json contradicts --format {fmt.value}")
    if save is not None and PurePath(save).suffix.lower() not in PICTURES:
        raise LlmcalcError(f"{save}: a picture ends in {', '.join(PICTURES)}")
    name = Format.json if as_json else fmt
    return Output(name.value, field, precision, save, quiet)


def one_part(column: str | None, key: str | None) -> str | None:
    """Return the part that --column or --key names; they are one question."""
    if column is not None and key is not None and column != key:
        raise LlmcalcError("give --column or --key, not both")
    return column if key is None else key
