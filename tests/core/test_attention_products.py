"""Blocks of dot products: as exact as single ones, whatever cancels or overflows."""

import warnings
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from llmcalc.core.attention_products import dot_products
from llmcalc.core.exact_dot import exact_dot, exact_times


def exact(queries, keys, factor):
    return np.array(
        [
            [exact_times(exact_dot(q, k), factor) for k in keys.tolist()]
            for q in queries.tolist()
        ]
    )


def close(got, wanted):
    with np.errstate(all="ignore"):
        off = np.abs(got - wanted)
        # Results among the denormals are rounded to a multiple of 2^-1074.
        same = (got == wanted) | (off <= 1e-13 * np.abs(wanted)) | (off <= 2 * 5e-324)
    return bool(np.all(same))


@pytest.mark.parametrize("width", [1, 3, 64, 129])
def test_random_vectors_are_exact_to_a_few_units(width):
    generator = np.random.default_rng(width)
    q = generator.standard_normal((40, width))
    k = generator.standard_normal((50, width))
    assert close(dot_products(q, k).times(0.3), exact(q, k, 0.3))


def test_sums_that_cancel_keep_all_their_digits():
    generator = np.random.default_rng(5)
    q = generator.standard_normal((20, 8)) * 10.0 ** generator.integers(
        -20, 20, (20, 8)
    )
    k = np.concatenate([q[:, ::-1], generator.standard_normal((20, 8))])
    q[:, 4:] = -q[:, 3::-1]
    assert close(dot_products(q, k).times(1.0), exact(q, k, 1.0))


@pytest.mark.parametrize("seed", range(20))
def test_harder_cancellation_than_a_doubled_precision_sum(seed):
    # Each later entry takes off what the sum has come to so far, to one rounding:
    # the last product is a 2^-150th of the first (Ogita, Rump and Oishi 2005, 6.1).
    generator = np.random.default_rng(seed)
    k = generator.standard_normal(12)
    q = np.concatenate(
        [generator.standard_normal(6) * 2.0 ** np.arange(150, 0, -25), np.zeros(6)]
    )
    for place in range(6, 12):
        so_far = exact_dot(q.tolist(), k.tolist())
        q[place] = -exact_times(so_far, 1.0) / k[place]
    order = generator.permutation(12)
    q, k = q[None, order], k[None, order]
    assert close(dot_products(q, k).times(1.0), exact(q, k, 1.0))


ROW = st.lists(st.floats(allow_nan=False, allow_infinity=False), min_size=3, max_size=3)


@settings(max_examples=300)
@given(st.lists(ROW, min_size=2, max_size=2), st.lists(ROW, min_size=2, max_size=2),
       st.sampled_from([1.0, 1e-300, 1e300, -0.125, 5e-324]))  # fmt: skip
def test_any_doubles_at_any_scale(queries, keys, factor):
    q, k = np.array(queries), np.array(keys)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        got = dot_products(q, k).times(factor)
    assert close(got, exact(q, k, factor))


def test_what_is_left_when_the_largest_cancel_is_not_lost():
    # Brought near 1 for the large terms, the small ones vanish.
    largest = np.finfo(np.float64).max
    q = np.array([[largest, largest, 1.0], [1.0, 2.0, 3.0]])
    k = np.array([[largest, -largest, 1.0], [-2.0, 1.0, 1e-300]])
    got = dot_products(q, k).times(1.0)
    assert got[0, 0] == 1.0
    assert got[1, 1] == 3e-300


def test_a_small_entry_that_meets_a_large_one_keeps_its_bits():
    # Brought near 1 the small entry is denormal and would keep 14 of its bits.
    small = 1.2345678912345678 * 2.0**-60
    q, k = np.array([[2.0**999, small]]), np.array([[0.0, 2.0**298]])
    assert dot_products(q, k).times(1.0).item() == small * 2.0**298


def test_zero_rows_beside_wide_ones_stay_zero():
    q = np.array([[0.0, 0.0], [1e300, 1e-300]])
    k = np.array([[0.0, 1e-300], [0.0, 0.0]])
    assert dot_products(q, k).times(1e300).tolist() == [[0.0, 0.0], [1e-300, 0.0]]


def test_halvings_divide_by_powers_of_two():
    products = dot_products(np.array([[1e300]]), np.array([[1e300]]))
    halved = products.times(1.0, np.array([[1000]], dtype=np.int32)).item()
    assert Fraction(halved) == Fraction(1e300 * (1e300 / 2.0**1000))
    assert products.times(1.0).item() == np.inf


def test_products_far_beyond_the_doubles_have_their_magnitude():
    products = dot_products(np.array([[1e300]]), np.array([[1e300]]))
    # 1e600 lies between 2^1993 and 2^1994.
    assert products.magnitude().item() == 1994
