"""Softmax of one row and of many: digits, limits, traps, properties."""

import itertools
import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from llmcalc.core.logit_checks import check_logits
from llmcalc.core.softmax import Softmax, softmax
from llmcalc.core.softmax_blocks import BLOCK, softmax_blocks
from llmcalc.core.softmax_rows import softmax_rows
from llmcalc.errors import LlmcalcError

INF = math.inf
ULP = 2.0**-52
TEMPERATURES = [0.0, 5e-324, 1e-300, 1e-16, 0.01, 0.7, 1.0, 2.0, 1e300, 1e308, INF]
ROWS: list[list[float]] = [
    [2, 1, 0.5, -1],
    [1e308, -1e308],
    [-1e308, 1e308, -INF, 1.7e308],
    [0, 5e-324],
    [3, 1, 3],
    [5, -INF, 1, 2],
    [1, INF, 3],
    [42],
    [0, -800],
    [0, -40],
    [1, 1 + 2**-52],
    [-INF, -5],
    [1e16, 1e16 + 2, 1e16 + 4],
    [0.0, 0.0, 0.0],
    [-3.0, -3.0],
]
# logits, T -> probabilities, entropy in nats, log-sum-exp: mpmath at 50 digits on the
# doubles as they are, rounded to doubles.
REFERENCE: list[tuple[list[float], float, list[float], float, float]] = [
    (
        [2, 1, 0.5, -1],
        0.7,
        [
            0.729536152038686,
            0.17483409495781602,
            0.08558857299278719,
            0.010041180010710705,
        ],
        0.791547061361963,
        3.1724892121060644,
    ),
    (
        [1e16, 1.0000000000000002e16, 1.0000000000000004e16],
        0.7,
        [0.003109653029051861, 0.05414437072009355, 0.9427459762508545],
        0.2314260588882265,
        1.4285714285714292e16,
    ),
    (
        [1e308, -1e308],
        1e308,
        [0.8807970779778824, 0.11920292202211756],
        0.3653338550872076,
        1.1269280110429725,
    ),
    (
        [0, 5e-324],
        5e-324,
        [0.2689414213699951, 0.7310585786300049],
        0.5822031088882179,
        1.3132616875182228,
    ),
    (
        [1, 1.0000000000000002],
        1e-16,
        [0.09792939358398013, 0.9020706064160199],
        0.3205094194489924,
        1.0000000000000002e16,
    ),
    (
        [0, -40],
        1.0,
        [1.0, 4.248354255291589e-18],
        1.7418252446695514e-16,
        4.248354255291589e-18,
    ),
    (
        [1, 325, 749, 750],
        1.0,
        [0.0, 1.9444526359919375e-185, 0.2689414213699951, 0.7310585786300049],
        0.5822031088882179,
        750.3132616875182,
    ),
    (
        [-3, -1, -2.5, -0.5],
        1.0,
        [
            0.04500395090292344,
            0.332536717895222,
            0.07419897111919412,
            0.5482603600826604,
        ],
        1.028181173666387,
        0.10100499522307918,
    ),
    (
        [-700, -INF, 0, -30],
        1.3,
        [1.4096949013759283e-234, 0.0, 0.999999999904979, 9.502101131765402e-11],
        2.2878135801911077e-09,
        9.502101132216853e-11,
    ),
    (
        [1e-310, 0, -1e-310],
        1e-310,
        [0.6652409557748219, 0.24472847105479764, 0.09003057317038046],
        0.8323955818399389,
        1.4076059644443804,
    ),
    (
        [12.5, 12.5, 12.5, 12.25, -900],
        0.1,
        [
            0.32445568517626344,
            0.32445568517626344,
            0.32445568517626344,
            0.026632944471209726,
            0.0,
        ],
        1.1921886767429923,
        126.12560631556497,
    ),
]


def figures(row: Softmax) -> list[float]:
    single = [row.logsumexp, row.entropy_nats, row.top1, row.greedy, row.ties]
    gap = math.nan if row.gap is None else row.gap
    return [*single, gap, *row.probs, *row.logprobs]


@pytest.mark.parametrize(
    ("logits", "temperature", "probs", "entropy", "total"), REFERENCE
)
@pytest.mark.parametrize("many", [False, True])
def test_digits_agree_with_fifty_digit_arithmetic(
    logits: list[float],
    temperature: float,
    probs: list[float],
    entropy: float,
    total: float,
    many: bool,
) -> None:
    """Within 4 units in the last place, and |ln p| more where T divides."""
    row = softmax(logits, temperature)
    if many:
        row = softmax_rows(np.array([logits]), temperature).row(0)
    for found, expected in zip(row.probs, probs, strict=True):
        units = 4 - math.log(expected) if expected else 0
        assert found == pytest.approx(expected, rel=units * ULP, abs=0)
    assert row.entropy_nats == pytest.approx(entropy, rel=4 * ULP, abs=0)
    assert row.logsumexp == pytest.approx(total, rel=4 * ULP, abs=0)


