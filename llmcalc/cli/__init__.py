"""The application: the group, its version, and the five commands."""

from typing import Annotated

import typer

from llmcalc import __version__
from llmcalc.cli.command import ErrorGroup, NumericCommand

app = typer.Typer(
    cls=ErrorGroup,
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    no_args_is_help=True,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _print_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"llmcalc {__version__}")
        raise typer.Exit


@app.callback()
def root(
    version: Annotated[
        bool,
        typer.Option(
            "--version",
            "-V",
            callback=_print_version,
            is_eager=True,
            help="Print the version and exit.",
            show_default=False,
        ),
    ] = False,
) -> None:
    """Calculate what a language model's numbers say.

    Perplexity, softmax, attention scaling, cosine similarity and LoRA budgets,
    from typed numbers, files and pipes.
    """


def _register() -> None:
    # Interim while the commands are being built side by side.
    import importlib

    for name in ("ppl", "attn-scale", "cossim", "softmax", "lora"):
        function_name = name.replace("-", "_")
        module = f"llmcalc.cli.{function_name}"
        try:
            function = getattr(importlib.import_module(module), function_name)
        except ModuleNotFoundError as error:
            if error.name != module:
                raise
            continue
        app.command(name, cls=NumericCommand)(function)


_register()
