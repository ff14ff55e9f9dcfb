"""A command that takes negative numbers for numbers."""

import re
from typing import Any

from typer.core import TyperCommand

from llmcalc.errors import STDOUT, naming

# No option begins with a digit, a dot, inf or nan, so such a word is a number.
_NEGATIVE = re.compile(r"-(\.?\d|(inf(inity)?|nan)\b)", re.IGNORECASE)


class NumericCommand(TyperCommand):
    """A command whose arguments may be negative numbers anywhere on the line.

    ``Any`` stands where Typer's own annotation is private.
    """

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Shield negative numbers from the option parser by a leading blank.

        Number parsing ignores the blank; the value of an option is rid of it again.
        """
        shielded = [f" {word}" if _NEGATIVE.match(word) else word for word in args]
        with naming(STDOUT):
            # --help is written here.
            rest = super().parse_args(ctx, [*shielded])
        for name, value in ctx.params.items():
            if isinstance(value, str) and value.startswith(" ") and value in shielded:
                ctx.params[name] = value[1:]
        return rest
