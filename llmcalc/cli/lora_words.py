"""What the words of `lora`'s options stand for: shapes, names, ranks, budgets.

Start-up is a feature: nothing but re and the types of typed shapes loads here.
"""

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from llmcalc.core.lora.matrix import Shape
from llmcalc.errors import LlmcalcError

if TYPE_CHECKING:
    from llmcalc.core.lora.budget import Budget

# Longer than any size in use, short enough for products to be printed.
_MAX_DIGITS = 1000
# Patterns as text: compiling one costs more than the whole count.
_SHAPE = r"([+-]?[0-9]+)[xX\u00d7]([+-]?[0-9]+)(?:[xX\u00d7]([+-]?[0-9]+))?"
_AMOUNT = (
    r"(?:(file|memory):)?\s*([0-9]+)(?:\.([0-9]+))?(?:e\+?([0-9]{1,3}))?\s*([A-Za-z%]*)"
)
_PARAMETERS = {"": 1, "k": 10**3, "m": 10**6, "g": 10**9, "t": 10**12}
_DECIMAL = {"b": 1, "kb": 10**3, "mb": 10**6, "gb": 10**9, "tb": 10**12}
_BINARY = {"kib": 2**10, "mib": 2**20, "gib": 2**30, "tib": 2**40}
# What no plain module name holds and a regular expression does.
_REGEX = r"[*+?\[\](){}|^$\\]"


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


def positive(what: str, text: str) -> int:
    """Return a whole number of 1 or more; LlmcalcError names what is none.

    >>> positive("rank", "8")
    8
    """
    word = text.strip()
    if len(word) > _MAX_DIGITS:
        raise LlmcalcError(f"{what}: {len(word)} digits are more than {_MAX_DIGITS}")
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


def parse_ranks(text: str) -> tuple[int, ...]:
    """Return the ranks of a list, in its order, each once.

    >>> parse_ranks("4, 8,16")
    (4, 8, 16)
    """
    pieces = [piece for piece in re.split(r"[,\s]+", text.strip()) if piece]
    if not pieces:
        raise LlmcalcError("--sweep: no rank is given; write 4,8,16")
    return tuple(dict.fromkeys(positive("--sweep", piece) for piece in pieces))


def parse_budget(text: str) -> "Budget":
    """Return what a budget limits, by its unit, exactly as it is written.

    10M (none, k, M, G, T): trained parameters; 1%: percent; 100MB (B, kB, MB, GB,
    TB): bytes of the adapter file; 24GiB (KiB, MiB, GiB, TiB): bytes of training
    memory. ``file:`` or ``memory:`` in front says it whatever the unit.

    >>> parse_budget("10M")
    Budget(kind='parameters', numerator=10000000, denominator=1, text='10M')
    >>> parse_budget("0.5%")[:3], parse_budget("memory:80GB")[:2]
    (('percent', 5, 10), ('memory', 80000000000))
    """
    from llmcalc.core.lora.budget import Budget

    match = re.fullmatch(_AMOUNT, text.strip())
    if match is None or len(text) > _MAX_DIGITS:
        raise LlmcalcError(_unknown_budget(text))
    what, whole, fraction, exponent, unit = match.groups(default="")
    kind, factor = _unit(what, unit.lower(), text)
    digits = int(whole + fraction) * 10 ** int(exponent or 0) * factor
    return Budget(kind, digits, 10 ** len(fraction), text.strip())


def _unit(what: str, unit: str, text: str) -> tuple[str, int]:
    if what and unit in {**_DECIMAL, **_BINARY}:
        return what, {**_DECIMAL, **_BINARY}[unit]
    if not what and unit == "%":
        return "percent", 1
    for kind, factors in (
        ("parameters", _PARAMETERS), ("file", _DECIMAL), ("memory", _BINARY)
    ):  # fmt: skip
        if not what and unit in factors:
            return kind, factors[unit]
    raise LlmcalcError(_unknown_budget(text))


def _unknown_budget(text: str) -> str:
    return (
        f"--budget: {text!r:.60} is no amount; 10M parameters, 1%, 100MB of adapter "
        "file, 24GiB of memory"
    )


def parse_names(text: str) -> tuple[str, ...] | str:
    """Return a comma list of names, or the text itself where it is an expression.

    >>> parse_names("q_proj,v_proj"), parse_names(r".*\\\\.[qv]_proj")
    (('q_proj', 'v_proj'), '.*\\\\\\\\.[qv]_proj')
    """
    if re.search(_REGEX, text):
        try:
            re.compile(text)
        except re.error as error:
            raise LlmcalcError(f"{text}: no regular expression: {error}") from None
        return text
    return comma_list(text)


def comma_list(text: str) -> tuple[str, ...]:
    """Return the parts of a comma list, blanks around them removed."""
    return tuple(part.strip() for part in text.split(",") if part.strip())
