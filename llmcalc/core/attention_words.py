"""What the messages of attention call places, shapes and misfits."""

from collections.abc import Sequence

from llmcalc.errors import LlmcalcError


def place_words(index: Sequence[int]) -> str:
    """Return an index in words: ``index 0,1,3``.

    >>> place_words((0, 3))
    'index 0,3'
    """
    return f"index {','.join(str(int(i)) for i in index)}"


def shape_words(shape: Sequence[int]) -> str:
    """Return a shape in words, as ``2 x 3`` (``none`` without axes).

    >>> shape_words((2, 3))
    '2 x 3'
    """
    return " x ".join(map(str, shape)) or "none"


def unequal_widths(names: Sequence[str], q_width: int, k_width: int) -> LlmcalcError:
    """Return the error for a query and a key of different widths.

    >>> str(unequal_widths(["Q", "K"], 4, 3))
    'Q has 4 components, K has 3: a query and a key have equally many'
    """
    return LlmcalcError(
        f"{names[0]} has {q_width} components, {names[1]} has {k_width}: "
        "a query and a key have equally many"
    )


def not_finite(name: str, place: str, value: float) -> LlmcalcError:
    """Return the error for a NaN or an infinity among the numbers of Q, K or V.

    >>> str(not_finite("K", place_words([2]), float("nan")))
    'K: index 2: nan is no finite number'
    """
    return LlmcalcError(f"{name}: {place}: {value} is no finite number")
