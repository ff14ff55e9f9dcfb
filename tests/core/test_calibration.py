"""NLL, accuracy, ECE, and the temperature that fits right answers."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from llmcalc.core.calibration import calibration, fit_temperature
from llmcalc.core.softmax import softmax
from llmcalc.errors import LlmcalcError

INF = math.inf


def drawn(rows: int, n: int, temperature: float) -> tuple[np.ndarray, np.ndarray]:
    """Logits, and answers drawn from their softmax at a temperature."""
    generator = np.random.default_rng(5)
    logits = generator.normal(size=(rows, n)) * 3
    answers = [
        generator.choice(n, p=softmax(row, temperature).probs)
        for row in logits.tolist()
    ]
    return logits, np.array(answers)


def test_figures_of_rows_that_can_be_worked_out_by_hand() -> None:
    logits = np.log([[0.8, 0.2], [0.6, 0.4], [0.3, 0.7]])
    figures = calibration(logits, np.array([0, 1, 1]))
    assert figures.nll == pytest.approx(-np.log([0.8, 0.4, 0.7]).mean(), rel=1e-14)
    assert figures.accuracy == 2 / 3
    # Bins of a fifteenth: 0.8, 0.6 and 0.7 are alone in theirs.
    assert figures.ece == pytest.approx((0.2 + 0.6 + 0.3) / 3, rel=1e-13)


def test_a_best_probability_on_the_edge_of_a_bin_is_in_the_lower_one() -> None:
    # 0.6 = 9/15 and 0.62 are in different bins: each counts for itself.
    logits = np.log([[0.6, 0.4], [0.62, 0.38]])
    figures = calibration(logits, np.array([0, 1]))
    assert figures.ece == pytest.approx((0.4 + 0.62) / 2, rel=1e-13)


@pytest.mark.parametrize("temperature", [0.4, 1.0, 2.5])
def test_the_temperature_of_the_draw_is_found(temperature: float) -> None:
    logits, answers = drawn(4000, 6, temperature)
    assert fit_temperature(logits, answers) == pytest.approx(temperature, rel=0.08)


def test_the_fit_is_a_minimum_of_the_nll_and_mends_the_error() -> None:
    logits, answers = drawn(3000, 6, 2.5)
    fitted = fit_temperature(logits, answers)
    before, after = (calibration(logits, answers, t) for t in (1.0, fitted))
    assert after.nll < before.nll
    assert after.ece < before.ece / 3
    for nearby in (fitted * 0.999, fitted * 1.001):
        assert calibration(logits, answers, nearby).nll > after.nll


@pytest.mark.parametrize("scale", [1e-290, 1e-9, 1e9, 1e290])
def test_the_fit_follows_the_scale_of_the_logits(scale: float) -> None:
    logits, answers = drawn(300, 4, 1.7)
    plain = fit_temperature(logits, answers)
    assert fit_temperature(logits * scale, answers) / scale == pytest.approx(
        plain, rel=1e-9
    )


def test_answers_that_are_all_the_best_fit_best_at_zero() -> None:
    assert fit_temperature(np.array([[2.0, 1.0], [0.0, 1.0]]), np.array([0, 1])) == 0.0


def test_answers_that_are_no_likelier_than_the_rest_fit_best_at_infinity() -> None:
    assert fit_temperature(np.array([[2.0, 1.0], [0.0, 1.0]]), np.array([1, 0])) == INF


def test_a_masked_right_answer_is_named() -> None:
    rows = np.array([[0.0, 1.0], [0.0, -INF]])
    with pytest.raises(
        LlmcalcError, match="row 1: index 1: the right answer is masked"
    ):
        fit_temperature(rows, np.array([0, 1]))
    assert calibration(rows, np.array([0, 1])).nll == INF


@given(st.lists(st.floats(-9, 9), min_size=3, max_size=3), st.integers(0, 2), st.data())
def test_no_nearby_temperature_is_better(
    row: list[float], answer: int, data: st.DataObject
) -> None:
    rows = np.array([row, row[::-1], [0.0, 1.0, 2.5]])
    answers = np.array([answer, 2 - answer, data.draw(st.integers(0, 2))])
    fitted = fit_temperature(rows, answers)
    if not 0 < fitted < INF:
        return
    best = calibration(rows, answers, fitted).nll
    for factor in (0.9, 1.1):
        assert calibration(rows, answers, fitted * factor).nll >= best - 1e-12
