"""Neighbours, pairs, matrices and groups against one exact pair after another.

The sets are small and hostile: few distinct values, so that ties, equal and opposite
rows are everywhere; blocks of two and three rows, so that every block has an edge.
"""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from numpy.typing import NDArray

from llmcalc.core.similarity.blocks import Search
from llmcalc.core.similarity.groups import groups
from llmcalc.core.similarity.matrix import similarity_matrix
from llmcalc.core.similarity.nearest import nearest, reaching
from llmcalc.core.similarity.pair_metric import compare
from llmcalc.core.similarity.pairs import Wanted, best_pairs
from llmcalc.core.similarity.rows import Rows, first_components, rows_of
from llmcalc.errors import LlmcalcError

METRICS = ("cosine", "angular", "dot", "euclidean")
SEARCHES = [Search(block=2, workers=1), Search(block=3, workers=2), Search()]


def sets(dim: int = 3, most: int = 12):  # type: ignore[no-untyped-def]
    values = st.sampled_from([-2.0, -1.0, 0.0, 1.0, 3.0, 0.1])
    shapes = st.tuples(st.integers(2, most), st.just(dim))
    filled = shapes.flatmap(lambda s: hnp.arrays(np.float64, s, elements=values))
    return filled.map(without_zero_rows)


def without_zero_rows(array: NDArray[np.float64]) -> NDArray[np.float64]:
    array[~array.any(axis=1), 0] = 1
    return array


def exact(metric: str, left: NDArray, right: NDArray) -> NDArray[np.float64]:  # type: ignore[type-arg]
    sign = -1 if metric == "euclidean" else 1
    return np.array(
        [
            [
                sign * compare(u.tolist(), v.tolist(), metric, ("u", "v")).value
                for v in right
            ]
            for u in left
        ]
    )


def ranked(scores, names, k: int):  # type: ignore[no-untyped-def]
    return sorted(zip((-s for s in scores), names, strict=True))[:k]


@given(sets(), sets(), st.integers(1, 15), st.sampled_from(SEARCHES))
def test_nearest_are_those_of_exact_pairs(queries, corpus, k: int, search) -> None:  # type: ignore[no-untyped-def]
    found = nearest(rows_of(queries), rows_of(corpus), k, search)
    assert found.indices.shape == (len(queries), min(k, len(corpus)))
    wanted = exact("cosine", queries, corpus)
    for indices, got, scores in zip(*found, wanted, strict=True):
        best = ranked(scores, range(len(corpus)), k)
        assert [(-s, int(i)) for s, i in zip(got, indices, strict=True)] == best


@given(sets(most=9), st.integers(1, 40), st.sampled_from(SEARCHES))
def test_pairs_are_those_of_exact_pairs(rows, k: int, search) -> None:  # type: ignore[no-untyped-def]
    found = best_pairs(rows_of(rows), None, Wanted(k), search)
    scores = exact("cosine", rows, rows)
    every = list(itertools.combinations(range(len(rows)), 2))
    best = ranked([scores[pair] for pair in every], every, k)
    got = zip(found.scores, found.left, found.right, strict=True)
    assert [(-s, (int(i), int(j))) for s, i, j in got] == best
    assert found.reached == found.possible == len(every)


@given(sets(most=9), sets(most=5), st.floats(-1, 1), st.sampled_from(SEARCHES))
def test_a_threshold_counts_and_lists_what_reaches_it(  # type: ignore[no-untyped-def]
    left, right, threshold: float, search
) -> None:
    scores = exact("cosine", left, right)
    # A value that occurs: the threshold is inclusive.
    threshold = min(scores.ravel(), key=lambda s: abs(s - threshold))
    found = best_pairs(rows_of(left), rows_of(right), Wanted(3, threshold), search)
    reached = [pair for pair in np.ndindex(*scores.shape) if scores[pair] >= threshold]
    assert found.reached == len(reached) > 0
    best = ranked([scores[pair] for pair in reached], reached, 3)
    assert [-s for s, _ in best] == found.scores.tolist()
    assert [p for _, p in best] == list(zip(found.left, found.right, strict=True))


