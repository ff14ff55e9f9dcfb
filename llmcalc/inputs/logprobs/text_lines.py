"""What the readers of text share: numbered lines and their numbers."""

from collections.abc import Iterator
from typing import NamedTuple

from llmcalc.errors import LlmcalcError
from llmcalc.inputs.logprobs.document import Where
from llmcalc.inputs.source import parse_number


class Lines(NamedTuple):
    """The lines of a text file with their numbers."""

    name: str
    numbered: Iterator[tuple[int, str]]


def number_at(text: str, where: Where) -> float:
    """Return the number that a text names.

    Raises LlmcalcError naming the place of what is none.

    >>> number_at("-inf", Where("a.txt", 3))
    -inf
    """
    try:
        return parse_number(text)
    except ValueError as error:
        raise LlmcalcError(f"{where.record_place()}: {error}") from None
