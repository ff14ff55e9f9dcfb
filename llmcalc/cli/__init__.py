"""The application: the program with its version and five commands."""

from typing import Annotated

import typer

from llmcalc import __version__
from llmcalc.cli.commands import CONTEXT
from llmcalc.cli.group import CalculatorGroup

app = typer.Typer(
    cls=CalculatorGroup,
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    no_args_is_help=True,
    context_settings=CONTEXT,
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
