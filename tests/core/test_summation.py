"""Sums are exact: of any doubles, in any order, however they are cut."""

import math
from fractions import Fraction

import mpmath
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from llmcalc.core import summation
from llmcalc.core.summation import UNIT, Moments, fixed, moments, ratio, root

doubles = st.floats(allow_nan=False, allow_infinity=False)
logprobs = st.floats(-60, 0) | st.floats(-1e-9, 0) | doubles
integers = st.integers(1, 10**60)


def exact(values) -> Moments:
    total = sum(map(Fraction, values)) * 2**UNIT
    squares = sum(Fraction(value) ** 2 for value in values) * 2 ** (2 * UNIT)
    assert total.denominator == squares.denominator == 1
    return Moments(int(total), int(squares), min(values), max(values))


@given(st.lists(logprobs, min_size=1, max_size=50))
def test_a_list_is_summed_exactly(values):
    assert moments(values) == exact(values)


@given(st.lists(logprobs, min_size=1, max_size=40), st.integers(1, 40))
def test_an_array_is_summed_exactly_like_the_list(values, times):
    # Long enough for the way through arrays; the rest is repetition.
    array = np.array(values * (times + 300 // len(values)))
    assert moments(array) == exact(array.tolist())


@pytest.mark.parametrize(
    "values",
    [
        [-1.0] * 40_000,
        [0.0] * 400,
        [-5e-324] * 400,
        [-5e-324, -1e308] * 400,
        [-(2.0**-_) for _ in range(1074)],
        [-(2.0**300)] * 300 + [-1.0] * 300,
        [math.nextafter(-1, 0), -1.0, math.nextafter(-1, -2)] * 200,
    ],
    ids=["ones", "zeros", "tiny", "both ends", "powers", "huge and ones", "next to 1"],
)
def test_blocks_of_any_range_are_summed_exactly(values):
    assert moments(np.array(values)) == exact(values)


@pytest.mark.parametrize("dtype", ["f2", "f4", ">f8", "i4"])
def test_every_type_of_number_is_summed_as_the_doubles_it_holds(dtype):
    array = -np.arange(1, 2000).astype(dtype) / np.array(3, dtype)
    assert moments(array) == exact([float(value) for value in array])


def test_cutting_and_order_change_nothing():
    values = -np.exp(np.random.default_rng(7).normal(-3, 6, 70_001))
    whole = moments(values)
    for cuts in ([1, 2, 3], [400, 16_384, 16_385], [35_000]):
        parts = [moments(part) for part in np.split(values, cuts)]
        assert sum(part.total for part in reversed(parts)) == whole.total
        assert sum(part.squares for part in parts) == whole.squares
    assert moments(values[::-1].copy()) == whole


def test_the_sum_rounds_once():
    values = -np.random.default_rng(1).exponential(2, 50_000)
    assert ratio(moments(values).total, 1 << UNIT) == math.fsum(values.tolist())


def test_a_block_takes_both_ways_to_the_same_integers(monkeypatch):
    values = (-np.random.default_rng(3).exponential(2, 3000)).tolist()
    by_array = moments(np.array(values))
    monkeypatch.setattr(summation, "_SHORT_LOADED", 10**9)
    assert moments(values) == by_array


@given(doubles)
def test_fixed_is_the_double_itself(value):
    assert ratio(fixed(value), 1 << UNIT) == value


@given(integers, integers, st.integers(0, 4000))
def test_root_is_right_to_one_unit_in_the_last_place(numerator, denominator, shift):
    got = root(numerator << shift, denominator)
    with mpmath.workdps(80):
        want = mpmath.sqrt(mpmath.mpf(numerator) * 2**shift / denominator)
        if want > mpmath.mpf(2) ** 1023:
            return
        assert abs(mpmath.mpf(got) - want) <= math.ulp(got)


def test_what_a_double_cannot_hold_is_infinite():
    assert ratio(10**400, 1) == math.inf
    assert ratio(-(10**400), 1) == -math.inf
    assert root(10**800, 1) == math.inf
    assert root(0, 7) == 0.0
