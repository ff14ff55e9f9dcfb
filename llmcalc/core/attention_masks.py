"""Which keys a query sees: causal masks of both alignments, boolean, additive."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from llmcalc.core.attention_words import place_words, shape_words
from llmcalc.errors import LlmcalcError

Mask = NDArray[Any]

# torch's is_causal, and FlashAttention's since 2.1 (also MLX, vLLM with a cache).
CAUSAL = ("upper-left", "lower-right")


def checked_mask(mask: Any, name: str, shape: Sequence[int]) -> Mask:
    """Return a mask seen as an array of ``shape`` [..., L, S], without a copy.

    Booleans, or 0 and 1 alone, say which keys take part; other numbers are added to
    the scores. Raises LlmcalcError for whole numbers that are all 0 (both readings
    fit), for NaN and +inf, and for a shape that does not broadcast.

    >>> checked_mask([True, False], "mask", (2, 2)).tolist()
    [[True, False], [True, False]]
    """
    array = np.asarray(mask)
    if is_binary(array):
        array = array == 1
    elif array.dtype.kind in "iu" and not array.any():
        raise LlmcalcError(
            f"{name}: a mask of 0 alone is read both ways; write true and false, or "
            "0.0 and -inf to add"
        )
    elif array.dtype.kind == "f":
        wrong = np.argwhere(np.isnan(array) | (array == np.inf))
        if len(wrong):
            at = tuple(wrong[0])
            raise LlmcalcError(
                f"{name}: {place_words(at)}: {array[at]} in an additive mask; "
                "finite values and -inf can be added"
            )
    try:
        return np.broadcast_to(array, tuple(shape))
    except ValueError:
        raise LlmcalcError(
            f"{name}: shape {shape_words(array.shape)} does not broadcast to "
            f"{shape_words(shape)}, the shape of the scores"
        ) from None


def is_binary(mask: Any) -> bool:
    """Return whether a mask holds 0 and 1 alone, with some 1: booleans as numbers.

    To add 1 to some scores is what nobody asks for, though torch would.

    >>> is_binary([0, 1]), is_binary([0.0, -1.0]), is_binary([True, False])
    (True, False, False)
    """
    array = np.asarray(mask)
    if array.dtype.kind not in "fiu":
        return False
    return bool(np.all((array == 0) | (array == 1)) and np.any(array == 1))


def causal_mask(
    alignment: str, n_queries: int, n_keys: int, rows: slice | None = None
) -> NDArray[np.bool_]:
    """Return which of the keys each query sees: [rows, n_keys], True takes part.

    ``upper-left``: query i sees keys 0..i. ``lower-right``: the last query sees the
    last key, as with a key cache. Raises LlmcalcError for another word.

    >>> causal_mask("lower-right", 2, 3).astype(int).tolist()
    [[1, 1, 0], [1, 1, 1]]
    """
    if alignment not in CAUSAL:
        raise LlmcalcError(f"causal is {alignment!r}; it is {' or '.join(CAUSAL)}")
    queries = np.arange(n_queries)[rows or slice(None), None]
    lead = n_keys - n_queries if alignment == "lower-right" else 0
    return np.arange(n_keys)[None, :] <= queries + lead
