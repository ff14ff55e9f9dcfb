"""Scaled dot-product attention: scores, weights, output, and how saturated they are.

A single pair of vectors needs no numpy; the arrays' part loads where it is used.
"""

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from llmcalc.core.attention_scale import default_scale, finite_scale
from llmcalc.core.attention_words import not_finite, unequal_widths
from llmcalc.core.softmax import check_temperature
from llmcalc.errors import LlmcalcError

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray


class AttentionOptions(NamedTuple):
    """What may differ from softmax(q.k / sqrt(d_k)) V, applied in this order.

    ``scale`` multiplies q.k (None: 1/sqrt(d_k)); ``softcap`` c makes the score
    c tanh(score / c); ``causal`` is "upper-left" or "lower-right"; ``mask`` is
    boolean (True takes part) or added; ``sink`` is one more logit in the denominator,
    one for all heads or one each; logits are divided by ``temperature``. ``names``
    are what messages call Q, K, V and the mask.
    """

    scale: float | None = None
    softcap: float | None = None
    causal: str | None = None
    mask: "ArrayLike | None" = None
    sink: float | Sequence[float] | None = None
    temperature: float = 1.0
    names: tuple[str, str, str, str] = ("Q", "K", "V", "mask")


class Saturation(NamedTuple):
    """How far a softmax is from spread out: means over its rows.

    The best probability, the entropy in nats, exp(entropy), the trace of the
    Jacobian diag(p) - p p^T, which is 1 - sum p^2, and the share of rows whose best
    probability is above 0.99. A sink counts as one more choice.
    """

    top1: float
    entropy_nats: float
    effective_choices: float
    jacobian_trace: float
    saturated_rows: float


class AttentionScores(NamedTuple):
    """Scores of every query with every key, and what follows from them.

    ``raw`` is q.k, ``scores`` is scale q.k after the cap and before any mask, both
    [..., L, S]; axes that were not given are left off, so that a pair of vectors has
    plain floats. ``weights`` is the softmax over the keys, ``output`` is weights @ V,
    ``group`` the query heads that share a key head. ``unscaled`` and ``scaled`` are
    the saturation with scale 1 and with ``scale``. ``empty_rows`` are the indices of
    the queries that no key is left for: their weights and output are 0.
    """

    d_k: int | None
    scale: float
    default_scale: float | None
    unscaled_std: float | None
    raw: "float | NDArray[Any]"
    scores: "float | NDArray[Any]"
    weights: "float | NDArray[Any]"
    output: "NDArray[Any] | None" = None
    group: int | None = None
    unscaled: Saturation | None = None
    scaled: Saturation | None = None
    softcap: float | None = None
    empty_rows: tuple[tuple[int, ...], ...] = ()


_PLAIN = AttentionOptions()


def attention_scores(
    q: "ArrayLike",
    k: "ArrayLike",
    v: "ArrayLike | None" = None,
    options: AttentionOptions = _PLAIN,
) -> AttentionScores:
    """Return softmax(scale q.k) V with all that leads to it (Vaswani et al. 2017).

    Shapes: q [..., L, d], k [..., S, d], v [..., S, width]; a vector is one position;
    with three axes or more the third from the end counts heads, and several query
    heads may share a key head: head h uses key head h // group. Whatever the element
    type, sums are in double precision; for two vectors q.k is rounded once.

    Raises LlmcalcError for shapes that do not fit, NaN and infinities, a cap that is
    not positive and finite, a temperature that is negative or NaN.

    >>> attention_scores([1, 2, 3, 4], [0.5, -1, 2, 0.25]).scores
    2.75
    >>> found = attention_scores([[1.0, 0.0]], [[2.0, 0.0], [0.0, 2.0]])
    >>> found.weights.round(3).tolist()
    [[0.804, 0.196]]
    """
    check_options(options)
    masks = options.causal, options.mask, options.sink
    if v is None and all(given is None for given in masks):
        q_vector, k_vector = _vector(q, options.names[0]), _vector(k, options.names[1])
        if q_vector is not None and k_vector is not None:
            return _pair(q_vector, k_vector, options)
    from llmcalc.core.attention_arrays import attend

    return attend(q, k, v, options)


def check_options(options: AttentionOptions) -> None:
    """Raise LlmcalcError for an option that has no meaning.

    >>> check_options(AttentionOptions(scale=-1.0, softcap=50.0))
    """
    if options.scale is not None:
        finite_scale(options.scale)
    cap = options.softcap
    if cap is not None and not (0 < cap < math.inf):
        raise LlmcalcError(
            f"softcap is {cap}; a cap is positive and finite, leave it off for none"
        )
    check_temperature(options.temperature)


def _vector(values: Any, name: str) -> list[float] | None:
    """Return the doubles of one vector, None for what has more axes."""
    if getattr(values, "ndim", 0) == 1:
        values = values.tolist()
    if not isinstance(values, list | tuple) or not values:
        return None
    if not all(isinstance(value, int | float) for value in values):
        return None
    numbers = [float(value) for value in values]
    for index, number in enumerate(numbers):
        if not math.isfinite(number):
            raise not_finite(name, [index], number)
    return numbers


def _pair(q: list[float], k: list[float], options: AttentionOptions) -> AttentionScores:
    """Return the score of one query with one key, whose weight is 1."""
    # For this path alone: the exact product needs no numpy.
    from llmcalc.core.exact_dot import exact_dot, exact_times

    if len(q) != len(k):
        raise unequal_widths(options.names, len(q), len(k))
    default = default_scale(len(q))
    scale = default if options.scale is None else options.scale
    dot = exact_dot(q, k)
    score = exact_times(dot, scale)
    if options.softcap is not None:
        score = options.softcap * math.tanh(score / options.softcap)
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


def saturation_of_scores(
    raw: "ArrayLike", d_k: int | None, options: AttentionOptions = _PLAIN
) -> AttentionScores:
    """Return the softmax of given q.k before and after scaling: [..., keys].

    ``raw`` holds q.k, with -inf where a key is masked; the scale is 1/sqrt(d_k)
    unless ``options.scale`` replaces it. Raises LlmcalcError for NaN and +inf,
    and where neither d_k nor a scale is given.

    >>> found = saturation_of_scores([8.0, 0.0, 0.0, 0.0], 64)
    >>> round(found.unscaled.top1, 4), round(found.scaled.top1, 4)
    (0.999, 0.4754)
    """
    check_options(options)
    from llmcalc.core.attention_arrays import attend_scores

    return attend_scores(raw, d_k, options)
