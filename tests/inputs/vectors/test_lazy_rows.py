"""Rows of large files are made as they are taken, and are the same rows."""

import numpy as np
import pytest

from llmcalc.core.similarity.blocks import Search
from llmcalc.core.similarity.nearest import nearest
from llmcalc.core.similarity.pairs import Wanted, best_pairs
from llmcalc.core.similarity.rows import Rows, first_components, zero_rows
from llmcalc.inputs.vectors import lazy_rows
from llmcalc.inputs.vectors.lazy_rows import LazyRows, made_rows

STORED = np.random.default_rng(1).normal(size=(70, 8)).astype(np.float32)


@pytest.fixture
def rows():
    return LazyRows(STORED.shape, STORED.__getitem__)


@pytest.mark.parametrize(
    "chosen", [3, -1, slice(None), slice(2, 60, 3), slice(68, 99), np.array([5, 2, 5])]
)
def test_it_is_indexed_as_an_array(rows, chosen):
    np.testing.assert_array_equal(rows[chosen], STORED[chosen])
    np.testing.assert_array_equal(rows[:, :3][chosen], STORED[:, :3][chosen])
    assert rows[:, :3].shape == (70, 3)
    np.testing.assert_array_equal(
        np.concatenate([rows, rows[:2]]), STORED[[*range(70), 0, 1]]
    )


def test_few_rows_are_made_at_once(rows):
    assert isinstance(made_rows(STORED.shape, STORED.__getitem__), np.ndarray)


@pytest.mark.parametrize("dims", [8, 3])
def test_searches_find_the_same(rows, dims):
    found, wanted = (
        first_components(Rows(array, 8, str), dims) for array in (rows, STORED)
    )
    assert zero_rows(found) == []
    for ask in (
        lambda given: best_pairs(given, None, Wanted(9), Search()),
        lambda given: nearest(given, given, 4, Search(block=16)),
    ):
        for one, other in zip(ask(found), ask(wanted), strict=True):
            np.testing.assert_array_equal(one, other)


def test_every_format_is_the_same_either_way(writer, read, monkeypatch):
    content = writer.write(STORED[:6, :6], list("abcdef"))
    at_once = read(content, writer.filename, writer.part, dtype=writer.dtype)
    monkeypatch.setattr(lazy_rows, "SMALL", 0)
    found = read(content, writer.filename, writer.part, dtype=writer.dtype)
    np.testing.assert_array_equal(np.asarray(found.rows), np.asarray(at_once.rows))
    assert found.where(0) == at_once.where(0)
    assert writer.family != "word2vec-binary" or isinstance(found.rows, LazyRows)
