"""One pair of vectors against 200-digit arithmetic: a unit in the last place or two."""

import math

import mpmath
import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from llmcalc.core.similarity.pair import cosine_similarity
from llmcalc.core.similarity.pair_metric import compare
from llmcalc.errors import LlmcalcError

# Any double at all: from the smallest to the largest, negative, zero.
anything = st.floats(allow_nan=False, allow_infinity=False)
ordinary = st.floats(-100, 100)


def vectors(component):  # type: ignore[no-untyped-def]
    def pairs(dim: int):  # type: ignore[no-untyped-def]
        one = st.lists(component, min_size=dim, max_size=dim).filter(any)
        return st.tuples(one, one)

    return st.integers(1, 12).flatmap(pairs)


def reference(u: list[float], v: list[float]) -> dict[str, mpmath.mpf]:
    """Return the figures with 4500 bits: exact products of any doubles fit in."""
    with mpmath.workprec(9000):
        a, b = [mpmath.mpf(x) for x in u], [mpmath.mpf(x) for x in v]
        uu, vv, uv = (mpmath.fdot(x, y) for x, y in ((a, a), (b, b), (a, b)))
        cosine = uv / mpmath.sqrt(uu * vv)
        sine = mpmath.sqrt((uu * vv - uv * uv) / (uu * vv))
        angle = mpmath.atan2(sine, cosine)
        return {
            "similarity": cosine,
            "angle_rad": angle,
            "angle_deg": angle * 180 / mpmath.pi,
            "distance": 2 * mpmath.sin(angle / 2) ** 2,
            "norm_u": mpmath.sqrt(uu),
            "norm_v": mpmath.sqrt(vv),
            "dot": uv,
            "angular": 1 - angle / mpmath.pi,
            "euclidean": mpmath.sqrt(uu + vv - 2 * uv),
        }


def units_off(got: float, want: mpmath.mpf) -> float:
    """Return by how many units in the last place a double misses a number."""
    with mpmath.workprec(9000):
        if math.isinf(got):
            # Halfway between the largest double and the next one that would follow.
            end = mpmath.mpf(2) ** 1024 - mpmath.mpf(2) ** 970
            return 0.0 if abs(want) >= end else math.inf
        return float(abs(mpmath.mpf(got) - want) / mpmath.mpf(math.ulp(got)))


# Every figure is rounded once; angular is a rounded angle over 180.
ALLOWED = {"angular": 1.501}


def check(u: list[float], v: list[float]) -> None:
    want = reference(u, v)
    got = cosine_similarity(u, v)._asdict()
    for metric in ("angular", "euclidean"):
        got[metric] = compare(u, v, metric, ("u", "v")).value
    for name, number in want.items():
        assert units_off(got[name], number) <= ALLOWED.get(name, 0.5001), name


@given(vectors(ordinary))
@example(([1.0, 2.0, 3.0], [4.0, 5.0, 6.0]))
@example(([1.0, 1.0], [1.0, 1.0 + 2.0**-52]))
def test_ordinary_pairs_are_right_to_the_last_place(pair) -> None:  # type: ignore[no-untyped-def]
    check(*pair)


@given(vectors(anything))
@example(([5e-324, 1e-323], [1e-323, 5e-324]))
@example(([1.7e308, -1.7e308], [1.7e308, 1.7e308]))
@example(([1e200, 1e-200], [1e-200, 1e200]))
def test_pairs_of_any_doubles_are_right_to_the_last_place(pair) -> None:  # type: ignore[no-untyped-def]
    check(*pair)


@given(vectors(ordinary), st.floats(1e-15, 1e-3))
def test_nearly_parallel_pairs_keep_all_digits(pair, step: float) -> None:  # type: ignore[no-untyped-def]
    u, v = pair
    check(u, [x + step * y for x, y in zip(u, v, strict=True)])


@given(vectors(anything))
def test_a_vector_with_itself_is_one_and_with_its_opposite_minus_one(pair) -> None:  # type: ignore[no-untyped-def]
    u, _ = pair
    same, opposite = cosine_similarity(u, u), cosine_similarity(u, [-x for x in u])
    assert same[:4] == (1.0, 0.0, 0.0, 0.0)
    assert opposite[:4] == (-1.0, 180.0, math.pi, 2.0)


@given(vectors(ordinary), st.integers(1, 10**6), st.integers(-200, 200))
def test_a_positive_factor_changes_nothing(pair, factor: int, power: int) -> None:  # type: ignore[no-untyped-def]
    u, v = pair
    # Factors that are exact: an integer on integers, a power of two on doubles.
    whole = [round(x * 1000) for x in u]
    if any(whole):
        scaled = [x * factor for x in whole]
        assert cosine_similarity(scaled, v)[:4] == cosine_similarity(whole, v)[:4]
    longer = [math.ldexp(x, power) for x in v]
    if [math.ldexp(x, -power) for x in longer] == v:
        assert cosine_similarity(u, longer)[:4] == cosine_similarity(u, v)[:4]


@given(vectors(anything))
def test_the_order_of_the_two_does_not_matter(pair) -> None:  # type: ignore[no-untyped-def]
    u, v = pair
    assert cosine_similarity(u, v)[:5] == cosine_similarity(v, u)[:5]


def test_angles_that_degrees_name_exactly_are_exact() -> None:
    degrees = [
        cosine_similarity(u, v).angle_deg
        for u, v in (
            ([1, 1, 0], [0, 1, 1]),
            ([1, 0], [1, 1]),
            ([1, 1, 0], [0, -1, -1]),
            ([0, 3], [-2, 0]),
            ([1, 0], [-3, 3]),
        )
    ]
    assert degrees == [60.0, 45.0, 120.0, 90.0, 135.0]


def test_integers_beyond_a_double_are_taken_exactly() -> None:
    big = 2**60
    pair = cosine_similarity([big + 1, 1], [big, 1])
    # 1 - cos = (1/2) (1/2^60 - 1/(2^60 + 1))^2 to first order, about 2^-241.
    assert pair.distance == pytest.approx(2.0**-241, rel=1e-12)


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64, np.int8])
def test_arrays_are_vectors_too(dtype: type) -> None:
    u, v = np.array([1, 2, 3], dtype), np.array([4, 5, 6], dtype)
    assert cosine_similarity(u, v) == cosine_similarity([1, 2, 3], [4, 5, 6])


def test_int8_does_not_wrap() -> None:
    u = np.full(100, -128, np.int8)
    assert cosine_similarity(u, u)[:2] == (1.0, 0.0)


@pytest.mark.parametrize(
    ("u", "v", "pieces"),
    [
        ([0, 0], [1, 2], ["left", "zero"]),
        ([1, 2], [0.0, -0.0], ["right", "zero"]),
        ([1, math.nan], [1, 2], ["left", "component 1", "nan"]),
        ([1, 2], [-math.inf, 2], ["right", "component 0", "-inf"]),
        ([1, 2, 3], [1, 2], ["left", "3", "right", "2"]),
        ([], [], ["left", "no components"]),
    ],
)
def test_what_has_no_cosine_is_named(u, v, pieces: list[str]) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises(LlmcalcError) as error:
        cosine_similarity(u, v, ("left", "right"))
    assert all(piece in str(error.value) for piece in pieces)


def test_dot_and_euclidean_have_a_value_for_zero_vectors() -> None:
    assert compare([0, 0], [3, 4], "euclidean", ("u", "v")).value == 5.0
    assert compare([0, 0], [3, 4], "dot", ("u", "v")).value == 0.0
    with pytest.raises(LlmcalcError):
        compare([0, 0], [3, 4], "angular", ("u", "v"))