@pytest.mark.parametrize("temperature", TEMPERATURES)
@pytest.mark.parametrize("logits", ROWS)
def test_many_rows_agree_with_one(logits: list[float], temperature: float) -> None:
    one = softmax(logits, temperature)
    both = softmax_rows(np.array([logits, logits]), temperature)
    for row in (both.row(0), both.row(1)):
        np.testing.assert_allclose(figures(row), figures(one), rtol=8 * ULP, atol=0)


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64", "int8", ">f4"])
def test_any_element_type_is_widened_first(dtype: str) -> None:
    logits = np.array([[5, -3, 0, 4], [1, 2, 3, 4]]).astype(dtype)
    found = softmax_rows(logits, 0.5)
    assert found.probs.dtype == np.float64
    expected = softmax(logits[0].tolist(), 0.5)
    np.testing.assert_allclose(found.probs[0], expected.probs, rtol=4 * ULP)


def test_float16_that_overflows_after_division_is_exact() -> None:
    found = softmax_rows(np.array([40000, 39990], dtype=np.float16), 0.5)
    # float16 goes in steps of 32 there, so 39990 is stored as 40000.
    assert found.probs.tolist() == [0.5, 0.5]


def test_the_limit_at_zero_shares_the_mass_among_ties() -> None:
    row = softmax([3, 1, 3], 0)
    assert row.probs == [0.5, 0.0, 0.5]
    assert (row.greedy, row.ties, row.gap) == (0, 2, 0.0)
    assert row.entropy_nats == pytest.approx(math.log(2), rel=ULP)


def test_the_limit_at_infinity_is_uniform_over_what_is_not_masked() -> None:
    row = softmax([5, -INF, 1, 2], INF)
    assert row.probs == [1 / 3, 0.0, 1 / 3, 1 / 3]
    assert row.logprobs[1] == -INF


def test_one_infinite_logit_takes_all_the_mass() -> None:
    row = softmax([1, INF, 3], 2)
    assert row.probs == [0.0, 1.0, 0.0]
    assert (row.entropy_nats, row.gap, row.logsumexp) == (0.0, 1.0, INF)


def test_one_choice_has_no_gap_and_an_entropy_of_plain_zero() -> None:
    row = softmax([42], 0.1)
    assert row.gap is None
    assert math.copysign(1, row.entropy_nats) == 1.0
    assert row.effective_choices == 1.0


def test_logprobs_do_not_underflow() -> None:
    assert softmax([0, -800]).logprobs == [0.0, -800.0]
    assert softmax_rows(np.array([0.0, -800.0])).logprobs.tolist() == [0.0, -800.0]


def test_a_dominated_tail_keeps_the_digits_of_the_best() -> None:
    row = softmax([0, -40])
    assert row.logprobs[0] == pytest.approx(-math.exp(-40), rel=4 * ULP)


def test_a_gap_of_two_close_ones_keeps_its_digits() -> None:
    row = softmax([0.0, -1e-14])
    assert row.gap == pytest.approx(0.5 * 1e-14, rel=1e-12)


@pytest.mark.parametrize("temperature", [-0.5, math.nan, -INF])
def test_a_temperature_that_is_none_is_named(temperature: float) -> None:
    with pytest.raises(LlmcalcError, match=f"temperature: {temperature}"):
        softmax([1.0, 2.0], temperature)
    with pytest.raises(LlmcalcError, match="temperature"):
        softmax_rows(np.zeros(2), temperature)


@pytest.mark.parametrize(
    ("logits", "words"),
    [
        ([], "no logits"),
        ([0.0, math.nan], "row 0: index 1: the logit is NaN"),
        ([-INF, -INF], "every logit is -inf"),
        ([INF, 0.0, INF], "index 0 and row 0: index 2: two logits are"),
    ],
)
def test_a_row_without_a_softmax_is_named(logits: list[float], words: str) -> None:
    with pytest.raises(LlmcalcError, match=words):
        softmax(logits)
    with pytest.raises(LlmcalcError, match=words.replace("row 0", "row 2")):
        good = np.zeros((2, len(logits)))
        rows = np.concatenate([good, np.array([logits])]) if logits else good
        list(softmax_blocks(rows, place=lambda r, i: _place(max(r, 2), i)))


def _place(row: int, index: int | None) -> str:
    return f"row {row}" if index is None else f"row {row}: index {index}"


def test_a_fully_masked_row_of_many_is_zeros() -> None:
    found = softmax_rows(np.array([[-INF, -INF], [0.0, 0.0]]))
    assert found.probs.tolist() == [[0.0, 0.0], [0.5, 0.5]]
    assert found.logsumexp.tolist()[0] == -INF
    assert found.entropy_nats.tolist()[0] == 0.0
    assert (found.top1.tolist()[0], found.ties.tolist()) == (0.0, [0, 2])


def test_inputs_are_not_written_to() -> None:
    logits = np.array([[1.0, -INF, 3.0], [1e308, -1e308, 0.0]])
    before = logits.copy()
    softmax_rows(logits, 0.5)
    np.testing.assert_array_equal(logits, before)