@given(sets(most=7), st.sampled_from(SEARCHES))
def test_a_matrix_has_the_scores_of_exact_pairs(rows, search) -> None:  # type: ignore[no-untyped-def]
    matrix = np.empty((len(rows), len(rows)))
    similarity_matrix(rows_of(rows), None, matrix, search)
    assert np.array_equal(matrix, exact("cosine", rows, rows))
    assert np.array_equal(matrix, matrix.T)
    assert (matrix.diagonal() == 1).all()


@pytest.mark.parametrize("metric", METRICS[1:])
@settings(max_examples=30)
@given(sets(most=7), sets(most=7))
def test_other_metrics_order_by_their_own_value(metric, queries, corpus) -> None:  # type: ignore[no-untyped-def]
    scores = exact(metric, queries, corpus)
    results = [
        nearest(rows_of(queries), rows_of(corpus), 3, s._replace(metric=metric))
        for s in SEARCHES
    ]
    for found in results:
        assert np.array_equal(found.indices, results[0].indices)
        assert np.array_equal(found.scores, results[0].scores)
        best = -np.sort(-scores, axis=1)[:, :3]
        assert found.scores == pytest.approx(best, rel=4e-16, abs=4e-16)
    whole = np.empty(scores.shape)
    search = Search(metric=metric)
    similarity_matrix(rows_of(queries), rows_of(corpus), whole, search)
    sign = -1 if metric == "euclidean" else 1
    assert sign * whole == pytest.approx(scores, rel=4e-16, abs=4e-16)
    threshold = float(np.median(scores))
    every = best_pairs(
        rows_of(queries), rows_of(corpus), Wanted(100, threshold), search
    )
    assert every.reached == (sign * whole >= threshold).sum()


@given(sets(most=10), st.floats(-1, 1), st.sampled_from(SEARCHES))
def test_groups_are_the_connected_rows(rows, threshold: float, search) -> None:  # type: ignore[no-untyped-def]
    scores = exact("cosine", rows, rows)
    threshold = min(scores.ravel(), key=lambda s: abs(s - threshold))
    found = groups(rows_of(rows), threshold, search)
    linked = scores >= threshold
    for _ in rows:
        linked = linked @ linked
    assert len({i for g in found for i in g.members}) == sum(len(g[0]) for g in found)
    for group in found:
        assert np.flatnonzero(linked[group.members[0]]).tolist() == group.members
        assert group.lowest == scores[np.ix_(group.members, group.members)].min()
    alone = set(range(len(rows))) - {i for group in found for i in group.members}
    assert all(linked[i].sum() == 1 for i in alone)
    assert found == sorted(found, key=lambda g: (-len(g.members), g.members[0]))


@pytest.mark.parametrize("metric", METRICS)
def test_hundreds_of_equal_rows_are_neither_slow_nor_in_disorder(metric: str) -> None:
    rows = rows_of(np.full((400, 8), 0.3, np.float32))
    search = Search(metric=metric, block=128)
    found = nearest(first(rows, 2), rows, 30, search)
    assert np.array_equal(found.indices, [range(30), range(30)])
    pairs = best_pairs(rows, None, Wanted(3), search)
    assert list(zip(pairs.left, pairs.right, strict=True)) == [(0, 1), (0, 2), (0, 3)]
    if metric != "dot":
        (group,) = groups(rows, float(pairs.scores[0]), search)
        assert group.members == list(range(400))
        assert group.lowest == pairs.scores[0]


def first(rows: Rows, count: int) -> Rows:
    return rows._replace(stored=rows.stored[:count])


