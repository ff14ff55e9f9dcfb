"""The options of `attn-scale` alone: their names, their metavars and their help."""

from typing import Annotated, Literal

import typer

# Which key the last query sees; the words of torch's causal biases.
Causal = Literal["upper-left", "lower-right"]

Vectors = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="[VALUES]...",
        help="Q, K and, if wanted, V: comma lists, files, or - for standard input.",
        show_default=False,
    ),
]
WidthOption = Annotated[
    str | None,
    typer.Option("--d-k", metavar="N", help="Width of a head, or a list of them."),
]
ModelOption = Annotated[
    int | None,
    typer.Option("--d-model", metavar="N", min=1, help="Width of the model."),
]
HeadsOption = Annotated[
    int | None,
    typer.Option("--n-heads", metavar="N", min=1, help="Number of query heads."),
]
KeyHeadsOption = Annotated[
    int | None,
    typer.Option("--n-kv-heads", metavar="N", min=1, help="Number of key heads."),
]
HeadDimOption = Annotated[
    int | None,
    typer.Option(
        "--head-dim",
        metavar="N",
        min=1,
        help="Width of a head where it is not d_model / n_heads.",
    ),
]
ConfigOption = Annotated[
    str | None,
    typer.Option(
        "--config", metavar="FILE", help="A model's config.json, for its real scale."
    ),
]
ScaleOption = Annotated[
    float | None,
    typer.Option(
        "--scale",
        metavar="X",
        help="Factor on q.k in place of 1/sqrt(d_k); 0 and negative are legal.",
    ),
]
SoftcapOption = Annotated[
    float | None,
    typer.Option(
        "--softcap", metavar="C", help="Cap: C tanh(score / C), before any mask."
    ),
]
CausalOption = Annotated[
    Causal | None,
    typer.Option(
        "--causal",
        metavar="NAME",
        help="upper-left (query i sees keys 0..i, as torch) or lower-right (the last "
        "query sees the last key, as FlashAttention and MLX).",
    ),
]
MaskFileOption = Annotated[
    str | None,
    typer.Option(
        "--mask",
        metavar="FILE",
        help="Booleans (true takes part) or numbers that are added to the scores.",
    ),
]
SinkOption = Annotated[
    str | None,
    typer.Option(
        "--sink",
        metavar="X",
        help="One more logit in the denominator, for all heads or a list of one each.",
    ),
]
ScoresOption = Annotated[
    str | None,
    typer.Option(
        "--scores", metavar="FILE", help="q.k that is computed already, keys last."
    ),
]
SimulateOption = Annotated[
    bool,
    typer.Option(
        "--simulate",
        help="Draw vectors: variance of q.k and saturation for each d_k.",
        show_default=False,
    ),
]
TrialsOption = Annotated[
    int | None,
    typer.Option("--trials", metavar="N", min=2, help="Pairs to draw; 20000 unsaid."),
]
KeysOption = Annotated[
    int | None,
    typer.Option("--keys", metavar="N", min=2, help="Keys of a softmax; 64 unsaid."),
]
HeadOption = Annotated[
    int,
    typer.Option(
        "--head", metavar="N", min=0, help="Head whose weights the table shows."
    ),
]
