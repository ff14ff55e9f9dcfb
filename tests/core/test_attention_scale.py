"""The factor on q.k and the width that it comes from."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from llmcalc.core.attention_scale import (
    HeadWidth,
    default_scale,
    group_size,
    head_width,
    longrope_magnitude,
    scale_facts,
    yarn_mscale,
)
from llmcalc.errors import LlmcalcError


@given(st.integers(1, 10**6))
def test_default_scale_is_one_over_the_root(d_k):
    assert default_scale(d_k) ** 2 * d_k == pytest.approx(1, rel=1e-15, abs=0)


def test_facts_hold_the_scale_against_the_default():
    facts = scale_facts(HeadWidth(64, 4), 0.25, "scale")
    assert facts.ratio == 2
    assert facts.default_scale == 0.125
    assert facts.unscaled_std == 8
    assert facts.group == 4


@pytest.mark.parametrize("scale", [0.0, -0.125])
def test_zero_and_negative_scales_are_not_missing(scale):
    assert scale_facts(HeadWidth(64, None), scale).scale == scale


@pytest.mark.parametrize("scale", [math.nan, math.inf, -math.inf])
def test_other_scales_are_refused_by_name(scale):
    with pytest.raises(LlmcalcError, match=str(scale)):
        scale_facts(HeadWidth(64, None), scale)


def test_a_given_head_width_wins_over_the_quotient():
    assert head_width(4608, 32, 128) == 128
    assert head_width(None, None, 96) == 96


@pytest.mark.parametrize(("d_model", "n_heads"), [(100, 3), (768, 7), (1, 2)])
def test_a_width_that_is_not_whole_names_both_numbers(d_model, n_heads):
    with pytest.raises(LlmcalcError, match=rf"{d_model}.*{n_heads}"):
        head_width(d_model, n_heads)


def test_heads_that_do_not_share_evenly_are_refused():
    with pytest.raises(LlmcalcError, match=r"32.*5"):
        group_size(32, 5)


def test_yarn_matches_the_published_factors():
    # DeepSeek V3 (factor 40, 1.0), V2 Lite (.707), gpt-oss (32), Qwen (4): the
    # squares in the models' own code.
    assert yarn_mscale(40.0) ** 2 == pytest.approx(1.8738542070926265, rel=1e-15, abs=0)
    assert yarn_mscale(40.0, 0.707) ** 2 == pytest.approx(1.5896261, abs=1e-7)
    assert yarn_mscale(32.0) ** 2 == pytest.approx(1.8132604, abs=1e-6)
    assert yarn_mscale(4.0) ** 2 == pytest.approx(1.2964768, abs=1e-6)
    assert yarn_mscale(1.0) == yarn_mscale(0.5) == 1.0


def test_longrope_matches_phi3():
    assert longrope_magnitude(32.0, 4096) == math.sqrt(
        1 + math.log(32) / math.log(4096)
    )
    assert longrope_magnitude(1.0, 4096) == 1.0
