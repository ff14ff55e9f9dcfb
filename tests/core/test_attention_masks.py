"""Causal masks of both alignments, and which masks are refused."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from llmcalc.core.attention_masks import causal_mask, checked_mask
from llmcalc.errors import LlmcalcError

SIZES = st.integers(1, 7)


def test_two_queries_five_keys():
    # torch's is_causal; FlashAttention's for a key cache.
    upper = causal_mask("upper-left", 2, 5).astype(int).tolist()
    lower = causal_mask("lower-right", 2, 5).astype(int).tolist()
    assert upper == [[1, 0, 0, 0, 0], [1, 1, 0, 0, 0]]
    assert lower == [[1, 1, 1, 1, 0], [1, 1, 1, 1, 1]]


def test_five_queries_two_keys_leave_three_empty_rows():
    lower = causal_mask("lower-right", 5, 2)
    assert lower.any(axis=1).tolist() == [False, False, False, True, True]


@given(SIZES, SIZES)
def test_lower_right_ends_at_the_last_key(n_queries, n_keys):
    mask = causal_mask("lower-right", n_queries, n_keys)
    assert mask[-1].all()
    turned = causal_mask("upper-left", n_queries, n_keys)
    if n_queries == n_keys:
        assert (mask == turned).all()


@given(SIZES, SIZES, st.data())
def test_a_slice_of_rows_is_that_of_the_whole(n_queries, n_keys, data):
    start = data.draw(st.integers(0, n_queries - 1))
    rows = slice(start, n_queries)
    for alignment in ("upper-left", "lower-right"):
        whole = causal_mask(alignment, n_queries, n_keys)
        assert (causal_mask(alignment, n_queries, n_keys, rows) == whole[rows]).all()


def test_another_alignment_is_refused():
    with pytest.raises(LlmcalcError, match=r"'diagonal'.*upper-left"):
        causal_mask("diagonal", 2, 2)


@pytest.mark.parametrize("dtype", ["i8", "u1", "i1", "f8", "f4", "f2", "?"])
@pytest.mark.parametrize("mask", [[0, 1], [[1, 1], [0, 1]], [[1]]])
def test_zeros_and_ones_are_booleans(mask, dtype):
    read = checked_mask(np.array(mask, dtype), "m.npy", (2, 2))
    assert read.dtype == bool
    assert (read == np.broadcast_to(mask, (2, 2))).all()


@pytest.mark.parametrize("dtype", ["i8", "i2", "f8", "f2"])
@pytest.mark.parametrize("mask", [[0, -10000], [1, 2], [-1, 0], [3, 3]])
def test_other_numbers_are_added(mask, dtype):
    read = checked_mask(np.array(mask, dtype), "m.npy", (2, 2))
    assert read.dtype != bool
    assert (read == np.broadcast_to(mask, (2, 2))).all()


def test_zeros_alone_are_added_where_they_are_no_whole_numbers():
    assert checked_mask(np.zeros(2), "m.npy", (2, 2)).dtype == float
    with pytest.raises(LlmcalcError, match=r"m\.npy.*both ways"):
        checked_mask(np.zeros(2, dtype=int), "m.npy", (2, 2))


@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_values_that_cannot_be_added_are_named(value):
    mask = np.zeros((2, 3))
    mask[1, 2] = value
    with pytest.raises(LlmcalcError, match=r"index 1,2"):
        checked_mask(mask, "m.npy", (2, 3))


def test_a_mask_that_does_not_fit_names_both_shapes():
    with pytest.raises(LlmcalcError, match=r"3 x 4.*2 x 3 x 5"):
        checked_mask(np.zeros((3, 4), dtype=bool), "m", (2, 3, 5))


def test_a_mask_is_not_copied():
    mask = np.ones((1, 5), dtype=bool)
    assert np.shares_memory(checked_mask(mask, "m", (8, 1000, 5)), mask)
