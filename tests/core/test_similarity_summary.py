"""The figures of a set against plain numpy on the same rows."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from llmcalc.core.similarity.background import SAMPLE_ROWS, background
from llmcalc.core.similarity.blocks import Search
from llmcalc.core.similarity.rows import rows_of
from llmcalc.core.similarity.summary import duplicates, summarise

RNG = np.random.default_rng(5)


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64, np.int8])
@pytest.mark.parametrize("n", [2, 3, 100, SAMPLE_ROWS + 500])
def test_the_mean_is_that_of_all_pairs(dtype: type, n: int) -> None:
    stored = (RNG.standard_normal((n, 8)) * 20 + 5).astype(dtype)
    stored[~stored.any(axis=1)] = 1
    unit = stored.astype(float)
    unit /= np.linalg.norm(unit, axis=1)[:, None]
    cosines = (unit @ unit.T)[np.triu_indices(n, 1)]
    around = background(rows_of(stored))
    summary = summarise(rows_of(stored), around, Search(workers=2))
    assert summary.mean_similarity == pytest.approx(cosines.mean(), abs=1e-14)
    assert summary.anisotropy == pytest.approx(np.linalg.norm(unit.mean(axis=0)))
    norms = np.linalg.norm(stored.astype(float), axis=1)
    assert summary.min_norm == pytest.approx(norms.min())
    assert summary.max_norm == pytest.approx(norms.max())
    assert summary.not_unit == (np.abs(norms - 1) > 1e-3).sum()
    # A sample of 1000 rows is close to the whole; up to 1000 rows, it is the whole.
    far = 1e-14 if n <= SAMPLE_ROWS else 0.05
    assert around.pairs == min(len(cosines), SAMPLE_ROWS * (SAMPLE_ROWS - 1) // 2)
    middle = np.sort(cosines)[len(cosines) // 2]
    assert summary.median_similarity == pytest.approx(middle, abs=far)
    assert sum(around.counts) == around.pairs
    assert around.percentile(2.0) == 100
    assert around.percentile(-2.0) == 0


@given(hnp.arrays(np.float32, st.tuples(st.integers(1, 30), st.integers(1, 3)),
                  elements=st.sampled_from([0.0, 1.0, 2.0])))  # fmt: skip
def test_duplicates_are_rows_that_came_before(stored) -> None:  # type: ignore[no-untyped-def]
    seen = [row.tobytes() for row in stored]
    assert duplicates(stored) == len(seen) - len(set(seen))


def test_duplicates_count_beyond_one_block() -> None:
    stored = RNG.standard_normal((9000, 3)).astype(np.float16)
    unique = len(np.unique(stored.view(np.uint16), axis=0))
    twice = np.concatenate([stored, stored[::-1]])
    assert duplicates(twice) == 18000 - unique


def test_zero_rows_are_counted_apart() -> None:
    rows = rows_of(np.array([[0.0, 0], [3, 4], [0, 0], [0, 1]]))
    rows = rows._replace(skip_zero=True)
    summary = summarise(rows, background(rows), Search())
    assert (summary.zero_rows, summary.not_unit, summary.min_norm) == (2, 1, 1.0)
    assert summary.mean_similarity == pytest.approx(0.8)


@pytest.mark.parametrize("values", [[[1.0, 2]] * 3, [[1.0, 0], [0, 0]], [[0.0, 0]]])
def test_sets_with_nothing_to_spread_have_a_background(values) -> None:  # type: ignore[no-untyped-def]
    rows = rows_of(np.array(values))._replace(skip_zero=True)
    around = background(rows)
    summary = summarise(rows, around, Search())
    assert sum(around.counts) == around.pairs
    assert summary.n == len(values)
