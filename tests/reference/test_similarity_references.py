"""Searches against scikit-learn, scipy, faiss and sentence-transformers.

Their figures are floating-point sums: ours are held to theirs within their error, and
where theirs are known to be wrong (range, integers) that is shown, too.
"""

import warnings
from pathlib import Path

import numpy as np
import pytest

from llmcalc.core.similarity.blocks import Search
from llmcalc.core.similarity.groups import groups
from llmcalc.core.similarity.matrix import similarity_matrix
from llmcalc.core.similarity.nearest import nearest
from llmcalc.core.similarity.pair import cosine_similarity
from llmcalc.core.similarity.pairs import Wanted, best_pairs
from llmcalc.core.similarity.rows import rows_of

pytestmark = [pytest.mark.reference, pytest.mark.filterwarnings("ignore")]
RNG = np.random.default_rng(11)
REAL = Path(__file__).parents[1] / "cases" / "cossim" / "real" / "embeddings.npy"
SETS = {
    "random": RNG.standard_normal((500, 64)).astype(np.float32),
    "biased": (RNG.standard_normal((400, 33)) + 2).astype(np.float64),
    "small integers": RNG.integers(-3, 4, (300, 16)).astype(np.float32) + 0.5,
    "near duplicates": np.repeat(RNG.standard_normal((50, 48)), 6, axis=0)
    + RNG.standard_normal((300, 48)) * 1e-3,
    "sentences": np.load(REAL),
}


def matrix(rows, metric="cosine"):  # type: ignore[no-untyped-def]
    out = np.empty((len(rows), len(rows)))
    similarity_matrix(rows_of(rows), None, out, Search(metric=metric))
    return out


@pytest.mark.parametrize("name", SETS)
def test_matrices_are_those_of_sklearn_and_scipy(name: str) -> None:
    pairwise = pytest.importorskip("sklearn.metrics.pairwise")
    distance = pytest.importorskip("scipy.spatial.distance")
    rows = SETS[name]
    wide = rows.astype(np.float64)
    assert matrix(rows) == pytest.approx(pairwise.cosine_similarity(wide), abs=4e-15)
    assert matrix(rows) == pytest.approx(
        1 - distance.cdist(wide, wide, "cosine"), abs=4e-15
    )
    apart = distance.cdist(wide, wide, "euclidean")
    assert matrix(rows, "euclidean") == pytest.approx(apart, rel=1e-14, abs=1e-14)
    assert matrix(rows, "dot") == pytest.approx(wide @ wide.T, rel=1e-12, abs=1e-11)


@pytest.mark.parametrize("name", SETS)
def test_neighbours_are_those_of_faiss(name: str) -> None:
    faiss = pytest.importorskip("faiss")
    rows = SETS[name]
    unit = np.ascontiguousarray(rows, dtype=np.float32)
    faiss.normalize_L2(unit)
    theirs = faiss.knn(unit[:40], unit, 10, metric=faiss.METRIC_INNER_PRODUCT)[0]
    ours = nearest(rows_of(rows[:40]), rows_of(rows), 10, Search()).scores
    assert ours == pytest.approx(theirs, abs=2e-6)


@pytest.mark.parametrize("name", SETS)
def test_best_pairs_are_those_of_paraphrase_mining(name: str) -> None:
    pytest.importorskip("sentence_transformers")
    torch = pytest.importorskip("torch")
    from sentence_transformers.util import paraphrase_mining_embeddings

    rows = SETS[name].astype(np.float32)
    theirs = paraphrase_mining_embeddings(torch.tensor(rows), max_pairs=200)[:50]
    ours = best_pairs(rows_of(rows), None, Wanted(50), Search())
    assert ours.scores[: len(theirs)] == pytest.approx(
        [score for score, _, _ in theirs], abs=2e-6
    )


def test_groups_are_those_of_single_linkage() -> None:
    hierarchy = pytest.importorskip("scipy.cluster.hierarchy")
    rows = SETS["near duplicates"]
    tree = hierarchy.linkage(rows, "single", metric="cosine")
    labels = hierarchy.fcluster(tree, 0.02, "distance")
    theirs = sorted(
        np.flatnonzero(labels == label).tolist() for label in np.unique(labels)
    )
    ours = groups(rows_of(rows), 0.98, Search())
    assert sorted(group.members for group in ours) == theirs


@pytest.mark.parametrize(
    ("u", "v"),
    [
        ([1e200, 2e200, 3e200], [3e200, 2e200, 1e200]),
        ([1e-200, 2e-200, 3e-200], [3e-200, 2e-200, 1e-200]),
        ([1e-9, 2e-9, 3e-9], [3e-9, 2e-9, 1e-9]),
    ],
)
def test_range_is_where_others_go_wrong_or_agree(
    u: list[float], v: list[float]
) -> None:
    ours = cosine_similarity(u, v).similarity
    assert ours == 5 / 7
    pairwise = pytest.importorskip("sklearn.metrics.pairwise")
    distance = pytest.importorskip("scipy.spatial.distance")
    for theirs in (
        pairwise.cosine_similarity([u], [v])[0, 0],
        1 - distance.cosine(u, v),
    ):
        assert theirs == pytest.approx(ours, abs=1e-15) or not 0.1 < theirs < 1


def test_self_similarity_is_one_where_others_are_near_it() -> None:
    pairwise = pytest.importorskip("sklearn.metrics.pairwise")
    rows = RNG.standard_normal((500, 384)).astype(np.float32)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        theirs = pairwise.cosine_similarity(rows).diagonal()
    assert (matrix(rows).diagonal() == 1).all()
    assert not (theirs == 1).all()
