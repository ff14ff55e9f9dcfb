"""The program: its commands when they are called, its errors in one line."""

import os
import sys
from typing import Any

import typer
from typer.core import TyperCommand, TyperGroup

from llmcalc.cli.commands import SUMMARIES, load
from llmcalc.errors import STDOUT, LlmcalcError, naming


class CalculatorGroup(TyperGroup):
    """The group that builds the command it runs and turns errors into one line.

    ``Any`` stands where Typer's own annotations are private.
    """

    def __init__(self, **settings: Any) -> None:
        super().__init__(**settings)
        # Names and summaries are all that help and suggestions need.
        for name, summary in SUMMARIES.items():
            self.commands[name] = TyperCommand(name, help=summary)

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """Return the name, the command with its options, and what follows it."""
        name, command, rest = super().resolve_command(ctx, args)
        return name, command and load(str(name)), rest

    def main(self, *args: Any, **settings: Any) -> Any:
        """Run the program; help and version are written before any command runs."""
        try:
            with naming(STDOUT):
                return super().main(*args, **settings)
        except OSError as error:
            _discard_stdout()
            _say("llmcalc", _words(error))
            sys.exit(1)

    def invoke(self, ctx: Any) -> Any:
        """Run the command: 2 for what the user can mend, 1 where the machine failed."""
        try:
            super().invoke(ctx)
            if sys.stdout is not None:
                # A closed pipe or a full disk shows up here, not at exit.
                with naming(STDOUT):
                    sys.stdout.flush()
        except LlmcalcError as error:
            _fail(ctx, str(error), 2)
        except BrokenPipeError:
            _discard_stdout()
            raise typer.Exit(1) from None
        except OSError as error:
            _discard_stdout()
            _fail(ctx, _words(error), 1)
        except MemoryError:
            _fail(ctx, "out of memory", 1)


def _fail(ctx: Any, message: str, status: int) -> None:
    _say(" ".join(filter(None, (ctx.command_path, ctx.invoked_subcommand))), message)
    raise typer.Exit(status) from None


def _say(command: str, message: str) -> None:
    # A name or a value may hold line ends; the message is one line.
    line = " ".join(f"{command}: error: {message}".splitlines())
    if sys.stderr is not None:
        typer.echo(line, err=True)


def _words(error: OSError) -> str:
    words = error.strerror or str(error)
    return words if error.filename is None else f"{error.filename}: {words}"


def _discard_stdout() -> None:
    """Let what still lies in the buffer go nowhere, so that exit stays silent."""
    try:
        descriptor = sys.stdout.fileno()
    except (AttributeError, OSError, ValueError):
        return
    sink = os.open(os.devnull, os.O_WRONLY)
    os.dup2(sink, descriptor)
    os.close(sink)
