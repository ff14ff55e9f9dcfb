"""The norm of s B A, against the product itself."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from llmcalc.core.lora.update_norm import update_norm


@given(st.integers(1, 9), st.integers(1, 9), st.integers(1, 12), st.integers(0, 10**6))
def test_norm_is_that_of_the_product(d_in, d_out, rank, seed):
    draw = np.random.default_rng(seed).standard_normal
    a, b = draw((rank, d_in)), draw((d_out, rank))
    assert update_norm(a, b, -1.5) == pytest.approx(
        1.5 * np.linalg.norm(b @ a), rel=1e-12, abs=1e-14
    )


def test_cancelling_factors_keep_their_digits():
    # Nearly opposite columns: Gram matrices would lose half of the digits.
    b = np.array([[1.0, -1.0 + 1e-9]])
    a = np.ones((2, 3))
    exact = 1e-9 * np.sqrt(3)
    assert update_norm(a, b, 1.0) == pytest.approx(exact, rel=1e-6)


@pytest.mark.parametrize(
    ("size", "dtype"), [(1e-30, "f4"), (1e30, "f4"), (1e-150, "f8"), (1e150, "f8")]
)
def test_no_square_over_or_underflows(size, dtype):
    a, b = np.full((2, 4), size, dtype), np.full((3, 2), size, dtype)
    got = update_norm(a, b, 1.0)
    assert got == pytest.approx(2 * size**2 * np.sqrt(12), rel=1e-6)


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("dtype", ["f4", "f8"])
def test_no_number_gives_nan(bad, dtype):
    a, b = np.ones((2, 4), dtype), np.ones((3, 2), dtype)
    a[1, 2] = bad
    assert np.isnan(update_norm(a, b, 1.0))


def test_convolution_is_its_flattened_matrix():
    rng = np.random.default_rng(7)
    a, b = rng.standard_normal((2, 3, 5, 5)), rng.standard_normal((4, 2, 1, 1))
    flat = b.reshape(4, 2) @ a.reshape(2, -1)
    assert update_norm(a, b, 0.5) == pytest.approx(0.5 * np.linalg.norm(flat))


def test_fresh_adapter_changes_nothing():
    assert update_norm(np.ones((2, 3)), np.zeros((4, 2)), 2.0) == 0.0