@pytest.mark.parametrize(
    "dtype", ["f2", "f4", "f8", ">f4", ">f2", "i1", "u1", "i2", "i4", "i8", "u8"]
)
@pytest.mark.parametrize("stride", [1, 2])
def test_every_stored_type_gives_the_exact_figures(dtype: str, stride: int) -> None:
    rng = np.random.default_rng(3)
    low = 0 if np.dtype(dtype).kind == "u" else -100
    stored = rng.integers(low, 100, (40, 16 * stride)).astype(dtype)[:, ::stride]
    if np.dtype(dtype).kind == "f":
        stored = stored / np.array(7, dtype)
    before = stored.copy()
    rows = rows_of(stored)
    found = nearest(first(rows, 3), rows, 40, Search(block=7))
    wanted = exact("cosine", stored[:3], stored)
    got = np.take_along_axis(wanted, found.indices, axis=1)
    assert np.array_equal(got, found.scores)
    assert np.array_equal(stored, before)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_rows_of_any_length_are_compared_rightly(dtype: type) -> None:
    # 2^-140 ... 2^120: squares leave float32 at both ends; doubles leave theirs.
    powers = [-140, -70, -1, 0, 1, 60, 120]
    if dtype is np.float64:
        powers += [-1060, -600, 600, 1000]
    stored = np.array([np.ldexp([1.0, 2.0, i], p) for i, p in enumerate(powers)], dtype)
    found = nearest(rows_of(stored), rows_of(stored), len(powers), Search(block=4))
    wanted = exact("cosine", stored, stored)
    assert np.array_equal(np.take_along_axis(wanted, found.indices, 1), found.scores)
    assert (found.scores[:, 0] == 1).all()


@pytest.mark.parametrize(
    ("u", "v"),
    [
        ([1, 1e-30], [1e-30, 1]),
        ([1, 1e-300], [1e-300, 1]),
        ([1, 1e-20, -1], [1, 1e-30, 1]),
        ([3, 1e-9, 2.0**-1074], [1, -3e9, 0.25]),
    ],
)
def test_tiny_cosines_keep_their_digits(u: list[float], v: list[float]) -> None:
    stored = np.array([u, v, [1.0] * len(u)])
    wanted = exact("cosine", stored, stored)
    for search in SEARCHES:
        matrix = np.empty((3, 3))
        similarity_matrix(rows_of(stored), None, matrix, search)
        assert np.array_equal(matrix, wanted)
        found = nearest(rows_of(stored), rows_of(stored), 3, search)
        got = np.take_along_axis(wanted, found.indices, axis=1)
        assert np.array_equal(got, found.scores)


@pytest.mark.parametrize("dtype", ["i8", "u8", ">i8"])
def test_integers_beyond_a_double_are_compared_exactly(dtype: str) -> None:
    ends = np.iinfo(np.dtype(dtype))
    values = [ends.max, ends.max - 1, 2**53 + 1, 2**53, 2**60 + 3, 1, 0, ends.min]
    stored = np.array(list(itertools.permutations(values[:4], 3)), dtype)
    stored = np.concatenate([stored, np.array([values[4:7], values[5:]], dtype)])
    matrix = np.empty((len(stored), len(stored)))
    similarity_matrix(rows_of(stored), None, matrix, Search(block=5))
    assert np.array_equal(matrix, exact("cosine", stored, stored))


def test_halves_are_widened_bit_by_bit() -> None:
    patterns = np.arange(65536, dtype=np.uint16).view(np.float16)
    finite = patterns[np.isfinite(patterns) & (patterns != 0)]
    stored = finite.reshape(-1, 2)
    found = nearest(first(rows_of(stored), 1), rows_of(stored), len(stored), Search())
    widened = stored.astype(np.float64)
    norms = np.hypot(widened[:, 0], widened[:, 1])
    plain = widened @ widened[0] / (norms * norms[0])
    assert found.scores[0] == pytest.approx(plain[found.indices[0]], abs=1e-15)


def test_packed_bits_are_plus_and_minus_ones() -> None:
    rng = np.random.default_rng(4)
    packed = rng.integers(0, 256, (20, 5), dtype=np.uint8)
    signs = np.unpackbits(packed, axis=1).astype(float) * 2 - 1
    rows = Rows(packed, 40, str, packed=True)
    found = best_pairs(rows, None, Wanted(500), Search(block=6))
    plain = best_pairs(rows_of(signs), None, Wanted(500), Search())
    assert np.array_equal(found.scores, plain.scores)
    hamming = (signs[found.left] != signs[found.right]).sum(axis=1)
    assert found.scores.tolist() == ((40 - 2 * hamming) / 40).tolist()
    cut = first_components(rows, 11)
    found = best_pairs(cut, None, Wanted(500), Search())
    plain = best_pairs(rows_of(signs[:, :11]), None, Wanted(500), Search())
    assert np.array_equal(found.scores, plain.scores)