def test_leading_axes_stay() -> None:
    logits = np.arange(24.0).reshape(2, 3, 4)
    found = softmax_rows(logits, 2.0)
    assert (found.probs.shape, found.entropy_nats.shape) == ((2, 3, 4), (2, 3))
    flat = softmax_rows(logits.reshape(6, 4), 2.0)
    np.testing.assert_array_equal(found.probs.reshape(6, 4), flat.probs)


@pytest.mark.parametrize("n", [1, 7, BLOCK // 2, BLOCK + 1])
def test_blocks_give_every_row_once_and_in_order(n: int) -> None:
    logits = np.random.default_rng(3).normal(size=(9, n))
    seen: list[float] = []
    for first, block in softmax_blocks(logits, 0.7):
        assert first == len(seen)
        seen += block.logsumexp.tolist()
    np.testing.assert_allclose(seen, softmax_rows(logits, 0.7).logsumexp, rtol=1e-14)


def test_a_vocabulary_sums_to_one_in_double_precision() -> None:
    logits = np.random.default_rng(1).normal(size=131072).astype(np.float32)
    assert abs(math.fsum(softmax_rows(logits).probs) - 1) < 3e-15


LOGITS = st.lists(
    st.floats(allow_nan=False, allow_infinity=False) | st.just(-INF),
    min_size=1,
    max_size=12,
).filter(lambda row: max(row) > -INF)
SMALL = st.lists(st.floats(-50, 50), min_size=1, max_size=12)


@given(LOGITS, st.floats(min_value=0, allow_nan=False))
def test_probabilities_are_a_distribution(row: list[float], temperature: float) -> None:
    found = softmax(row, temperature)
    assert math.fsum(found.probs) == pytest.approx(1, abs=len(row) * ULP)
    assert all(0 <= p <= 1 for p in found.probs)
    assert -ULP <= found.entropy_nats <= math.log(len(row)) + 4 * ULP
    assert all(p == 0 for p, z in zip(found.probs, row, strict=True) if z == -INF)
    assert found.probs[found.greedy] == max(found.probs) == found.top1


@given(LOGITS, st.floats(min_value=0, allow_nan=False))
def test_one_row_and_many_agree(row: list[float], temperature: float) -> None:
    one, many = softmax(row, temperature), softmax_rows(np.array([row]), temperature)
    np.testing.assert_allclose(
        figures(many.row(0)), figures(one), rtol=16 * ULP, atol=1e-300
    )


@given(SMALL, st.integers(-(2**20), 2**20))
def test_a_shift_changes_nothing(row: list[float], shift: int) -> None:
    # Rounded to eighths, so that the shift itself is exact.
    exact = [round(z * 8) / 8 for z in row]
    moved = softmax([z + shift for z in exact])
    assert moved.probs == softmax(exact).probs


@given(SMALL, st.integers(-900, 900))
def test_scaling_logits_and_temperature_together_changes_nothing(
    row: list[float], power: int
) -> None:
    exact = [round(z * 8) / 8 for z in row]
    scaled = softmax([math.ldexp(z, power) for z in exact], math.ldexp(1.0, power))
    assert scaled.probs == softmax(exact).probs


@given(SMALL)
def test_order_of_the_logits_does_not_matter(row: list[float]) -> None:
    backwards = softmax(row[::-1])
    assert list(backwards.probs)[::-1] == softmax(row).probs
    assert backwards.entropy_nats == softmax(row).entropy_nats


@given(st.lists(st.floats(-20, 20), min_size=2, max_size=8))
def test_entropy_rises_with_temperature(row: list[float]) -> None:
    entropies = [softmax(row, t).entropy_nats for t in (0.0, 0.3, 1.0, 3.0, INF)]
    for low, high in itertools.pairwise(entropies):
        assert low <= high + 1e-14


def test_check_logits_names_the_row_it_is_told() -> None:
    with pytest.raises(LlmcalcError, match="row 7: index 0"):
        check_logits([math.nan], row=7)


@pytest.mark.parametrize(
    ("logits", "words"),
    [
        ([[1, 2], [3, 4]], "one row of numbers: .*softmax_rows"),
        (np.eye(2), "have 2 axes, not one; .*softmax_rows"),
        (np.ones((2, 1)), "have 2 axes"),
        (np.float64(1), "have 0 axes"),
        (3, "one row of numbers: .*not iterable"),
        ([1, None], "one row of numbers"),
        ([1, "a"], "row 0: could not convert .*'a'"),
        ([10**400], "too large"),
    ],
)
def test_what_is_no_row_of_numbers_is_named(logits: Any, words: str) -> None:
    with pytest.raises(LlmcalcError, match=words):
        softmax(logits)


def test_integers_that_no_double_tells_apart_tie() -> None:
    found = softmax_rows(np.array([[2**62 + 1, 2**62, 0]]))
    assert (found.probs.tolist(), found.ties.tolist()) == ([[0.5, 0.5, 0]], [2])
