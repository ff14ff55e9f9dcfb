"""The options of `lora` alone: their names, their metavars and their help."""

from typing import Annotated, Literal

import typer

# Which biases of the base train: PEFT's ``bias``.
Bias = Literal["none", "all", "lora_only"]
# Element type of the adapter, in training and in its file.
Dtype = Literal["float32", "bfloat16", "float16"]
# Element type of the frozen weights; int8 and nf4 as bitsandbytes packs them.
BaseDtype = Literal["float32", "bfloat16", "float16", "int8", "nf4", "nf4-single"]
# What keeps states for each trained parameter.
Optimizer = Literal["adamw", "adamw8bit", "sgd", "adafactor"]

ShapesOrModel = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="[VALUES]...",
        help="D_IN D_OUT, shapes (4096x11008, 4096x4096x32), a config.json, a model "
        "folder, a .safetensors file or index, an adapter folder, or -.",
        show_default=False,
    ),
]
RankOption = Annotated[
    int | None, typer.Option("--rank", "-r", metavar="R", help="Rank of A and B.")
]
AlphaOption = Annotated[
    float | None,
    typer.Option(
        "--alpha", "-a", metavar="ALPHA", help="lora_alpha; 8 where nothing says more."
    ),
]
RsloraOption = Annotated[
    bool,
    typer.Option("--rslora", help="Scale by alpha / sqrt(r).", show_default=False),
]
DoraOption = Annotated[
    bool,
    typer.Option("--dora", help="Train DoRA's magnitudes too.", show_default=False),
]
LoraBiasOption = Annotated[
    bool,
    typer.Option("--lora-bias", help="Give B a bias (lora_bias).", show_default=False),
]
BiasOption = Annotated[
    Bias | None,
    typer.Option(
        "--bias", metavar="NAME", help="Train biases: none, all or lora_only."
    ),
]
TargetOption = Annotated[
    str | None,
    typer.Option(
        "--target",
        metavar="NAMES",
        help="Comma list of module names, a regular expression, all-linear, or "
        "default (what PEFT takes for the model type).",
    ),
]
ExcludeOption = Annotated[
    str | None,
    typer.Option(
        "--exclude", metavar="NAMES", help="Modules to leave out: list or expression."
    ),
]
SavedOption = Annotated[
    str | None,
    typer.Option(
        "--modules-to-save", metavar="NAMES", help="Modules to train in full."
    ),
]
LayersToTransformOption = Annotated[
    str | None,
    typer.Option(
        "--layers-to-transform", metavar="LIST", help="Layer numbers, as 0-3,7."
    ),
]
RankPatternOption = Annotated[
    str | None,
    typer.Option(
        "--rank-pattern", metavar="NAME=R,...", help="Ranks of their own, by name."
    ),
]
AlphaPatternOption = Annotated[
    str | None,
    typer.Option(
        "--alpha-pattern", metavar="NAME=A,...", help="Alphas of their own, by name."
    ),
]
TaskOption = Annotated[
    str | None,
    typer.Option(
        "--task-type", metavar="NAME", help="PEFT's task_type: CAUSAL_LM, SEQ_CLS ..."
    ),
]
AdapterConfigOption = Annotated[
    str | None,
    typer.Option(
        "--adapter-config",
        metavar="FILE",
        help="Take the settings from an adapter_config.json; options win over it.",
    ),
]
LayersOption = Annotated[
    int | None,
    typer.Option("--layers", metavar="N", help="Every typed shape occurs N times."),
]
DtypeOption = Annotated[
    Dtype | None,
    typer.Option(
        "--dtype",
        metavar="NAME",
        help="Adapter: float32, bfloat16 or float16. Unsaid: as PEFT does, float32, "
        "and copies of base weights in the base's type.",
    ),
]
BaseDtypeOption = Annotated[
    BaseDtype | None,
    typer.Option(
        "--base-dtype",
        metavar="NAME",
        help="Base: float32, bfloat16, float16, int8, nf4 (double quantised) or "
        "nf4-single. Unsaid: the model's own, else bfloat16.",
    ),
]
OptimizerOption = Annotated[
    Optimizer | None,
    typer.Option(
        "--optimizer",
        metavar="NAME",
        help="adamw, adamw8bit, sgd or adafactor. Unsaid: adamw.",
    ),
]
SweepOption = Annotated[
    str | None,
    typer.Option("--sweep", metavar="RANKS", help="A row for each rank of 4,8,16."),
]
BudgetOption = Annotated[
    str | None,
    typer.Option(
        "--budget",
        metavar="LIMIT",
        help="Largest rank within 10M parameters, 1%, 100MB of adapter file "
        "(decimal units), or 24GiB of memory (binary units); file: or memory: in "
        "front says which.",
    ),
]
CompareOption = Annotated[
    list[str] | None,
    typer.Option(
        "--compare",
        metavar="OPTIONS",
        help="Another set beside the first, as '-r 64 --target q_proj,v_proj'; "
        "may be repeated.",
        show_default=False,
    ),
]
