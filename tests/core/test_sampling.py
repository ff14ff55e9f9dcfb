"""Draws: reproducible, never a ruled-out token, as many as expected."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from llmcalc.core.sampling import draw_counts
from llmcalc.core.softmax import softmax
from llmcalc.errors import LlmcalcError

PROBS = np.array([0.7, 0.0, 0.2, 0.1, 0.0])


def test_the_same_seed_gives_the_same_counts() -> None:
    first = draw_counts(PROBS, 1000, 7)
    assert first.tolist() == draw_counts(PROBS, 1000, 7).tolist()
    assert first.tolist() != draw_counts(PROBS, 1000, 8).tolist()


def test_counts_are_near_their_expectation() -> None:
    draws = 1_000_000
    counts = draw_counts(PROBS, draws, 1)
    spread = np.sqrt(draws * PROBS * (1 - PROBS))
    assert (np.abs(counts - draws * PROBS) <= 5 * spread).all()


@pytest.mark.parametrize("masked", [0, 2, 4])
@pytest.mark.parametrize("seed", range(20))
def test_a_token_of_probability_zero_is_never_drawn(masked: int, seed: int) -> None:
    # Thirds do not add up to 1 in doubles: what is left must go to a real token.
    logits = [0.0] * 5
    logits[masked] = -math.inf
    probs = np.array(softmax(logits, 0.3).probs)
    counts = draw_counts(probs, 10**15, seed)
    assert counts[masked] == 0
    assert counts.sum() == 10**15


@pytest.mark.parametrize("draws", [0, -1, 2**63])
def test_a_number_of_draws_that_is_none_is_named(draws: int) -> None:
    with pytest.raises(LlmcalcError, match=f"--sample: {draws}"):
        draw_counts(PROBS, draws, 0)


@given(
    st.lists(st.floats(-800, 800), min_size=1, max_size=9),
    st.integers(1, 1000),
    st.integers(0, 2**32),
)
def test_all_draws_are_counted_once(row: list[float], draws: int, seed: int) -> None:
    probs = np.array(softmax(row).probs)
    counts = draw_counts(probs, draws, seed)
    assert counts.sum() == draws
    assert (counts[probs == 0] == 0).all()
