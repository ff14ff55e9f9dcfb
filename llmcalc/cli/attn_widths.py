"""What the options of `attn-scale` say of the width of a head."""

from typing import TYPE_CHECKING, NamedTuple

from llmcalc.core.attention_scale import HeadWidth, group_size, head_width
from llmcalc.errors import LlmcalcError

if TYPE_CHECKING:
    from llmcalc.core.attention_scale import ModelScale


# Python reads no integer of thousands of digits.
_DIGITS = 300


class Widths(NamedTuple):
    """What the options say of the width of a head; ``d_k`` is a list as typed."""

    d_k: str | None
    d_model: int | None
    n_heads: int | None
    n_kv_heads: int | None
    head_dim: int | None
    config: str | None


def head_widths(asked: Widths, model: "ModelScale | None") -> list[HeadWidth]:
    """Return the widths that are asked for, none where no option says one.

    Raises LlmcalcError where two options contradict.
    """
    group = None
    if asked.n_kv_heads is not None:
        if asked.n_heads is None:
            raise LlmcalcError("--n-kv-heads needs --n-heads")
        group = group_size(asked.n_heads, asked.n_kv_heads)
    typed = [] if asked.d_k is None else _whole_numbers(asked.d_k)
    derived = None
    dims = asked.d_model, asked.head_dim
    if any(dim is not None for dim in dims):
        derived = head_width(asked.d_model, asked.n_heads, asked.head_dim)
    elif asked.n_heads is not None and group is None:
        raise LlmcalcError("--n-heads needs --d-model, --head-dim or --n-kv-heads")
    elif asked.n_heads is not None and not typed and model is None:
        raise LlmcalcError("--n-heads needs --d-model, --head-dim or --d-k")
    if model is not None:
        if derived not in (None, model.width.d_k):
            raise LlmcalcError(
                f"--config has heads of width {model.width.d_k}, the options say "
                f"{derived}"
            )
        derived = model.width.d_k
        told = model.width.group
        if None not in (told, group) and told != group:
            raise LlmcalcError(
                f"--config has {told} query heads a key head, the options say {group}"
            )
        group = told if group is None else group
    if typed and derived is not None and typed != [derived]:
        raise LlmcalcError(f"--d-k is {asked.d_k}, but the other options say {derived}")
    return [HeadWidth(d_k, group) for d_k in typed or filter(None, [derived])]


def width_source(widths: Widths) -> str:
    """Return which option set the width."""
    if widths.head_dim is not None:
        return "head_dim"
    return "d_k" if widths.d_model is None else "d_model / n_heads"


def _whole_numbers(text: str) -> list[int]:
    numbers = []
    for piece in text.replace(",", " ").split():
        digits = piece.isascii() and piece.isdigit() and len(piece) <= _DIGITS
        if not digits or int(piece) < 1:
            raise LlmcalcError(f"--d-k: {piece!r:.40} is not a whole number from 1 on")
        numbers.append(int(piece))
    if not numbers:
        raise LlmcalcError("--d-k: no number is given")
    return numbers
