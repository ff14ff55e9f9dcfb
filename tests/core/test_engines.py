"""Each engine's candidates: the worked example, boundaries, ties, limits."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from llmcalc.core.candidates import CUT_TIE, Candidates, best_of, until
from llmcalc.core.engines import ORDERS, check_order, missing, truncate
from llmcalc.core.filters import Filters, active, check_filters
from llmcalc.core.softmax import softmax
from llmcalc.core.truncation import KEPT_TIE
from llmcalc.errors import LlmcalcError

INF = math.inf
ZIPF = -1.1 * np.log(np.arange(1, 101))
# kept, best probability, exp(H) of z_i = -1.1 ln(i + 1), top-k 40, top-p 0.9:
# worked out with 50 digits apart from llmcalc, printed to 4 digits.
WORKED = [
    ("hf", 0.7, None, 12, 0.5118, 5.25),
    ("vllm", 0.7, None, 12, 0.5118, 5.25),
    ("llama.cpp", 0.7, None, 24, 0.4794, 6.98),
    ("sglang", 0.7, None, 17, 0.4935, 6.11),
    ("hf", 1.5, None, 31, 0.1608, 23.20),
    ("vllm", 1.5, None, 31, 0.1608, 23.20),
    ("llama.cpp", 1.5, None, 24, 0.1783, 18.52),
    ("sglang", 1.5, None, 40, 0.1456, 29.02),
    ("hf", 0.7, 0.05, 6, 0.5659, 3.67),
    ("vllm", 0.7, 0.05, 4, 0.6144, 2.86),
    ("llama.cpp", 0.7, 0.05, 15, 0.4996, 5.80),
    ("sglang", 0.7, 0.05, 6, 0.5659, 3.67),
    ("llama.cpp", 1.5, 0.05, 15, 0.2176, 12.22),
]


def kept(logits: list[float], order: str = "hf", **settings: float) -> list[int]:
    temperature = settings.pop("temperature", 1.0)
    filters = Filters(**settings)  # type: ignore[arg-type]
    return truncate(np.array(logits), temperature, filters, order).kept.tolist()


def logs(*probs: float) -> list[float]:
    return [math.log(p) if p else -INF for p in probs]


@pytest.mark.parametrize(("order", "t", "min_p", "count", "best", "choices"), WORKED)
def test_the_worked_example(
    order: str, t: float, min_p: float | None, count: int, best: float, choices: float
) -> None:
    left = truncate(ZIPF, t, Filters(top_k=40, top_p=0.9, min_p=min_p), order)
    row = softmax(left.logits.tolist(), t)
    assert len(left.kept) == count
    assert row.top1 == pytest.approx(best, abs=5e-5)
    assert row.effective_choices == pytest.approx(choices, abs=5e-3)
    assert np.isneginf(np.delete(left.logits, left.kept)).all()


def test_top_k_keeps_ties_where_the_engine_does_and_warns_where_not() -> None:
    row = np.array([3.0, 2, 2, 2, 1])
    for order in ("hf", "vllm"):
        found = truncate(row, 1, Filters(top_k=2), order)
        assert found.kept.tolist() == [0, 1, 2, 3]
        assert found.ties == (("top_k", KEPT_TIE),)
        assert truncate(row, 1, Filters(top_k=4), order).ties == ()
    for order in ("llama.cpp", "sglang"):
        found = truncate(row, 1, Filters(top_k=2), order)
        assert (found.kept.tolist(), found.ties) == ([0, 1], (("top_k", CUT_TIE),))


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("k", [0, -1, 5, 99])
def test_top_k_that_is_off_or_large_keeps_all(order: str, k: int) -> None:
    assert kept([1, 2, 3, 4, 5], order, top_k=k) == [0, 1, 2, 3, 4]


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize(
    ("probs", "p", "expected"),
    [
        ((0.3, 0.1, 0.1, 0.5), 0.75, [0, 3]),
        ((0.15, 0.3, 0.3, 0.25), 0.82, [1, 2, 3]),
        ((0.1, 0.2, 0.3, 0.4), 0.7, [2, 3]),  # an exact hit stops there
        ((0.5, 0.3, 0.1, 0.1), 0.8, [0, 1]),
        ((0.1,) * 10, 0.8, list(range(8))),
        ((0.4, 0.6), 0.0, [1]),
        ((0.4, 0.6), 1e-12, [1]),
        ((0.4, 0.6), 1.0, [0, 1]),
        ((0.0, 0.4, 0.6), 1.0, [1, 2]),
        ((0.0, 0.4, 0.6), 0.99, [1, 2]),
    ],
)
def test_top_p_keeps_the_smallest_prefix_that_reaches_it(
    order: str, probs: tuple[float, ...], p: float, expected: list[int]
) -> None:
    assert kept(logs(*probs), order, top_p=p) == expected


def test_a_top_p_cut_inside_a_tie_keeps_the_lowest_index_and_says_so() -> None:
    found = truncate(np.zeros(4), 1, Filters(top_p=0.5))
    assert (found.kept.tolist(), found.ties) == ([0, 1], (("top_p", CUT_TIE),))


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize(
    ("fraction", "expected"),
    [(0.24, 4), (0.26, 3), (0.49, 3), (0.51, 2), (0.74, 2), (0.76, 1), (0.25, 4)],
)
def test_min_p_is_a_fraction_of_the_best(
    order: str, fraction: float, expected: int
) -> None:
    assert len(kept(logs(0.1, 0.2, 0.3, 0.4), order, min_p=fraction)) == expected


def test_typical_drops_the_best_where_it_is_less_typical() -> None:
    row = logs(0.4, 0.2, 0.2, 0.2)
    assert kept(row, "hf", typical_p=0.5) == [1, 2, 3]
    assert kept(row, "llama.cpp", typical_p=0.5) == [1, 2, 3]
    # All tied in distance stay in one engine, as many as are needed in the other.
    assert kept(row, "hf", typical_p=0.3) == [1, 2, 3]
    found = truncate(np.array(row), 1, Filters(typical_p=0.3), "llama.cpp")
    assert (found.kept.tolist(), found.ties) == ([1, 2], (("typical_p", CUT_TIE),))


def test_epsilon_and_eta_always_keep_the_best() -> None:
    row = logs(0.5, 0.3, 0.15, 0.05)
    assert kept(row, epsilon_cutoff=0.1) == [0, 1, 2]
    assert kept(row, epsilon_cutoff=0.9) == [0]
    entropy = -sum(p * math.log(p) for p in (0.5, 0.3, 0.15, 0.05))
    cutoff = math.sqrt(0.2) * math.exp(-entropy)
    assert 0.05 < cutoff < 0.15
    assert kept(row, eta_cutoff=0.2) == [0, 1, 2]


def test_top_h_holds_a_share_of_the_entropy_of_the_best_hundred() -> None:
    assert kept(logs(0.5, 0.3, 0.2), top_h=0.34) == [0]
    assert kept(logs(0.5, 0.3, 0.2), top_h=0.7) == [0, 1]
    assert kept(logs(0.5, 0.3, 0.2, 0.0), top_h=1.0) == [0, 1, 2]
    assert len(kept([0.0] * 300, top_h=1.0)) == 100
    assert len(kept([0.0] * 300, top_h=0.5)) == 50


def test_top_n_sigma_leaves_masks_out_of_the_deviation() -> None:
    row = [4.0, 1.0, 0.0, -1.0]
    sigma = float(np.std(row))
    assert 1.5 * sigma < 3 < 2 * sigma
    assert kept(row, "llama.cpp", top_n_sigma=1.5) == [0]
    assert kept([*row, -INF], "llama.cpp", top_n_sigma=2) == [0, 1]
    assert kept(row, "llama.cpp", top_n_sigma=0) == [0, 1, 2, 3]
    # Independent of T, of a shift and of the scale.
    for scale in (1e-320, 1e-150, 1.0, 2e307):
        scaled = [z * scale for z in row]
        assert kept(scaled, "llama.cpp", top_n_sigma=1.5, temperature=9) == [0]
    moved = [z + 1e15 for z in row]
    assert kept(moved, "llama.cpp", top_n_sigma=2) == [0, 1]


@pytest.mark.parametrize("order", ORDERS)
def test_an_infinite_logit_is_the_only_candidate_of_every_filter(order: str) -> None:
    lacking = missing(order, ALL_ON)
    filters = ALL_ON._replace(**dict.fromkeys(lacking))
    found = truncate(np.array([1.0, INF, 2.0]), 1.0, filters, order)
    assert found.kept.tolist() == [1]


ALL_ON = Filters(40, 0.9, 0.05, 0.9, 0.01, 0.01, 0.9, 1.0)


@pytest.mark.parametrize("order", ["vllm", "sglang"])
def test_greedy_engines_filter_nothing_at_temperature_zero(order: str) -> None:
    assert kept([1, 2, 3], order, top_k=1, temperature=0.0) == [0, 1, 2]


def test_the_order_of_llama_cpp_does_not_depend_on_the_temperature() -> None:
    for temperature in (0.0, 0.1, 1.0, 9.0, INF):
        found = kept(ZIPF.tolist(), "llama.cpp", top_p=0.9, temperature=temperature)
        assert len(found) == len(kept(ZIPF.tolist(), "llama.cpp", top_p=0.9))


@pytest.mark.parametrize(
    ("order", "field", "able"),
    [
        ("vllm", "typical_p", "hf, llama.cpp"),
        ("sglang", "top_n_sigma", "llama.cpp"),
        ("hf", "top_n_sigma", "llama.cpp"),
        ("llama.cpp", "eta_cutoff", "hf"),
        ("vllm", "top_h", "hf"),
    ],
)
def test_a_filter_that_an_engine_lacks_is_named(
    order: str, field: str, able: str
) -> None:
    filters = Filters(**{field: 0.5})
    option = field.replace("_", "-")
    with pytest.raises(LlmcalcError, match=f"--{option}: {order} has no.*; {able} do"):
        check_order(order, filters)


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("top_k", -2),
        ("top_p", 1.5),
        ("top_p", math.nan),
        ("min_p", -0.1),
        ("typical_p", 0.0),
        ("epsilon_cutoff", 1.0),
        ("top_h", 0.0),
        ("top_n_sigma", math.nan),
        ("top_n_sigma", INF),
    ],
)
def test_a_setting_out_of_range_is_named(field: str, value: float) -> None:
    with pytest.raises(LlmcalcError, match=f"--{field.replace('_', '-')}: {value}"):
        check_filters(Filters(**{field: value}))  # type: ignore[arg-type]


def test_an_unknown_order_is_named_with_the_known_ones() -> None:
    with pytest.raises(LlmcalcError, match=r"'mlx' is none of hf, vllm"):
        truncate(np.zeros(2), 1.0, Filters(), "mlx")


ROW = st.lists(
    st.floats(-30, 30).map(lambda z: round(z, 3)) | st.just(-INF),
    min_size=1,
    max_size=9,
).filter(lambda row: max(row) > -INF)
SHARE = st.none() | st.floats(0, 1)
SETTINGS = st.tuples(st.none() | st.integers(-1, 10), SHARE, SHARE).map(
    lambda settings: Filters(*settings)
)


@given(ROW, SETTINGS, st.floats(0, allow_nan=False), st.sampled_from(list(ORDERS)))
def test_the_best_is_kept_and_no_masked_token_is(
    row: list[float], filters: Filters, temperature: float, order: str
) -> None:
    left = truncate(np.array(row), temperature, filters, order)
    assert row.index(max(row)) in left.kept
    assert all(row[index] > -INF for index in left.kept)
    if not active(filters):
        assert len(left.kept) == sum(z > -INF for z in row)


@given(ROW, SETTINGS, st.floats(0.01, 100), st.sampled_from(list(ORDERS)))
def test_what_is_kept_is_never_worse_than_what_is_cut(
    row: list[float], filters: Filters, temperature: float, order: str
) -> None:
    left = set(truncate(np.array(row), temperature, filters, order).kept.tolist())
    worst = min(row[index] for index in left)
    assert all(row[index] <= worst for index in range(len(row)) if index not in left)


@given(ROW, st.floats(0.001, 0.999), st.floats(0.001, 0.999))
def test_a_larger_top_p_keeps_no_fewer(row: list[float], p: float, q: float) -> None:
    low, high = sorted((p, q))
    assert set(kept(row, top_p=low)) <= set(kept(row, top_p=high))


BIG = np.random.default_rng(5).normal(0, 3, 40_000).round(2)


@pytest.mark.parametrize("count", [1, 2, 1000, 1024, 1025, 20_000, 39_999, 40_000])
def test_the_best_of_a_vocabulary_are_those_of_a_stable_sort(count: int) -> None:
    expected = np.argsort(-BIG, kind="stable")
    mask = best_of(BIG, count).mask
    assert np.flatnonzero(mask).tolist() == sorted(expected[:count].tolist())
    found = until(-BIG, np.ones(len(BIG)), count)
    assert found.tolist() == expected[:count].tolist()
    assert until(-BIG, np.ones(len(BIG)), count - 1, "right").tolist() == found.tolist()


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("p", [1e-4, 0.3, 0.9, 0.999999])
def test_top_p_of_a_vocabulary_is_the_prefix_of_a_stable_sort(
    order: str, p: float
) -> None:
    best = np.argsort(-BIG, kind="stable")
    mass = np.cumsum(Candidates(BIG, 1.0).probs[best])
    expected = best[: 1 + np.count_nonzero(mass < p)]
    found = truncate(BIG, 1.0, Filters(top_p=p), order)
    assert found.kept.tolist() == sorted(expected.tolist())
    worst = BIG[expected[-1]]
    tied = np.count_nonzero(worst <= BIG) > len(expected)
    assert found.ties == ((("top_p", CUT_TIE),) if tied else ())


def test_distances_that_are_equal_but_for_rounding_stay_together() -> None:
    # H of 1/2, 1/4, 1/4 is 1.5 bits: 1 and 2 bits are equally far from it.
    assert kept(logs(0.5, 0.25, 0.25), "hf", typical_p=0.2) == [0, 1, 2]
    assert kept(logs(0.25, 0.5, 0.25), "hf", typical_p=0.2) == [0, 1, 2]
