"""Kullback-Leibler divergence: digits where it is small, limits, properties."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from llmcalc.core.divergence import kl_divergence
from llmcalc.core.softmax import softmax
from llmcalc.errors import LlmcalcError

INF = math.inf


def kl(logits: list[float], other: list[float], t: float = 1, t2: float = 1) -> float:
    p, q = softmax(logits, t).logprobs, softmax(other, t2).logprobs
    return float(kl_divergence(np.array(p), np.array(q)))


# softmax([2, 1, 0.5, -1] / T) against another T: mpmath at 50 digits.
REFERENCE = [
    (1.0, 2.0, 0.07899786422630543),
    (2.0, 1.0, 0.09241849389841082),
    (1.0, 1.0 + 2**-20, 2.4268991501675936e-13),
    (0.05, 20.0, 1.3190002403385068),
]


@pytest.mark.parametrize(("t", "t2", "expected"), REFERENCE)
def test_digits_agree_with_fifty_digit_arithmetic(
    t: float, t2: float, expected: float
) -> None:
    row = [2, 1, 0.5, -1]
    # Two log-probs that are 2^-20 apart carry 33 bits of their difference.
    tolerance = 1e-8 if abs(t - t2) < 1e-3 else 1e-14
    assert kl(row, row, t, t2) == pytest.approx(expected, rel=tolerance)


def test_equal_distributions_have_none() -> None:
    assert kl([1, 2, 3], [1, 2, 3]) == 0.0


def test_what_the_other_rules_out_is_infinitely_far() -> None:
    assert kl([0, 0], [0, -INF]) == INF
    assert kl([0, -INF], [0, 0]) == pytest.approx(math.log(2), rel=1e-15)
    assert kl([0, -INF], [1, -INF]) == 0.0


def test_lengths_must_agree() -> None:
    with pytest.raises(LlmcalcError, match="2 tokens with 3"):
        kl_divergence(np.zeros(2), np.zeros(3))


LOGITS = st.lists(st.floats(-700, 700), min_size=1, max_size=8)


@given(LOGITS, st.floats(0.01, 100), st.floats(0.01, 100))
def test_it_is_never_negative_and_near_its_definition(
    row: list[float], t: float, t2: float
) -> None:
    found = kl(row, row, t, t2)
    p, q = softmax(row, t), softmax(row, t2)
    terms = (
        a * (la - lb)
        for a, la, lb in zip(p.probs, p.logprobs, q.logprobs, strict=True)
        if a
    )
    assert found >= 0
    assert found == pytest.approx(math.fsum(terms), rel=1e-9, abs=1e-11)
