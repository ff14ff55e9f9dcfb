"""The options of `ppl` alone: their names, their metavars and their help."""

from typing import Annotated, Literal

import typer

from llmcalc.inputs.logprobs.families import NAMES

Part = Literal["auto", "prompt", "output", "all"]
Base = Literal["e", "2", "10"]
Sentinel = Literal["error", "skip", "inf"]
By = Literal["document", "file", "none"]


def _format_names() -> list[str]:
    return list(NAMES)


LogprobValues = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="[VALUES]...",
        help="Log-probs, or files of them, or - for standard input.",
        show_default=False,
    ),
]
PartOption = Annotated[
    Part,
    typer.Option(
        "--part",
        metavar="NAME",
        help="What of a reply counts: prompt, output or all; auto is the prompt where "
        "it has log-probs, else the output.",
    ),
]
BaseOption = Annotated[
    Base | None,
    typer.Option(
        "--base", metavar="BASE", help="The logarithms' base: e, 2 or 10; as the shape."
    ),
]
NllOption = Annotated[
    bool,
    typer.Option(
        "--nll",
        help="The values are negated log-probs: surprisals.",
        show_default=False,
    ),
]
ProbsOption = Annotated[
    bool,
    typer.Option("--probs", help="The values are probabilities.", show_default=False),
]
MaskOption = Annotated[
    str | None,
    typer.Option(
        "--mask",
        metavar="FILE",
        help="An array, of the npz or a file: entries that are not 0 count.",
    ),
]
BytesOption = Annotated[
    int | None,
    typer.Option(
        "--bytes", metavar="N", min=1, help="Bytes of the scored text, for bits a byte."
    ),
]
TextOption = Annotated[
    str | None,
    typer.Option(
        "--text", metavar="FILE", help="The scored text, for its bytes and words."
    ),
]
WordsOption = Annotated[
    int | None,
    typer.Option(
        "--words", metavar="N", min=1, help="Words of the scored text, for word_ppl."
    ),
]
SentinelOption = Annotated[
    Sentinel,
    typer.Option(
        "--sentinel",
        metavar="NAME",
        help="Placeholders such as -9999: error, skip, or inf (probability 0).",
    ),
]
CompareOption = Annotated[
    str | None,
    typer.Option(
        "--compare", metavar="FILE", help="A second model on the same tokens, paired."
    ),
]
ByOption = Annotated[
    By | None,
    typer.Option(
        "--by", metavar="NAME", help="Show each document (all of them), file, or none."
    ),
]
TokensOption = Annotated[
    bool,
    typer.Option(
        "--tokens", help="Show the text, coloured by surprisal.", show_default=False
    ),
]
WorstOption = Annotated[
    int | None,
    typer.Option(
        "--worst", metavar="K", min=1, help="Show the K most surprising tokens."
    ),
]
InputFormatOption = Annotated[
    str | None,
    typer.Option(
        "--input-format",
        metavar="NAME",
        help=f"Force the shape: {', '.join(NAMES)}.",
        autocompletion=_format_names,
    ),
]
