"""The options of `cossim` alone: their names, their metavars and their help."""

from typing import Annotated, Literal

import typer

from llmcalc.core.similarity.pair_metric import MetricName

# What becomes of zero vectors, which have no direction.
Zero = Literal["error", "skip"]

VectorValues = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="[VALUES]...",
        help="Vectors (1,2,3) or files of them, or - for standard input.",
        show_default=False,
    ),
]
CountOption = Annotated[
    int | None,
    typer.Option(
        "--top-k", "-k", metavar="K", min=1, help="The K largest; 10 if not given."
    ),
]
PairsOption = Annotated[
    bool,
    typer.Option("--pairs", help="The best pairs of all the rows.", show_default=False),
]
ThresholdOption = Annotated[
    float | None,
    typer.Option(
        "--threshold",
        metavar="X",
        help="Only pairs that reach X (euclidean: X at most); all, without -k.",
    ),
]
AgainstOption = Annotated[
    str | None,
    typer.Option(
        "--against", metavar="FILE", help="Find each row's K nearest in this file."
    ),
]
MatrixOption = Annotated[
    bool,
    typer.Option("--matrix", help="Every row with every row.", show_default=False),
]
GroupsOption = Annotated[
    bool,
    typer.Option(
        "--groups",
        help="Sets of rows that pairs above --threshold (0.9) link.",
        show_default=False,
    ),
]
MetricOption = Annotated[
    MetricName,
    typer.Option("--metric", metavar="NAME", help="cosine, angular, dot or euclidean."),
]
DimsOption = Annotated[
    int | None,
    typer.Option(
        "--dims", metavar="N", min=1, help="Compare the first N components only."
    ),
]
ZeroOption = Annotated[
    Zero,
    typer.Option(
        "--zero", metavar="NAME", help="A zero vector is an error, or skip it."
    ),
]
LabelsOption = Annotated[
    str | None,
    typer.Option(
        "--labels",
        metavar="FILE",
        help="A label a line for the rows (with --against, the corpus).",
    ),
]
DtypeOption = Annotated[
    str | None,
    typer.Option(
        "--dtype", metavar="NAME", help="Element type of raw or base64 vectors."
    ),
]
OutputOption = Annotated[
    str | None,
    typer.Option(
        "--output", metavar="FILE", help="Write the matrix to FILE.npy or FILE.tsv."
    ),
]
ThreadsOption = Annotated[
    int | None,
    typer.Option(
        "--workers",
        metavar="N",
        min=1,
        help="Threads to share the work; the result does not depend on it.",
    ),
]
