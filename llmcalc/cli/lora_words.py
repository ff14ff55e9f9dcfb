"""What the words of `lora` stand for: shapes, whole numbers, ranks, alphas.

Start-up is a feature: nothing but re and the types of typed shapes loads here.
"""

import re
from collections.abc import Sequence
from math import isfinite
from typing import NamedTuple

from llmcalc.core.lora.matrix import Shape
from llmcalc.errors import LlmcalcError

# Longer than any size in use, short enough for products to be printed.
MAX_DIGITS = 1000
# As text: compiling it costs more than the whole count.
_SHAPE = r"([+-]?[0-9]+)[xX\u00d7]([+-]?[0-9]+)(?:[xX\u00d7]([+-]?[0-9]+))?"


class Setting(NamedTuple):
    """One set of LoRA options as typed; None where nothing was said."""

    rank: int | None = None
    alpha: float | None = None
    rslora: bool = False
    dora: bool = False
    lora_bias: bool = False
    bias: str | None = None
    target: str | None = None
    exclude: str | None = None
    modules_to_save: str | None = None
    layers_to_transform: str | None = None
    rank_pattern: str | None = None
    alpha_pattern: str | None = None
    task_type: str | None = None
    dtype: str | None = None
    base_dtype: str | None = None
    optimizer: str | None = None


def parse_shapes(values: Sequence[str], layers: int | None) -> list[Shape] | None:
    """Return the matrices that are typed, or None where the values name a model.

    Two whole numbers are one matrix; 4096x11008 is another way to write it, and
    4096x11008x32 are 32 of them; ``layers`` multiplies all.

    >>> parse_shapes(["4096", "4096"], None)
    [Shape(d_in=4096, d_out=4096, copies=1)]
    >>> parse_shapes(["4096x11008", "8x8x2"], 3)
    [Shape(d_in=4096, d_out=11008, copies=3), Shape(d_in=8, d_out=8, copies=6)]
    """
    words = [value.strip() for value in values]
    numbers = [word for word in words if _is_whole(word)]
    others = [word for word in words if not _is_whole(word)]
    matches = [match for word in others if (match := re.fullmatch(_SHAPE, word))]
    if not words or len(numbers) + len(matches) < len(words):
        return None
    if numbers and (len(words) != 2 or matches):
        raise LlmcalcError(
            f"{' '.join(words)}: give D_IN D_OUT, or several shapes as 4096x11008"
        )
    copies = 1 if layers is None else positive("--layers", str(layers))
    if numbers:
        d_in, d_out = numbers
        return [Shape(positive("d_in", d_in), positive("d_out", d_out), copies)]
    return [
        Shape(
            positive(f"{match[0]}: d_in", match[1]),
            positive(f"{match[0]}: d_out", match[2]),
            copies * positive(f"{match[0]}: count", match[3] or "1"),
        )
        for match in matches
    ]


def is_shape(word: str) -> bool:
    """Return whether a word is a shape such as 4096x11008.

    >>> is_shape("4096x11008"), is_shape("4096")
    (True, False)
    """
    return re.fullmatch(_SHAPE, word.strip()) is not None


def positive(what: str, text: str) -> int:
    """Return a whole number of 1 or more; LlmcalcError names what is none.

    >>> positive("rank", "8")
    8
    """
    word = text.strip()
    if len(word) > MAX_DIGITS:
        raise LlmcalcError(f"{what}: {len(word)} digits are more than {MAX_DIGITS}")
    if not _is_whole(word) or int(word) < 1:
        raise LlmcalcError(f"{what}: {word or text!r} is not a positive whole number")
    return int(word)


def _is_whole(word: str) -> bool:
    digits = word[1:] if word[:1] in ("+", "-") else word
    return digits.isascii() and digits.isdigit()


def parse_alpha(alpha: float | None) -> float | None:
    """Return an alpha as an integer where it is one, as configs have it.

    >>> parse_alpha(16.0), parse_alpha(0.5)
    (16, 0.5)
    """
    return int(alpha) if alpha is not None and alpha.is_integer() else alpha


def parse_alpha_word(what: str, text: str) -> float:
    """Return the alpha that a text says; LlmcalcError names what is none.

    >>> parse_alpha_word("--compare", "16")
    16
    """
    # The rules for typed numbers belong to the reader of values.
    from llmcalc.inputs.source import parse_number

    try:
        alpha = parse_alpha(parse_number(text))
    except ValueError as error:
        raise LlmcalcError(f"{what}: {error}") from None
    if alpha is None or not isfinite(alpha):
        raise LlmcalcError(f"{what}: {text.strip()!r} is not a finite number")
    return alpha


def parse_ranks(text: str) -> tuple[int, ...]:
    """Return the ranks of a list, in its order, each once.

    >>> parse_ranks("4, 8,16")
    (4, 8, 16)
    """
    pieces = [piece for piece in re.split(r"[,\s]+", text.strip()) if piece]
    if not pieces:
        raise LlmcalcError("--sweep: no rank is given; write 4,8,16")
    return tuple(dict.fromkeys(positive("--sweep", piece) for piece in pieces))
