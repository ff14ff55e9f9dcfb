"""Scaled dot-product attention: scores, weights, output, and how saturated they are.

A single pair of vectors needs no numpy; the arrays' part loads where it is used.
"""

import math
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from llmcalc.core.attention_scale import finite_scale
from llmcalc.core.softmax import check_temperature
from llmcalc.errors import LlmcalcError

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray


class AttentionOptions(NamedTuple):
    """What may differ from softmax(q.k / sqrt(d_k)) V, applied in this order.

    ``scale`` multiplies q.k (None: 1/sqrt(d_k)); ``softcap`` c makes the score
    c tanh(score / c); ``causal`` is "upper-left" or "lower-right"; ``mask`` is
    boolean (True takes part; so does 1 where all others are 0) or added; ``sink`` is
    one more logit in the denominator, one for all heads or one each; logits are
    divided by ``temperature``. ``names`` are what messages call Q, K, V and the mask.
    """

    scale: float | None = None
    softcap: float | None = None
    causal: str | None = None
    mask: "ArrayLike | None" = None
    sink: float | Sequence[float] | None = None
    temperature: float = 1.0
    names: tuple[str, str, str, str] = ("Q", "K", "V", "mask")


class Keep(NamedTuple):
    """Which tables a result holds: all of them, or those that will be looked at.

    Each takes 8 bytes a score; one that is not kept is an empty array. ``head`` keeps
    the weights of one head, counted over the leading axes. ``advance`` is told the
    share of the work as it is done.
    """

    raw: bool = True
    scores: bool = True
    weights: bool = True
    output: bool = True
    head: int | None = None
    advance: Callable[[float], None] | None = None


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
    the queries that no key is left for: their weights and output are 0. ``shape`` is
    that of the scores, ``head_weights`` [L, S] those of one head where they are kept.
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
    shape: tuple[int, ...] = ()
    head_weights: "NDArray[Any] | None" = None


_PLAIN = AttentionOptions()
_ALL = Keep()


def attention_scores(
    q: "ArrayLike",
    k: "ArrayLike",
    v: "ArrayLike | None" = None,
    options: AttentionOptions = _PLAIN,
    keep: Keep = _ALL,
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
        from llmcalc.core.attention_pair import pair_scores, vector

        one, other = vector(q, options.names[0]), vector(k, options.names[1])
        if one is not None and other is not None:
            return pair_scores(one, other, options)
    from llmcalc.core.attention_arrays import attend

    return attend((q, k, v), options, keep)


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


def saturation_of_scores(
    raw: "ArrayLike",
    d_k: int | None,
    options: AttentionOptions = _PLAIN,
    keep: Keep = _ALL,
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

    return attend_scores(raw, d_k, options, keep)
