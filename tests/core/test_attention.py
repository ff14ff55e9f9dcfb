"""Attention of pairs and arrays: the formula, its order, and its corners."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from llmcalc.core import attention_arrays
from llmcalc.core.attention import (
    AttentionOptions,
    Keep,
    attention_scores,
    saturation_of_scores,
)
from llmcalc.errors import LlmcalcError

INF = math.inf
# q, k, scale, cap -> q.k and score, by mpmath at 60 digits, rounded once.
PAIRS = [
    ([1e8, 1.0, -1e8], [1e8, 1.0, 1e8], None, None, 1.0, 0.5773502691896257),
    ([1e16, 1.0, -1e16, 1e-16], [1.0] * 4, None, None, 1.0, 0.5),
    (
        [0.1] * 10, [0.1] * 9 + [-0.9], None, None,
        2.7755575615628915e-18, 8.777083671441754e-19,
    ),
    ([3e200, 4e-200], [-2e150, 1e190], 1e-300, None, -INF, -6e50),
    ([1e308, 1e308, -1e308], [1e308, -1e308, 1e300], 1e-308, None, -INF, -1e300),
    ([5e-324, 1.0], [0.5, 5e-324], 1.0, None, 1e-323, 1e-323),
    ([30.0, -20.0, 10.0, 40.0], [2.0, -3.0, 1.0, 4.0], None, 50.0,
     290.0, 49.69815836752916),
    ([1e5, 3.0], [1e5, -7.0], None, 30.0, 9999999979.0, 30.0),
    ([1e-160], [3e-160], 0.5, 1e5, 3e-320, 1.5e-320),
    (
        [0.1, 0.2, 0.3], [0.3, -0.2, 0.033333333333333326], None, 1e-3,
        -6.47630097698008e-18, -3.739094112412485e-18,
    ),
    ([1 + 2**-52, -1.0], [1 - 2**-53, 1.0], None, None,
     1.1102230246251563e-16, 7.850462293418873e-17),
]  # fmt: skip


@pytest.mark.parametrize(("q", "k", "scale", "cap", "raw", "score"), PAIRS)
def test_pairs_match_fifty_digits(q, k, scale, cap, raw, score):
    found = attention_scores(q, k, None, AttentionOptions(scale=scale, softcap=cap))
    assert found.raw == raw
    assert found.scores == pytest.approx(score, rel=4e-16, abs=0)


@pytest.mark.parametrize(("q", "k", "scale", "cap", "raw", "score"), PAIRS)
def test_arrays_of_one_pair_match_fifty_digits(q, k, scale, cap, raw, score):
    options = AttentionOptions(scale=scale, softcap=cap)
    found = attention_scores([q], [k], None, options)
    assert found.raw.tolist() == [[pytest.approx(raw, rel=1e-13, abs=0)]]
    assert found.scores.tolist() == [[pytest.approx(score, rel=1e-13, abs=0)]]


# mpmath at 60 digits: everything at once, in the order of the contract.
Q = [[1.5, -2.25, 0.5], [0.1, 0.2, -3.0]]
K = [[0.3, 1.0, -0.7], [-2.0, 0.25, 1.125], [4.0, -1.0, 0.6]]
V = [[1.0, -2.0], [0.5, 3.0], [-1.25, 0.1]]


def test_scale_cap_bias_sink_temperature_and_values_in_their_order():
    options = AttentionOptions(
        scale=0.7,
        softcap=5.0,
        mask=[[0.0, -1.5, 0.25], [-INF, 2.0, 0.0]],
        sink=0.3,
        temperature=0.8,
    )
    found = attention_scores(Q, K, V, options)
    scores = [
        [-1.461137412976246, -1.9846521600253877, 4.1636862775633725],
        [1.575510932059026, -2.2849495910037163, -1.1016361094281055],
    ]
    weights = [
        [0.0006425589673770674, 5.1216674700360054e-05, 0.9934988701699161],
        [0.0, 0.29088109892336694, 0.10480027971067367],
    ]
    output = [
        [-1.241205420407668, 0.09821841910633856],
        [0.014440199823341377, 0.8831233247411682],
    ]
    np.testing.assert_allclose(found.scores, scores, rtol=5e-15)
    np.testing.assert_allclose(found.weights, weights, rtol=5e-15)
    np.testing.assert_allclose(found.output, output, rtol=5e-15)
    assert found.scaled.top1 == pytest.approx(
        (0.9934988701699161 + 0.6043186213659594) / 2, rel=1e-14
    )
    assert found.scaled.entropy_nats == pytest.approx(
        (0.04160870484631332 + 0.8999569965268736) / 2, rel=1e-14
    )
    assert found.scaled.jacobian_trace == pytest.approx(
        (0.01292585410326094 + 0.5392040915320452) / 2, rel=1e-14
    )


SMALL = st.floats(-50, 50, allow_nan=False)


def matrices(rows, columns):
    return hnp.arrays(np.float64, (rows, columns), elements=SMALL)


@settings(max_examples=60)
@given(st.data(), st.integers(1, 4), st.integers(1, 5), st.integers(1, 6))
def test_weights_sum_to_one_and_the_output_is_within_the_values(data, n_q, n_k, width):
    q, k = data.draw(matrices(n_q, width)), data.draw(matrices(n_k, width))
    v = data.draw(matrices(n_k, 2))
    found = attention_scores(q, k, v)
    np.testing.assert_allclose(found.weights.sum(axis=-1), 1, rtol=1e-14)
    slack = 1e-12
    assert (found.output >= v.min(axis=0) - slack).all()
    assert (found.output <= v.max(axis=0) + slack).all()


@settings(max_examples=40)
@given(st.data())
def test_the_order_of_the_keys_does_not_matter(data):
    q, k = data.draw(matrices(2, 3)), data.draw(matrices(4, 3))
    v = data.draw(matrices(4, 2))
    turned = [2, 0, 3, 1]
    one, other = attention_scores(q, k, v), attention_scores(q, k[turned], v[turned])
    np.testing.assert_allclose(one.weights[:, turned], other.weights, rtol=1e-12)
    np.testing.assert_allclose(one.output, other.output, rtol=1e-9, atol=1e-9)


@settings(max_examples=40)
@given(st.data(), st.floats(1e-3, 1e3))
def test_temperature_is_another_scale(data, temperature):
    q, k = data.draw(matrices(2, 3)), data.draw(matrices(4, 3))
    hot = attention_scores(q, k, None, AttentionOptions(temperature=temperature))
    scaled = attention_scores(q, k, None, AttentionOptions(scale=3**-0.5 / temperature))
    np.testing.assert_allclose(hot.weights, scaled.weights, rtol=1e-9, atol=1e-300)


def test_shared_key_heads_are_repeated_each_not_tiled():
    generator = np.random.default_rng(0)
    q = generator.standard_normal((2, 6, 3, 4))
    k, v = generator.standard_normal((2, 2, 2, 5, 4))
    found = attention_scores(q, k, v)
    each = attention_scores(q, k.repeat(3, axis=1), v.repeat(3, axis=1))
    assert found.group == 3
    assert each.group == 1
    assert found.output.shape == (2, 6, 3, 4)
    np.testing.assert_array_equal(found.weights, each.weights)
    np.testing.assert_array_equal(found.output, each.output)


@pytest.mark.parametrize(
    ("q", "k", "shape"),
    [
        ((4,), (4,), ()),
        ((4,), (3, 4), (3,)),
        ((2, 4), (4,), (2,)),
        ((2, 4), (3, 4), (2, 3)),
        ((6, 2, 4), (3, 4), (6, 2, 3)),
        ((6, 2, 4), (2, 3, 4), (6, 2, 3)),
        ((5, 6, 2, 4), (1, 2, 3, 4), (5, 6, 2, 3)),
        ((5, 6, 2, 4), (2, 3, 4), (5, 6, 2, 3)),
        ((7, 1, 6, 2, 4), (1, 5, 6, 3, 4), (7, 5, 6, 2, 3)),
    ],
)
def test_scores_have_the_axes_that_were_given(q, k, shape):
    generator = np.random.default_rng(1)
    queries, keys = generator.standard_normal(q), generator.standard_normal(k)
    values = generator.standard_normal((*k[:-1], 3))
    # A sink keeps the pair of vectors on the arrays' path.
    found = attention_scores(queries, keys, values, AttentionOptions(sink=0.0))
    assert np.shape(found.scores) == np.shape(found.weights) == shape
    rows = shape[:-1] if len(k) > 1 else shape
    assert found.output.shape == (*rows, 3)


@pytest.mark.parametrize("block", [1, 7, 1 << 18])
@pytest.mark.parametrize("head", [0, 5, 11])
def test_one_head_can_be_kept_alone(block, head, monkeypatch):
    monkeypatch.setattr(attention_arrays, "_BLOCK", block)
    generator = np.random.default_rng(4)
    q, k = (
        generator.standard_normal((3, 4, 5, 2)),
        generator.standard_normal((3, 2, 6, 2)),
    )
    whole = attention_scores(q, k)
    kept = Keep(raw=False, scores=False, weights=False, output=False, head=head)
    found = attention_scores(q, k, None, AttentionOptions(), kept)
    wanted = whole.weights.reshape(-1, 5, 6)[head]
    np.testing.assert_allclose(found.head_weights, wanted, rtol=1e-13)
    assert found.raw.size == found.scores.size == found.weights.size == 0
    assert (found.shape, whole.head_weights) == ((3, 4, 5, 6), None)
    np.testing.assert_allclose(found.scaled, whole.scaled, rtol=1e-12)


def test_the_work_is_told_as_it_is_done(monkeypatch):
    monkeypatch.setattr(attention_arrays, "_BLOCK", 4)
    told = []
    q = np.ones((2, 3, 2))
    attention_scores(q, q, None, AttentionOptions(), Keep(advance=told.append))
    assert len(told) > 1
    assert sum(told) == pytest.approx(1.0)


@pytest.mark.parametrize("block", [1, 7, 50])
def test_blocks_of_any_size_give_the_same(block, monkeypatch):
    generator = np.random.default_rng(2)
    q, k = (
        generator.standard_normal((3, 4, 5, 8)),
        generator.standard_normal((3, 2, 6, 8)),
    )
    v = generator.standard_normal((3, 2, 6, 2))
    options = AttentionOptions(
        causal="lower-right",
        mask=generator.random((3, 1, 5, 6)) < 0.6,
        sink=[0.1, 1, 2, 3],
    )
    whole = attention_scores(q, k, v, options)
    monkeypatch.setattr(attention_arrays, "_BLOCK", block)
    parts = attention_scores(q, k, v, options)
    np.testing.assert_allclose(parts.weights, whole.weights, rtol=1e-13)
    np.testing.assert_allclose(parts.output, whole.output, rtol=1e-12)
    np.testing.assert_allclose(parts.scaled, whole.scaled, rtol=1e-12)
    assert parts.empty_rows == whole.empty_rows


def test_the_input_is_not_written_to():
    q = np.ones((2, 3))
    q.flags.writeable = False
    mask = np.ones((2, 2), dtype=bool)
    mask.flags.writeable = False
    attention_scores(q, q, q, AttentionOptions(mask=mask))


def test_float16_sums_are_not_in_float16():
    # 80 products of 65536: 5 242 880 is beyond float16, which ends at 65504.
    q = np.full((1, 80), 256, dtype=np.float16)
    found = attention_scores(q, q)
    assert found.raw.item() == 5_242_880
    assert found.scores.item() == pytest.approx(
        5_242_880 / math.sqrt(80), rel=1e-15, abs=0
    )


def test_products_beyond_the_doubles_are_scaled_first():
    q = np.array([[1e200, 1e200]])
    k = np.array([[1e150, -2e150], [1e150, -3e150]])
    found = attention_scores(q, k, None, AttentionOptions(scale=1e-300))
    assert found.raw.tolist() == [[-INF, -INF]]
    assert found.scores.tolist() == [[pytest.approx(-1e50), pytest.approx(-2e50)]]
    assert found.weights.tolist() == [[1.0, 0.0]]


def test_scores_beyond_the_doubles_still_have_their_weights():
    # The first two differ by one unit in the last place of 1e350.
    k = np.array([[1e150], [1e150 * (1 + 2**-52)], [-1e150], [1.0]])
    found = attention_scores(
        np.array([[1e200], [1.0]]), k, None, AttentionOptions(scale=1)
    )
    assert found.scores[0].tolist() == [INF, INF, -INF, 1e200]
    assert found.weights[0].tolist() == [0.0, 1.0, 0.0, 0.0]
    assert found.weights[1].tolist() == [0.0, 1.0, 0.0, 0.0]
    equal = attention_scores(
        [[1e200]], [[1e200], [1e200]], None, AttentionOptions(scale=1)
    )
    assert equal.weights.tolist() == [[0.5, 0.5]]


def test_an_ordinary_row_beside_one_beyond_the_doubles():
    q = np.array([[1e200, 0.0], [0.0, 1.0]])
    k = np.array([[1e150, math.log(3)], [2e150, 0.0]])
    bias = [[0.0, 0.0], [0.0, 1e-3]]
    found = attention_scores(q, k, None, AttentionOptions(scale=1, mask=bias))
    third = math.exp(1e-3)
    wanted = [[0.0, 1.0], [3 / (3 + third), third / (3 + third)]]
    np.testing.assert_allclose(found.weights, wanted, rtol=1e-15)


def test_a_score_far_below_the_doubles_does_not_touch_the_others():
    # -1e350 beside 0 and ln 3, whose weights are those without it; so it is with masks.
    q, k = np.array([[1e200, 1.0]]), np.array([[-1e150, 0], [0, 0], [0, math.log(3)]])
    for mask in (None, np.zeros((1, 3)), np.ones((1, 3), dtype=bool)):
        found = attention_scores(q, k, None, AttentionOptions(scale=1, mask=mask))
        np.testing.assert_allclose(found.weights, [[0, 0.25, 0.75]], rtol=1e-15)
    for mask in ([[-INF, 0.0, 0.0]], [[False, True, True]]):
        options = AttentionOptions(scale=1, mask=mask)
        found = attention_scores(q, -k, None, options)
        assert found.scores[0, 0] == INF
        np.testing.assert_allclose(found.weights, [[0, 0.75, 0.25]], rtol=1e-15)


def test_rows_far_below_the_doubles_have_a_best_too():
    k = np.array([[-1e150], [-2e150]])
    options = AttentionOptions(scale=1)
    found = attention_scores(np.array([[1e200]]), k, None, options)
    assert found.scores.tolist() == [[-INF, -INF]]
    assert found.weights.tolist() == [[1.0, 0.0]]
    assert found.empty_rows == ()
    beside = attention_scores(np.array([[1e200]]), k, None, options._replace(sink=0.0))
    assert beside.weights.tolist() == [[0.0, 0.0]]
    assert beside.empty_rows == ()


def test_a_cap_turns_scores_beyond_the_doubles_into_the_cap():
    options = AttentionOptions(scale=1, softcap=30.0)
    found = attention_scores([[1e200]], [[1e200], [-1e200]], None, options)
    assert found.scores.tolist() == [[30.0, -30.0]]


def test_a_row_without_keys_is_zero_and_named():
    mask = np.array([[True, False], [False, False], [True, True]])
    found = attention_scores(
        np.ones((2, 3, 4)),
        np.ones((2, 2, 4)),
        np.ones((2, 2, 1)),
        AttentionOptions(mask=mask),
    )
    assert found.empty_rows == ((0, 1), (1, 1))
    assert found.weights[:, 1].tolist() == [[0.0, 0.0]] * 2
    assert found.output[:, 1].tolist() == [[0.0]] * 2
    # Only the other rows count: one sees one key, one sees two.
    assert found.scaled.top1 == 0.75


def test_additive_masks_empty_rows_too_even_beside_a_sink():
    mask = np.array([[-INF, -INF], [0.0, -INF]])
    for sink in (None, 2.0):
        options = AttentionOptions(mask=mask, sink=sink)
        found = attention_scores(np.ones((2, 4)), np.ones((2, 4)), None, options)
        assert found.empty_rows == ((0,),)
        assert found.weights[0].tolist() == [0.0, 0.0]


def test_the_lowest_float_as_a_mask_is_finite():
    # transformers#17306: finfo.min plus a negative score must not become -inf.
    low = float(np.finfo(np.float32).min)
    mask = np.array([[low, low], [low, 0.0]])
    found = attention_scores(
        np.full((2, 1), -3.0), np.ones((2, 1)), None, AttentionOptions(mask=mask)
    )
    assert found.empty_rows == ()
    assert found.weights.tolist() == [[0.5, 0.5], [0.0, 1.0]]


def test_a_mask_is_not_scaled():
    options = AttentionOptions(scale=0.0, mask=[[0.0, -1.0]])
    found = attention_scores([[5.0]], [[1.0], [2.0]], None, options)
    assert found.weights[0, 1] / found.weights[0, 0] == pytest.approx(math.exp(-1))


def test_negative_scales_turn_the_order_round():
    found = attention_scores(
        [[1.0]], [[1.0], [2.0]], None, AttentionOptions(scale=-1.0)
    )
    assert found.scores.tolist() == [[-1.0, -2.0]]
    assert found.weights[0, 0] > found.weights[0, 1]


def test_a_sink_takes_its_share_of_each_head():
    q = np.zeros((2, 1, 1))
    found = attention_scores(q, q, None, AttentionOptions(sink=[0.0, math.log(3)]))
    np.testing.assert_allclose(found.weights[:, 0, 0], [0.5, 0.25], rtol=1e-15)


def test_zero_temperature_is_the_limit():
    options = AttentionOptions(temperature=0.0)
    found = attention_scores([[1.0]], [[2.0], [2.0], [1.0]], None, options)
    assert found.weights.tolist() == [[0.5, 0.5, 0.0]]


def test_saturation_matches_fifty_digits_where_p_is_almost_one():
    # Quantiles of N(0, 512) at (i - 1/2)/8; mpmath at 60 digits.
    raw = [
        -34.71361,
        -20.073646,
        -11.05721,
        -3.559541,
        3.559541,
        11.05721,
        20.073646,
        34.71361,
    ]
    found = saturation_of_scores(raw, 512)
    assert found.unscaled.top1 == pytest.approx(0.999999561472354, rel=1e-15, abs=0)
    assert found.unscaled.entropy_nats == pytest.approx(
        6.859037123571793e-06, rel=1e-13
    )
    assert found.unscaled.jacobian_trace == pytest.approx(
        8.770549072937563e-07, rel=1e-13
    )
    assert found.unscaled.saturated_rows == 1
    assert found.scaled.top1 == pytest.approx(0.38769282748998773, rel=1e-14, abs=0)
    assert found.scaled.entropy_nats == pytest.approx(
        1.719327982054258, rel=1e-14, abs=0
    )
    assert found.scaled.effective_choices == pytest.approx(
        5.580776821656326, rel=1e-14, abs=0
    )
    assert found.scaled.jacobian_trace == pytest.approx(
        0.7710945003993378, rel=1e-14, abs=0
    )


def test_minus_infinity_among_given_scores_is_a_mask_whatever_the_scale():
    for scale in (-1.0, 0.0, 2.0):
        found = saturation_of_scores(
            [[1.0, -INF, 1.0], [-INF] * 3], None, AttentionOptions(scale=scale)
        )
        assert found.scores[0, 1] == -INF
        assert found.weights.tolist() == [[0.5, 0.0, 0.5], [0.0, 0.0, 0.0]]
        assert found.empty_rows == ((1,),)


@pytest.mark.parametrize("value", [math.nan, INF])
def test_given_scores_with_nan_or_infinity_are_named(value):
    with pytest.raises(LlmcalcError, match=rf"index 1,0: {value}"):
        saturation_of_scores([[0.0, 1.0], [value, 0.0]], 4)


@pytest.mark.parametrize("value", [math.nan, INF, -INF])
@pytest.mark.parametrize("role", [0, 1, 2])
def test_vectors_with_nan_or_infinity_are_named(value, role):
    arrays = [np.zeros((2, 3, 4)) for _ in range(3)]
    arrays[role][1, 2, 3] = value
    options = AttentionOptions(names=("a.npy", "b.npy", "c.npy", "mask"))
    name = ("a.npy", "b.npy", "c.npy")[role]
    with pytest.raises(LlmcalcError, match=rf"{name}: index 1,2,3: {value}"):
        attention_scores(*arrays, options=options)
    pair = [[0.0, 0.0], [0.0, value]]
    with pytest.raises(LlmcalcError, match=rf"K: index 1: {value}"):
        attention_scores(*pair)


@pytest.mark.parametrize(
    ("shapes", "words"),
    [
        (((4,), (3,)), ["4", "3"]),
        (((2, 4), (5, 3)), ["4", "3"]),
        (((2, 4), (5, 4), (6, 4)), ["5", "6"]),
        (((6, 2, 4), (4, 3, 4)), ["6", "4"]),
        (((1, 2, 4), (4, 3, 4)), ["1", "4"]),
        (((2, 6, 2, 4), (3, 6, 3, 4)), ["2", "3"]),
        (((6, 2, 4), (2, 3, 4), (3, 3, 4)), ["2", "3"]),
        (((2, 4), (5, 4), (5,)), ["V", "5 x 4"]),
        (((2, 0), (5, 0)), ["2 x 0"]),
    ],
)
def test_shapes_that_do_not_fit_name_both_sides(shapes, words):
    with pytest.raises(LlmcalcError) as error:
        attention_scores(*(np.ones(shape) for shape in shapes))
    assert all(word in str(error.value) for word in words), error.value


@pytest.mark.parametrize(
    "options",
    [
        AttentionOptions(softcap=0.0),
        AttentionOptions(softcap=-1.0),
        AttentionOptions(softcap=INF),
        AttentionOptions(softcap=math.nan),
        AttentionOptions(scale=math.nan),
        AttentionOptions(scale=INF),
        AttentionOptions(temperature=-1.0),
        AttentionOptions(temperature=math.nan),
        AttentionOptions(causal="diagonal"),
        AttentionOptions(sink=math.nan),
        AttentionOptions(sink=[1.0, 2.0, 3.0]),
    ],
)
def test_options_without_a_meaning_are_refused(options):
    for q in ([1.0, 2.0], [[1.0, 2.0]]):
        with pytest.raises(LlmcalcError):
            attention_scores(q, q, None, options)


def test_things_that_are_no_numbers_are_refused():
    with pytest.raises(LlmcalcError, match="bool"):
        attention_scores(np.ones((2, 2), dtype=bool), np.ones((2, 2)))
    with pytest.raises(LlmcalcError, match="complex"):
        attention_scores(np.ones((2, 2)) * 1j, np.ones((2, 2)))


def test_a_pair_of_vectors_loads_no_numpy(tmp_path):
    import subprocess
    import sys

    code = (
        "import sys; from llmcalc.core.attention import attention_scores; "
        "attention_scores([1.0], [2.0]); sys.exit('numpy' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
