"""The temperature of a wanted figure, at any scale, and what cannot be reached."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from llmcalc.core.root import Point, bracketed_root
from llmcalc.core.softmax import softmax
from llmcalc.core.temperature import (
    temperature_for_choices,
    temperature_for_entropy,
    temperature_for_top1,
)
from llmcalc.errors import LlmcalcError

ROW = np.array([2, 1, 0.5, 0, -1])
INF = math.inf
# T of ROW for an entropy: mpmath's findroot at 50 digits.
ENTROPY = [
    (1e-6, 0.05992045577512042),
    (0.3, 0.35064191999124866),
    (1.0, 0.7597756469008924),
    (1.5, 2.0809872539041376),
    (1.609, 33.78673224287362),
]


@pytest.mark.parametrize(("entropy", "expected"), ENTROPY)
def test_an_entropy_gives_its_temperature(entropy: float, expected: float) -> None:
    found = temperature_for_entropy(ROW, entropy)
    assert found == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("scale", [1e-300, 1e-5, 1.0, 1e5, 1e300])
@pytest.mark.parametrize("choices", [1.0001, 2.0, 4.9])
def test_the_scale_of_the_logits_is_that_of_the_answer(
    choices: float, scale: float
) -> None:
    plain = temperature_for_choices(ROW, choices)
    scaled = temperature_for_choices(ROW * scale, choices)
    assert scaled / scale == pytest.approx(plain, rel=1e-11)
    row = softmax((ROW * scale).tolist(), scaled)
    assert row.effective_choices == pytest.approx(choices, rel=1e-12)


@pytest.mark.parametrize("top1", [0.2000001, 0.3, 0.5, 0.99, 1 - 1e-12])
def test_a_best_probability_gives_its_temperature(top1: float) -> None:
    found = temperature_for_top1(ROW, top1)
    assert softmax(ROW.tolist(), found).top1 == pytest.approx(top1, rel=1e-12)


def test_the_ends_of_the_range_are_the_limits() -> None:
    assert temperature_for_entropy(ROW, 0.0) == 0.0
    assert temperature_for_entropy(ROW, math.log(5)) == INF
    assert temperature_for_choices(ROW, 5.0) == INF
    assert temperature_for_choices(np.array([1.0, 1.0, 0.0]), 2.0) == 0.0
    assert temperature_for_top1(ROW, 0.2) == INF
    assert temperature_for_top1(ROW, 1.0) == 0.0
    assert temperature_for_top1(np.array([1.0, 1.0, 0.0]), 0.5) == 0.0


def test_logits_that_are_all_equal_have_their_figure_at_every_temperature() -> None:
    assert temperature_for_choices(np.zeros(3), 3.0) == 1.0
    with pytest.raises(LlmcalcError, match=r"from 3 to 3"):
        temperature_for_choices(np.zeros(3), 2.0)


def test_masked_tokens_are_no_choices() -> None:
    masked = np.array([2.0, -INF, 1.0, -INF])
    assert temperature_for_choices(masked, 2.0) == INF
    with pytest.raises(LlmcalcError, match="from 1 to 2"):
        temperature_for_choices(masked, 3.0)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: temperature_for_entropy(ROW, 1.7), "entropy 1.7 .* 0 to 1.609437912"),
        (lambda: temperature_for_entropy(ROW, -0.1), "entropy -0.1 cannot"),
        (lambda: temperature_for_choices(ROW, 0.5), "effective choices 0.5 .* 1 to 5"),
        (lambda: temperature_for_top1(ROW, 0.1), "best probability 0.1 .* 0.2 to 1"),
        (lambda: temperature_for_top1(np.array([1.0, 1, 0]), 0.9), "0.333.* to 0.5"),
    ],
)
def test_an_unreachable_target_names_the_range(call: object, words: str) -> None:
    assert callable(call)
    with pytest.raises(LlmcalcError, match=words):
        call()


def test_a_temperature_beyond_doubles_is_said_to_be_one() -> None:
    wide = np.array([1.5e308, -1.5e308, 0.0])
    with pytest.raises(LlmcalcError, match="no double"):
        temperature_for_entropy(wide, math.log(3) - 1e-9)


@given(
    st.lists(st.integers(-1000, 1000), min_size=2, max_size=9, unique=True),
    st.floats(0.001, 0.999),
    st.integers(-200, 200),
)
def test_the_answer_reaches_the_target(
    row: list[int], share: float, exponent: int
) -> None:
    logits = np.array(row) * 10.0**exponent
    target = share * math.log(len(row))
    found = temperature_for_entropy(logits, target)
    assert softmax(logits.tolist(), found).entropy_nats == pytest.approx(
        target, rel=1e-11
    )


def test_the_root_of_a_crawling_newton_is_still_found() -> None:
    # exp(-x) - e^-300 has a Newton step of about 1 from everywhere above its root.
    def evaluate(x: float) -> Point:
        return Point(math.exp(-300) - math.exp(-x), math.exp(-x))

    assert bracketed_root(evaluate, 0.0, 700.0) == pytest.approx(300, rel=1e-14)
