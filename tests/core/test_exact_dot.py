"""The exact dot product against rational arithmetic."""

import math
from fractions import Fraction

from hypothesis import given
from hypothesis import strategies as st

from llmcalc.core.exact_dot import exact_dot, exact_parts, exact_times

DOUBLES = st.floats(allow_nan=False, allow_infinity=False)
PAIRS = st.lists(st.tuples(DOUBLES, DOUBLES), max_size=6)


def rational(pairs):
    return sum((Fraction(a) * Fraction(b) for a, b in pairs), Fraction(0))


def rounded(value):
    """The double nearest to a fraction; infinite beyond the doubles."""
    try:
        return float(value)
    except OverflowError:
        return math.inf if value > 0 else -math.inf


@given(PAIRS)
def test_no_bit_is_lost(pairs):
    q, k = [a for a, _ in pairs], [b for _, b in pairs]
    assert Fraction(exact_dot(q, k), 2**2148) == rational(pairs)


@given(PAIRS, DOUBLES)
def test_scaled_product_is_rounded_once(pairs, factor):
    q, k = [a for a, _ in pairs], [b for _, b in pairs]
    wanted = rounded(rational(pairs) * Fraction(factor))
    assert exact_times(exact_dot(q, k), factor) == wanted


@given(PAIRS)
def test_parts_are_the_product_to_one_rounding(pairs):
    q, k = [a for a, _ in pairs], [b for _, b in pairs]
    mantissa, exponent = exact_parts(exact_dot(q, k))
    exact = rational(pairs)
    assert abs(mantissa) <= 1
    off = abs(Fraction(mantissa) * Fraction(2) ** exponent - exact)
    assert off <= abs(exact) * Fraction(1, 2**53)
