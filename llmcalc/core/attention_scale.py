"""The factor on q.k: 1/sqrt(d_k), and what models put in its place."""

import math
from typing import NamedTuple

from llmcalc.errors import LlmcalcError

# tanh(x) = x - x^3/3: below this x the second term is under half a unit of the first.
LINEAR = 1e-9


class HeadWidth(NamedTuple):
    """The width of a head, and how many query heads share a key head (or None)."""

    d_k: int
    group: int | None


class ScaleFacts(NamedTuple):
    """The factor on q.k beside the default for that width.

    ``default_scale`` is 1/sqrt(d_k); ``unscaled_std`` is sqrt(d_k), the deviation of
    q.k for independent entries of mean 0 and variance 1; ``ratio`` is scale over
    default_scale. ``source`` is what set the scale.
    """

    d_k: int
    scale: float
    default_scale: float
    unscaled_std: float
    ratio: float
    source: str
    group: int | None = None


class ModelScale(NamedTuple):
    """The factor that a model's attention puts on q.k, as its configuration says.

    ``name`` is the file, ``source`` the field that set it, ``mscale`` the YaRN factor
    that is in it squared, ``rope_factor`` what cos and sin are multiplied by apart
    from it, ``softcap`` the cap on the scaled scores. ``known`` is whether the family
    is; ``assumed`` are fields that the configuration leaves to the family's default,
    ``notes`` what the numbers alone do not say.
    """

    name: str
    model_type: str
    width: HeadWidth
    scale: float
    source: str
    mscale: float | None = None
    rope_factor: float | None = None
    softcap: float | None = None
    known: bool = True
    assumed: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


def default_scale(d_k: int) -> float:
    """Return 1/sqrt(d_k), the factor of Vaswani et al. 2017, section 3.2.1.

    Raises LlmcalcError for a width below 1 or beyond the largest double.

    >>> default_scale(64)
    0.125
    """
    if d_k < 1:
        raise LlmcalcError(f"d_k is {d_k}; a head has at least one component")
    try:
        return float(d_k**-0.5)
    except OverflowError:
        raise LlmcalcError("d_k is beyond the range of a double") from None


def scale_facts(
    width: HeadWidth, scale: float | None = None, source: str = "d_k"
) -> ScaleFacts:
    """Return the scale for heads of a width beside 1/sqrt(d_k).

    ``scale`` replaces the default; 0 and negative values are legal, as in torch.
    ``source`` is what set it.
    Raises LlmcalcError for a scale that is not finite.

    >>> scale_facts(HeadWidth(64, None)).unscaled_std
    8.0
    """
    default = default_scale(width.d_k)
    chosen = default if scale is None else finite_scale(scale)
    return ScaleFacts(
        width.d_k,
        chosen,
        default,
        math.sqrt(width.d_k),
        chosen / default,
        source,
        width.group,
    )


def finite_scale(scale: float) -> float:
    """Return the scale; LlmcalcError names one that is infinite or NaN.

    >>> finite_scale(-0.5)
    -0.5
    """
    if not math.isfinite(scale):
        raise LlmcalcError(f"scale is {scale}; it must be finite")
    return scale


def head_width(
    d_model: int | None, n_heads: int | None, head_dim: int | None = None
) -> int:
    """Return d_k: head_dim where it is given, else d_model / n_heads.

    Models whose head_dim is not d_model / n_heads exist (Gemma, Qwen 3), so a given
    head_dim wins. Raises LlmcalcError where a piece is missing or the quotient is
    not whole.

    >>> head_width(768, 12)
    64
    """
    if head_dim is not None:
        return head_dim
    if d_model is None or n_heads is None:
        raise LlmcalcError("d_k needs d_model and n_heads, or head_dim")
    if n_heads < 1 or d_model % n_heads:
        raise LlmcalcError(
            f"d_model {d_model} is not a multiple of n_heads {n_heads}; "
            "give head_dim where the model sets it apart"
        )
    return d_model // n_heads


def group_size(n_heads: int, n_kv_heads: int) -> int:
    """Return how many query heads share a key head (grouped-query attention).

    Raises LlmcalcError where the key heads do not divide the query heads.

    >>> group_size(32, 8)
    4
    """
    if n_kv_heads < 1 or n_heads % n_kv_heads:
        raise LlmcalcError(
            f"{n_heads} query heads are not a multiple of {n_kv_heads} key heads"
        )
    return n_heads // n_kv_heads


def softcapped(score: float, cap: float) -> float:
    """Return c tanh(score / c), the soft cap of Gemma 2.

    Below c 1e-9 that is the score to the last bit, and score / c may be denormal.

    >>> round(softcapped(145.0, 50.0), 12), softcapped(5e-324, 50.0)
    (49.698158367529, 5e-324)
    """
    if abs(score) < cap * LINEAR:
        return score
    return cap * math.tanh(score / cap)


def yarn_mscale(factor: float, weight: float = 1.0) -> float:
    """Return YaRN's magnitude 0.1 weight ln(factor) + 1 (1 for factors up to 1).

    Peng et al. 2023, "YaRN", equation 22; ``weight`` is mscale or mscale_all_dim.

    >>> round(yarn_mscale(40.0) ** 2, 4)
    1.8739
    """
    return 1.0 if factor <= 1 else 0.1 * weight * math.log(factor) + 1.0


def longrope_magnitude(factor: float, original_length: float) -> float:
    """Return LongRoPE's sqrt(1 + ln(factor) / ln(original_length)) on cos and sin.

    Ding et al. 2024; 1 for factors up to 1. It enters q and k, so q.k has its square.

    >>> round(longrope_magnitude(32.0, 4096) ** 2, 3)
    1.417
    """
    if factor <= 1:
        return 1.0
    return math.sqrt(1 + math.log(factor) / math.log(original_length))
