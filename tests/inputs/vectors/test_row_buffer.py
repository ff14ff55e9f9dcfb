"""The growing matrix keeps every digit in the narrowest float that can hold it."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from llmcalc.errors import LlmcalcError
from llmcalc.inputs.vectors.row_buffer import RowBuffer, check_finite

DOUBLES = st.floats(allow_nan=False, allow_infinity=False)
SINGLES = st.floats(width=32, allow_nan=False, allow_infinity=False)


def filled(vectors):
    buffer = RowBuffer("x")
    for vector in vectors:
        buffer.add(vector, lambda: "x: row")
    return buffer.finish()


@given(st.lists(st.lists(DOUBLES | SINGLES, min_size=3, max_size=3), min_size=1))
def test_lists_and_arrays_of_doubles_come_back_to_the_digit(vectors):
    rows = filled(vectors)
    assert rows.tolist() == vectors
    exact = all(float(np.float32(x)) == x for x in np.ravel(vectors) if abs(x) < 3e38)
    exact = exact and max(map(abs, np.ravel(vectors))) < 3.4028235677973366e38
    assert rows.dtype == (np.float32 if exact else np.float64)
    same = filled([np.array(vector) for vector in vectors])
    np.testing.assert_array_equal(same, rows)
    assert same.dtype == rows.dtype


def test_it_grows_and_widens_on_the_way():
    vectors = [[float(i), 0.5] for i in range(1000)]
    rows = filled([*vectors, [0.1, 0.2]])
    assert rows.dtype == np.float64
    assert rows.tolist() == [*vectors, [0.1, 0.2]]


@pytest.mark.parametrize("dtype", ["<f2", "<f4", "i1", "u1", "<i4"])
def test_arrays_keep_their_type(dtype):
    vectors = np.arange(300).reshape(100, 3).astype(dtype)
    rows = filled(list(vectors))
    assert rows.dtype == np.dtype(dtype)
    np.testing.assert_array_equal(rows, vectors)


def test_types_that_differ_meet_in_one_that_holds_both():
    rows = filled([np.array([1, -2], "i1"), np.array([200, 3], "u1")])
    assert rows.tolist() == [[1, -2], [200, 3]]
    rows = filled([np.array([0.5, 2], "<f4"), [0.1, 0.2]])
    assert rows.tolist() == [[0.5, 2.0], [0.1, 0.2]]


def test_another_length_and_nothing_at_all():
    with pytest.raises(LlmcalcError, match="x: row: has 1 components, .* has 2"):
        filled([[0.5, 1.0], [0.5]])
    with pytest.raises(LlmcalcError, match="x: row: component 0 is null"):
        filled([[0.5, 1.0], [None]])
    with pytest.raises(LlmcalcError, match="x: holds no vector"):
        filled([])


def test_the_first_component_that_is_not_finite_is_named():
    rows = np.ones((5000, 70), np.float32)
    rows[4321, 69] = np.nan
    rows[4322, 0] = np.inf
    with pytest.raises(LlmcalcError, match="row 4321: component 69 is nan"):
        check_finite(rows, lambda row: f"row {row}")
