"""Names of layers as patterns: the numbers in them apart."""

import re
from collections.abc import Iterable

_NUMBER = re.compile(r"(?<![^.])[0-9]+(?![^.])")


def pattern_of(name: str) -> str:
    """Return a name with each number between dots as a star.

    >>> pattern_of("model.layers.31.self_attn.q_proj")
    'model.layers.*.self_attn.q_proj'
    """
    return _NUMBER.sub("*", name)


def first_numbers(names: Iterable[str]) -> list[int]:
    """Return the first number between dots of each name that has one.

    >>> first_numbers(["layers.3.experts.7.w1", "lm_head"])
    [3]
    """
    return [int(found[0]) for name in names if (found := _NUMBER.findall(name))]


def ranges(numbers: Iterable[int]) -> str:
    """Return whole numbers as a list of ranges.

    >>> ranges([0, 1, 2, 5, 7, 8])
    '0-2,5,7-8'
    """
    runs: list[list[int]] = []
    for number in sorted(set(numbers)):
        if runs and number == runs[-1][1] + 1:
            runs[-1][1] = number
        else:
            runs.append([number, number])
    return ",".join(f"{a}-{b}" if b > a else str(a) for a, b in runs)
