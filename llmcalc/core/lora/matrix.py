"""LoRA on matrices whose shapes are typed: counts, ratio, scaling, break-even.

Exact integers throughout; this is the path that starts in the time of an empty
program, so it loads nothing else.
"""

import math
from typing import NamedTuple

from llmcalc.errors import LlmcalcError

# PEFT's LoraConfig: lora_alpha is 8 where nothing is said.
DEFAULT_ALPHA = 8
# Bytes of one element of the dtypes that adapters are trained and saved in.
ITEM_BYTES = {"float32": 4, "bfloat16": 2, "float16": 2}


class Shape(NamedTuple):
    """A matrix from ``d_in`` to ``d_out`` features, ``copies`` times in the model."""

    d_in: int
    d_out: int
    copies: int = 1


class LoraMatrix(NamedTuple):
    """What LoRA of one rank trains on one matrix, held against the full matrix.

    ``lora_params``, ``full_params`` and ``ratio`` are those of one of the ``copies``
    matrices of this shape.
    """

    rank: int
    alpha: float
    scaling: float
    d_in: int
    d_out: int
    full_params: int
    lora_params: int
    ratio: float
    break_even_rank: float
    copies: int = 1


def quotient(numerator: float, denominator: int) -> float:
    """Return the correctly rounded quotient by a positive integer of any size.

    >>> quotient(10**400, 4 * 10**400), quotient(0.5, 10**400), quotient(10**400, 1)
    (0.25, 0.0, inf)
    """
    over, under = numerator.as_integer_ratio()
    try:
        return over / (under * denominator)
    except OverflowError:
        return math.inf if over > 0 else -math.inf


def lora_scaling(alpha: float, rank: int, *, rslora: bool = False) -> float:
    """Return the factor on B A: alpha / r, or alpha / sqrt(r) with rsLoRA.

    Raises LlmcalcError for a rank below 1 and an alpha that is not finite.
    Sources: Hu et al. 2021 (arXiv:2106.09685), section 4.1; Kalajdzievski 2023
    (arXiv:2312.03732) for rsLoRA.

    >>> lora_scaling(16, 8)
    2.0
    >>> lora_scaling(16, 16, rslora=True)
    4.0
    """
    if rank < 1:
        raise LlmcalcError(f"rank: {rank} is not a positive whole number")
    if isinstance(alpha, float) and not math.isfinite(alpha):
        raise LlmcalcError(f"alpha: {alpha} is not a finite number")
    if not rslora:
        return quotient(alpha, rank)
    try:
        return alpha / math.sqrt(rank)
    except OverflowError:
        # Beyond the doubles: 64 bits of the root are more than a double shows.
        over, under = alpha.as_integer_ratio()
        return quotient(over << 64, under * math.isqrt(rank << 128))


def lora_parameters(  # noqa: PLR0913 - each is a setting of LoRA with a name of its own
    d_in: int,
    d_out: int,
    rank: int,
    alpha: float = DEFAULT_ALPHA,
    *,
    rslora: bool = False,
    dora: bool = False,
) -> LoraMatrix:
    """Return what LoRA of a rank trains on a matrix of d_in x d_out.

    lora_params = r (d_in + d_out), and d_out more with DoRA (one magnitude an
    output); full_params = d_in d_out; ratio is their correctly rounded quotient
    (2 r / d for a square); break_even_rank is the r at which both are equal,
    d_in d_out / (d_in + d_out), or d_out (d_in - 1) / (d_in + d_out) with DoRA.
    All counts are exact at any size.

    Raises LlmcalcError for a size or a rank below 1. Sources: Hu et al. 2021
    (arXiv:2106.09685); Liu et al. 2024 (arXiv:2402.09353) for DoRA.

    >>> lora_parameters(4096, 4096, 8).lora_params
    65536
    >>> lora_parameters(4096, 11008, 16, alpha=32, dora=True)[:5]
    (16, 32, 2.0, 4096, 11008)
    """
    for name, size in (("d_in", d_in), ("d_out", d_out)):
        if size < 1:
            raise LlmcalcError(f"{name}: {size} is not a positive whole number")
    scaling = lora_scaling(alpha, rank, rslora=rslora)
    full, unit, extra = d_in * d_out, d_in + d_out, d_out if dora else 0
    trained = rank * unit + extra
    return LoraMatrix(
        *(rank, alpha, scaling, d_in, d_out, full, trained),
        *(quotient(trained, full), quotient(full - extra, unit)),
    )
