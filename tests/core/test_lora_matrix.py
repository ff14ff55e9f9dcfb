"""LoRA on typed shapes, against exact fractions and PEFT's own counts."""

import json
import math
from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from llmcalc.core.lora.matrix import lora_parameters, lora_scaling
from llmcalc.errors import LlmcalcError

CASES = Path(__file__).parents[1] / "cases" / "lora"
SIZES = st.one_of(st.integers(1, 10**5), st.integers(1, 10**60))


def test_counts_and_ratios_are_those_of_peft():
    dims = json.loads((CASES / "dims.json").read_text())["dims"]
    assert len(dims) > 100
    for d in dims:
        got = lora_parameters(d["d_in"], d["d_out"], d["r"], dora=d["use_dora"])
        assert got.lora_params == d["params"]
        assert got.full_params == d["full"]
        assert got.ratio == pytest.approx(d["ratio"], rel=1e-15)


@given(SIZES, SIZES, SIZES, st.booleans())
def test_ratio_is_the_rounded_quotient_of_exact_integers(d_in, d_out, rank, dora):
    got = lora_parameters(d_in, d_out, rank, dora=dora)
    extra = d_out if dora else 0
    assert got.lora_params == rank * d_in + d_out * rank + extra
    assert got.ratio == float(Fraction(got.lora_params, d_in * d_out))


@given(SIZES, SIZES)
def test_ratio_of_a_square_is_two_r_over_d(side, rank):
    assert lora_parameters(side, side, rank).ratio == float(Fraction(2 * rank, side))


@given(st.integers(1, 10**40), st.integers(1, 10**40), st.booleans())
def test_break_even_rank_splits_less_from_more_than_the_matrix(d_in, d_out, dora):
    unit, extra = d_in + d_out, d_out if dora else 0
    exact = Fraction(d_in * d_out - extra, unit)
    assert lora_parameters(d_in, d_out, 1, dora=dora).break_even_rank == float(exact)
    below, above = max(1, math.floor(exact)), math.floor(exact) + 1
    assert lora_parameters(d_in, d_out, above, dora=dora).lora_params > d_in * d_out
    if below <= exact:
        within = lora_parameters(d_in, d_out, below, dora=dora)
        assert within.lora_params <= d_in * d_out


@given(st.integers(1, 10**9), st.integers(1, 10**6))
def test_scaling_is_alpha_over_r_or_over_its_root(alpha, rank):
    assert lora_scaling(alpha, rank) == float(Fraction(alpha, rank))
    # PEFT computes alpha / math.sqrt(r).
    assert lora_scaling(alpha, rank, rslora=True) == alpha / math.sqrt(rank)


@pytest.mark.parametrize(
    ("d_in", "d_out", "rank", "alpha", "named"),
    [
        (0, 4, 1, 8, "d_in: 0"),
        (4, -3, 1, 8, "d_out: -3"),
        (4, 4, 0, 8, "rank: 0"),
        (4, 4, -8, 8, "rank: -8"),
        (4, 4, 8, math.nan, "alpha: nan"),
        (4, 4, 8, math.inf, "alpha: inf"),
    ],
)
def test_what_is_no_size_is_named(d_in, d_out, rank, alpha, named):
    with pytest.raises(LlmcalcError, match=named):
        lora_parameters(d_in, d_out, rank, alpha)
