"""The variance theorem: drawn pairs against its standard error, and saturation."""

import numpy as np
import pytest

from llmcalc.core import attention_simulation
from llmcalc.core.attention_saturation import saturation_sums
from llmcalc.core.attention_simulation import Simulation, simulate_variance
from llmcalc.core.softmax_rows import softmax_rows
from llmcalc.errors import LlmcalcError


@pytest.mark.parametrize("d_k", [1, 2, 16, 64, 300])
def test_variance_is_the_width_within_five_standard_errors(d_k):
    found = simulate_variance(d_k, Simulation(trials=4000, seed=3))
    assert abs(found.unscaled_variance / d_k - 1) < 5 * found.std_error
    assert abs(found.scaled_variance - 1) < 5 * found.std_error
    assert abs(found.scaled_mean) < 5 / 4000**0.5
    assert found.std_error == pytest.approx(((2 + 6 / d_k) / 4000) ** 0.5, rel=1e-15)


def test_the_error_of_the_variance_is_the_one_that_is_told():
    # Over 200 seeds the errors in units of the standard error have variance 1, which
    # itself is known to sqrt(2/200) = 0.1.
    squares = []
    for seed in range(200):
        found = simulate_variance(16, Simulation(trials=500, keys=2, seed=seed))
        squares.append(((found.scaled_variance - 1) / found.std_error) ** 2)
    assert 0.5 < sum(squares) / len(squares) < 1.5


# Simulated apart with real normal q and k, standard errors of 1 to 5 %: d, keys, then
# best p, entropy, trace and the share of rows above .99, unscaled; best p scaled.
PUBLISHED = [
    (16, 16, 0.688, 0.896, 0.425, 0.06, 0.245),
    (128, 16, 0.888, 0.285, 0.159, 0.43, 0.245),
    (64, 64, 0.791, 0.587, 0.292, 0.20, 0.108),
    (512, 64, 0.922, 0.191, 0.109, 0.61, 0.108),
    (64, 512, 0.731, 0.823, 0.370, 0.13, 0.027),
]


@pytest.mark.parametrize("row", PUBLISHED)
def test_saturation_is_that_of_drawn_queries_and_keys(row):
    d_k, keys, top1, entropy, trace, saturated, scaled_top1 = row
    found = simulate_variance(d_k, Simulation(trials=4000, keys=keys, seed=1))
    assert found.unscaled.top1 == pytest.approx(top1, rel=0.03, abs=0)
    assert found.unscaled.entropy_nats == pytest.approx(entropy, rel=0.1, abs=0)
    assert found.unscaled.jacobian_trace == pytest.approx(trace, rel=0.08, abs=0)
    assert found.unscaled.saturated_rows == pytest.approx(saturated, abs=0.03)
    assert found.scaled.top1 == pytest.approx(scaled_top1, rel=0.05, abs=0)
    assert found.scaled.saturated_rows == 0


def test_scores_of_a_query_are_as_if_each_key_were_drawn():
    # Keys drawn in full: means over 40000 rows, whose own errors are below 0.0015.
    generator = np.random.default_rng(11)
    q = generator.standard_normal((40000, 1, 8))
    scores = (q @ generator.standard_normal((40000, 8, 5)))[:, 0]
    drawn = saturation_sums(softmax_rows(scores)).means()
    found = simulate_variance(8, Simulation(trials=40000, keys=5, seed=12)).unscaled
    assert found.top1 == pytest.approx(drawn.top1, abs=0.01)
    assert found.jacobian_trace == pytest.approx(drawn.jacobian_trace, abs=0.01)
    assert found.saturated_rows == pytest.approx(drawn.saturated_rows, abs=0.01)


def test_one_seed_is_one_result_and_another_is_another():
    one, same = (simulate_variance(8, Simulation(trials=50, seed=7)) for _ in range(2))
    assert one == same
    assert one != simulate_variance(8, Simulation(trials=50, seed=8))


def test_blocks_draw_as_many_trials(monkeypatch):
    monkeypatch.setattr(attention_simulation, "_BLOCK", 640)
    found = simulate_variance(64, Simulation(trials=2003, keys=8, seed=2))
    assert found.trials == 2003
    assert abs(found.scaled_variance - 1) < 5 * found.std_error


def test_another_scale_scales_the_variance_by_its_square():
    found = simulate_variance(16, Simulation(trials=100, scale=0.5, seed=1))
    assert found.scaled_variance == 0.25 * found.unscaled_variance


@pytest.mark.parametrize("plan", [Simulation(trials=1), Simulation(keys=1)])
def test_one_of_a_kind_has_no_variance(plan):
    with pytest.raises(LlmcalcError, match="needs 2"):
        simulate_variance(4, plan)
