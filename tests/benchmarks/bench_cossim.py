"""Searches beside faiss, scikit-learn, sentence-transformers and plain numpy.

    python tests/benchmarks/bench_cossim.py [-n 5] [--only nearest]

Needs threadpoolctl and the peers that it names; those that are missing are left out.
Each peer takes its turn after each of ours in the same run; medians and their ratios
are printed, and the ratio that is wanted. Give the machine nothing else to do.
"""

import argparse
import os
import statistics
import time
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from threadpoolctl import threadpool_limits

from llmcalc.core.similarity.blocks import Search
from llmcalc.core.similarity.nearest import nearest
from llmcalc.core.similarity.pairs import Wanted, best_pairs
from llmcalc.core.similarity.rows import rows_of

RNG = np.random.default_rng(0)
Work = Callable[[], Any]
Race = tuple[str, Work, str, Work, float]


def unit(rows: int, dim: int = 384) -> np.ndarray[Any, np.dtype[np.float32]]:
    drawn = RNG.standard_normal((rows, dim), dtype=np.float32)
    return drawn / np.linalg.norm(drawn, axis=1)[:, None]


def nearest_races() -> Iterator[Race]:
    corpus, queries = unit(100_000), unit(1000)
    ours = lambda: nearest(rows_of(queries), rows_of(corpus), 10, Search())  # noqa: E731
    name = "top-10 of 1000 queries in 100 000 x 384"
    try:
        import faiss

        inner = faiss.METRIC_INNER_PRODUCT
        yield (
            name,
            ours,
            "faiss knn",
            lambda: faiss.knn(queries, corpus, 10, metric=inner),
            1.5,
        )
    except ImportError:
        pass
    try:
        from sklearn.metrics.pairwise import cosine_similarity

        yield (
            name,
            ours,
            "sklearn + argsort",
            lambda: np.argsort(-cosine_similarity(queries, corpus), axis=1)[:, :10],
            1 / 8,
        )
    except ImportError:
        pass


def query_races() -> Iterator[Race]:
    corpus, query = unit(1_000_000), unit(1)
    for dtype in (np.float32, np.float16):
        stored = corpus.astype(dtype)
        name = f"one query in 1 000 000 x 384 {np.dtype(dtype).name}"
        rows = rows_of(stored)
        ours = lambda rows=rows: nearest(rows_of(query), rows, 10, Search())  # noqa: E731
        # Reading every byte once is the floor.
        words = stored.view(np.uint64)
        yield name, ours, "reading it (max)", lambda words=words: words.max(), 2.0
        yield (
            name,
            ours,
            "numpy",
            lambda stored=stored: np.argpartition(
                -(stored.astype(np.float32) @ query[0]), 10
            )[:10],
            1.0,
        )
        del stored, words


def pair_races() -> Iterator[Race]:
    rows = unit(20_000)
    ours = lambda: best_pairs(rows_of(rows), None, Wanted(20), Search())  # noqa: E731
    name = "best pairs of 20 000 x 384"
    try:
        import torch
        from sentence_transformers.util import paraphrase_mining_embeddings

        given = torch.from_numpy(rows)
        yield (
            name,
            ours,
            "paraphrase_mining",
            lambda: paraphrase_mining_embeddings(given, max_pairs=20),
            1.2,
        )
    except ImportError:
        pass


RACES = {"nearest": nearest_races, "query": query_races, "pairs": pair_races}


def seconds(work: Work, blas_threads: int) -> float:
    """Time a run; our command has one BLAS thread in each thread, peers have all."""
    with threadpool_limits(blas_threads, "blas"):
        start = time.perf_counter()
        work()
        return time.perf_counter() - start


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("-n", type=int, default=5)
    parser.add_argument("--only", choices=RACES, default=None)
    options = parser.parse_args()
    for name, races in RACES.items():
        if options.only not in (None, name):
            continue
        for what, ours, peer, theirs, wanted in races():
            cores = os.cpu_count() or 1
            times = [
                (seconds(ours, 1), seconds(theirs, cores)) for _ in range(options.n)
            ]
            us, them = (
                statistics.median(column) for column in zip(*times, strict=True)
            )
            print(
                f"{what}: llmcalc {us:.3f} s, {peer} {them:.3f} s, "
                f"ratio {us / them:.2f} (wanted: at most {wanted:.2f})",
                flush=True,
            )


if __name__ == "__main__":
    main()
