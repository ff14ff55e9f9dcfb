"""How saturated rows are: means that merge, exact where one choice takes all."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from llmcalc.core.attention_saturation import (
    SaturationSums,
    jacobian_traces,
    saturation_sums,
)
from llmcalc.core.softmax_rows import softmax_rows


@given(st.integers(1, 300))
def test_equal_choices(n):
    found = saturation_sums(softmax_rows(np.zeros((3, n)))).means()
    assert found.top1 == pytest.approx(1 / n, rel=1e-14, abs=0)
    assert found.effective_choices == pytest.approx(n, rel=1e-13, abs=0)
    assert found.jacobian_trace == pytest.approx(1 - 1 / n, rel=1e-13, abs=1e-15)
    assert found.saturated_rows == (n == 1)


@given(st.floats(0.0, 700.0))
def test_trace_of_two_choices_keeps_its_digits(gap):
    # 2 p (1 - p) with 1 - p = 1 / (1 + e^gap), however small it is.
    other = 1 / (1 + math.exp(gap))
    traces = jacobian_traces(softmax_rows(np.array([[gap, 0.0]])))
    assert traces[0] == pytest.approx(2 * other * (1 - other), rel=1e-13, abs=0)


@given(st.lists(st.floats(-30, 30), min_size=1, max_size=20))
def test_trace_is_one_minus_the_sum_of_squares(logits):
    rows = softmax_rows(np.array([logits]))
    wanted = 1 - float((rows.probs**2).sum())
    assert jacobian_traces(rows)[0] == pytest.approx(wanted, abs=1e-14)


def test_parts_merge_to_the_whole_and_empty_rows_do_not_count():
    logits = np.random.default_rng(0).standard_normal((6, 4)) * 9
    logits[2] = -np.inf
    whole = saturation_sums(softmax_rows(logits))
    parts = SaturationSums()
    for start in range(0, 6, 2):
        parts = parts.plus(saturation_sums(softmax_rows(logits[start : start + 2])))
    assert whole.rows == parts.rows == 5
    np.testing.assert_allclose(parts.means(), whole.means(), rtol=1e-14)


def test_rows_that_are_all_empty_have_no_means():
    assert saturation_sums(softmax_rows(np.full((2, 3), -np.inf))).means() is None


def test_a_row_counts_as_saturated_above_ninety_nine_percent():
    gaps = [[math.log(98), 0.0], [math.log(100), 0.0]]
    assert saturation_sums(softmax_rows(np.array(gaps))).means().saturated_rows == 0.5
