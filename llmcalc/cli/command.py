"""Typer's two classes with what a calculator needs: negative numbers, one-line errors.

``Any`` stands where Typer's own annotations are private.
"""

import os
import re
import sys
from typing import Any

import typer
from typer.core import TyperCommand, TyperGroup

from llmcalc.errors import LlmcalcError

# No option begins with a digit, a dot, inf or nan, so such a word is a number.
_NEGATIVE = re.compile(r"-(\.?\d|(inf(inity)?|nan)\b)", re.IGNORECASE)


class NumericCommand(TyperCommand):
    """A command whose arguments may be negative numbers anywhere on the line."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Shield negative numbers from the option parser by a leading blank.

        Number parsing ignores the blank, so nothing has to be undone.
        """
        shielded = [f" {word}" if _NEGATIVE.match(word) else word for word in args]
        return super().parse_args(ctx, shielded)


class ErrorGroup(TyperGroup):
    """The group that turns errors into one line and an exit status."""

    def invoke(self, ctx: Any) -> Any:
        """Run the command: 2 for what the user can mend, 1 where the machine failed."""
        try:
            super().invoke(ctx)
            if sys.stdout is not None:
                # A closed pipe or a full disk shows up here, not at exit.
                sys.stdout.flush()
        except LlmcalcError as error:
            _fail(ctx, str(error), 2)
        except BrokenPipeError:
            _discard_stdout()
            raise typer.Exit(1) from None
        except OSError as error:
            _discard_stdout()
            name = error.filename or "standard output"
            _fail(ctx, f"{name}: {error.strerror or error}", 1)
        except MemoryError:
            _fail(ctx, "out of memory", 1)


def _fail(ctx: Any, message: str, status: int) -> None:
    command = " ".join(filter(None, (ctx.command_path, ctx.invoked_subcommand)))
    # A name or a value may hold line ends; the message is one line.
    line = " ".join(f"{command}: error: {message}".splitlines())
    if sys.stderr is not None:
        typer.echo(line, err=True)
    raise typer.Exit(status) from None


def _discard_stdout() -> None:
    """Let what still lies in the buffer go nowhere, so that exit stays silent."""
    try:
        descriptor = sys.stdout.fileno()
    except (AttributeError, OSError, ValueError):
        return
    sink = os.open(os.devnull, os.O_WRONLY)
    os.dup2(sink, descriptor)
    os.close(sink)
