"""What a row of the table of vector formats holds.

``title`` is for people; ``parted`` says that FILE:PART, --key or --column may pick
one of several arrays, fields or columns.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

from llmcalc.inputs.vectors.byte_input import ByteInput
from llmcalc.inputs.vectors.reply import Reply, Row
from llmcalc.inputs.vectors.text_input import TextInput
from llmcalc.inputs.vectors.vector_set import VectorSet


class JsonFamily(NamedTuple):
    """A shape of JSON: its name, its title for people, and its two functions."""

    name: str
    title: str
    recognise: Callable[[Any], bool]
    rows: Callable[[Reply], list[Row]]
    parted: bool = False


class TextFamily(NamedTuple):
    """A layout of text, recognised by its first lines."""

    name: str
    title: str
    recognise: Callable[[TextInput], bool]
    read: Callable[[TextInput], VectorSet]
    parted: bool = False


class ByteFamily(NamedTuple):
    """A layout of bytes, recognised by its first ones, its size, or its name."""

    name: str
    title: str
    recognise: Callable[[ByteInput], bool]
    read: Callable[[ByteInput], VectorSet]
    parted: bool = False


Family = JsonFamily | TextFamily | ByteFamily
