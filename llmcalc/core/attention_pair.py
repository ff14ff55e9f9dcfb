"""One query and one key: exactly, and without numpy."""

import math
from typing import Any

from llmcalc.core.attention import AttentionOptions, AttentionScores
from llmcalc.core.attention_scale import default_scale, softcapped
from llmcalc.core.attention_words import not_finite, place_words, unequal_widths
from llmcalc.core.exact_dot import exact_dot, exact_times


def vector(values: Any, name: str) -> list[float] | None:
    """Return the doubles of one vector, None for what has more axes.

    Raises LlmcalcError naming the place of a NaN or an infinity.

    >>> vector([1, 2], "Q"), vector([[1, 2]], "Q")
    ([1.0, 2.0], None)
    """
    if getattr(values, "ndim", 0) == 1:
        values = values.tolist()
    if not isinstance(values, list | tuple) or not values:
        return None
    if not all(isinstance(value, int | float) for value in values):
        return None
    numbers = [float(value) for value in values]
    for index, number in enumerate(numbers):
        if not math.isfinite(number):
            raise not_finite(name, place_words([index]), number)
    return numbers


def pair_scores(
    q: list[float], k: list[float], options: AttentionOptions
) -> AttentionScores:
    """Return the score of one query with one key, whose weight is 1.

    q.k is rounded once; raises LlmcalcError for vectors of unequal widths.

    >>> pair_scores([1e8, 1.0, -1e8], [1e8, 1.0, 1e8], AttentionOptions()).raw
    1.0
    """
    if len(q) != len(k):
        raise unequal_widths(options.names, len(q), len(k))
    default = default_scale(len(q))
    scale = default if options.scale is None else options.scale
    dot = exact_dot(q, k)
    score = exact_times(dot, scale)
    if options.softcap is not None:
        score = softcapped(score, options.softcap)
    return AttentionScores(
        d_k=len(q),
        scale=scale,
        default_scale=default,
        unscaled_std=math.sqrt(len(q)),
        raw=exact_times(dot, 1.0),
        scores=score,
        weights=1.0,
        softcap=options.softcap,
    )
