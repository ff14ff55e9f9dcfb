"""The options of `softmax` alone: their names, their metavars and their help."""

from typing import Annotated, Literal

import typer

Order = Literal["hf", "vllm", "llama.cpp", "sglang", "all"]
Base = Literal["e", "2"]

LogitValues = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="[VALUES]...",
        help="Logits, comma lists (a row each), files, or - for standard input.",
        show_default=False,
    ),
]
TopPOption = Annotated[
    float | None,
    typer.Option("--top-p", metavar="P", help="Keep the best that together reach P."),
]
MinPOption = Annotated[
    float | None,
    typer.Option("--min-p", metavar="P", help="Keep p >= P times the best."),
]
TypicalOption = Annotated[
    float | None,
    typer.Option(
        "--typical-p", metavar="P", help="Keep the most typical that reach P."
    ),
]
EpsilonOption = Annotated[
    float | None,
    typer.Option("--epsilon-cutoff", metavar="E", help="Keep p >= E."),
]
EtaOption = Annotated[
    float | None,
    typer.Option(
        "--eta-cutoff", metavar="E", help="Keep p >= min(E, sqrt(E) exp(-entropy))."
    ),
]
TopHOption = Annotated[
    float | None,
    typer.Option(
        "--top-h", metavar="H", help="Keep the best that hold H of the entropy."
    ),
]
TopNSigmaOption = Annotated[
    float | None,
    typer.Option(
        "--top-n-sigma",
        metavar="N",
        help="Keep logits within N deviations of the best.",
    ),
]
OrderOption = Annotated[
    Order | None,
    typer.Option(
        "--order",
        metavar="NAME",
        help="Filter as hf (default), vllm, llama.cpp, sglang; all compares them.",
        show_default=False,
    ),
]
LogOption = Annotated[
    bool,
    typer.Option(
        "--log", help="Print log-probabilities, without underflow.", show_default=False
    ),
]
BaseOption = Annotated[
    Base,
    typer.Option("--base", metavar="e/2", help="Base of the log-probabilities."),
]
TargetEntropyOption = Annotated[
    float | None,
    typer.Option(
        "--target-entropy", metavar="H", help="Find the T of this entropy, in nats."
    ),
]
TargetChoicesOption = Annotated[
    float | None,
    typer.Option(
        "--target-choices", metavar="N", help="Find the T of N effective choices."
    ),
]
TargetTop1Option = Annotated[
    float | None,
    typer.Option(
        "--target-top1", metavar="P", help="Find the T of this best probability."
    ),
]
SweepOption = Annotated[
    str | None,
    typer.Option(
        "--sweep", metavar="LIST", help="Several T: 0.5,1,2 or LO:HI:N (geometric)."
    ),
]
CompareOption = Annotated[
    str | None,
    typer.Option(
        "--compare",
        metavar="T2",
        help="KL both ways, to another T, to a file of logits, or (rows) row 0 to 1.",
    ),
]
SampleOption = Annotated[
    int | None,
    typer.Option("--sample", metavar="N", help="Draw N tokens and count them."),
]
AnswersOption = Annotated[
    str | None,
    typer.Option(
        "--labels",
        metavar="FILE",
        help="Index of the right answer of each row: calibration and the T that fits.",
    ),
]
PositionOption = Annotated[
    int | None,
    typer.Option(
        "--position", metavar="N", help="Take this row or position alone, from 0."
    ),
]
ShowOption = Annotated[
    int,
    typer.Option("--show", metavar="N", min=1, help="Tokens or rows in the table."),
]
NpyOption = Annotated[
    str | None,
    typer.Option(
        "--output", metavar="FILE", help="Write the probabilities to this .npy file."
    ),
]