@pytest.mark.parametrize("k", [0, 1, 3, 50])
def test_a_k_beyond_what_there_is_gives_what_there_is(k: int) -> None:
    rows = rows_of(np.eye(3))
    assert nearest(rows, rows, k, Search()).indices.shape == (3, min(k, 3))
    assert len(best_pairs(rows, None, Wanted(k), Search()).scores) == min(k, 3)


def test_neighbours_below_a_threshold_are_left_out() -> None:
    rows = rows_of(np.array([[1.0, 0], [1, 1], [0, 1]]))
    found, full = reaching(nearest(rows, rows, 2, Search()), 1.0)
    assert found.indices.tolist() == [[0, -1], [1, -1], [2, -1]]
    assert full == 0


WRONG = {
    "zero": ([[1, 2], [0, 0], [3, 4], [0.0, -0.0]], "row 1, row 3: are zero vectors"),
    "nan": ([[1, 2], [3, 4], [1, np.nan]], "row 2: component 1 is nan"),
    "infinity": ([[1, 2], [-np.inf, 4]], "row 1: component 0 is -inf"),
}


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
@pytest.mark.parametrize("name", WRONG)
def test_rows_without_a_direction_are_named(name: str, dtype: type) -> None:
    values, message = WRONG[name]
    rows = rows_of(np.array(values, dtype))
    other = rows_of(np.array([[1.0, 1.0]]))
    for ask in (
        lambda: nearest(other, rows, 1, Search()),
        lambda: nearest(rows, other, 1, Search()),
        lambda: best_pairs(rows, None, Wanted(1), Search(block=2)),
        lambda: groups(rows, 0.5, Search()),
        lambda: similarity_matrix(rows, other, np.empty((rows.n, 1)), Search()),
    ):
        with pytest.raises(LlmcalcError) as error:
            ask()
        assert message.split(":")[1] in str(error.value)
        assert message.split(":", maxsplit=1)[0].split(", ")[-1] in str(error.value)


def test_zero_rows_can_be_left_out_of_every_answer() -> None:
    stored = np.array([[0.0, 0], [1, 0], [0, 1], [0, 0], [2, 0]])
    rows = rows_of(stored)._replace(skip_zero=True)
    found = nearest(rows, rows, 5, Search(block=2))
    assert found.indices.tolist() == [
        [-1] * 5, [1, 4, 2, -1, -1], [2, 1, 4, -1, -1], [-1] * 5, [1, 4, 2, -1, -1],
    ]  # fmt: skip
    pairs = best_pairs(rows, None, Wanted(9, -1.0), Search(block=2))
    assert list(zip(pairs.left, pairs.right, strict=True)) == [(1, 4), (1, 2), (2, 4)]
    assert pairs.possible == pairs.reached == 3
    assert [g.members for g in groups(rows, 0.9, Search())] == [[1, 4]]
    matrix = np.empty((5, 5))
    similarity_matrix(rows, None, matrix, Search(block=2))
    assert np.isnan(matrix[0]).all()
    assert np.isnan(matrix[:, 3]).all()
    assert matrix[1, 4] == 1


def test_dot_and_euclidean_take_zero_rows_and_refuse_what_overflows() -> None:
    rows = rows_of(np.array([[0.0, 0], [3, 4]]))
    for metric, value in (("dot", 0.0), ("euclidean", -5.0)):
        found = best_pairs(rows, None, Wanted(1), Search(metric=metric))
        assert found.scores.tolist() == [value]
        huge = rows_of(np.array([[1e200, 0], [3, 4]]))
        with pytest.raises(LlmcalcError, match="row 0: a vector of length 1e\\+200"):
            best_pairs(huge, None, Wanted(1), Search(metric=metric))


def test_rows_of_different_dimensions_are_named() -> None:
    with pytest.raises(LlmcalcError, match="has 2 components, .* has 3"):
        nearest(rows_of(np.eye(2)), rows_of(np.eye(3)), 1, Search())
    with pytest.raises(LlmcalcError, match="has 2 components, not the 3 of --dims"):
        first_components(rows_of(np.eye(2)), 3)
