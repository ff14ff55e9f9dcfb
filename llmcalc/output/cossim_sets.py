"""Pairs and neighbours of rows -> what is written.

numpy is loaded by what these results are made of.
"""

import itertools
from collections.abc import Iterator
from typing import Any

from llmcalc.core.similarity.nearest import Nearest
from llmcalc.core.similarity.pairs import Pairs
from llmcalc.output.cossim import (
    QUERIES,
    SHOWN,
    Context,
    Deferred,
    Names,
    Sides,
    plain_rows,
    score_name,
    shown_score,
)
from llmcalc.output.report import Report


def pairs_report(
    pairs: Pairs, sides: Sides, threshold: float | None, context: Context
) -> Report:
    """Return the report of best pairs; with a threshold, how many reach it."""

    def rows() -> Iterator[dict[str, Any]]:
        return _pair_rows(pairs, sides, context.metric)

    fields: dict[str, Any] = {
        "n": sides.left.n,
        "labels": sides.left.listed(),
        "pairs": Deferred(rows),
        "n_possible": pairs.possible,
        "n_listed": len(pairs.scores),
    }
    warnings = list(context.warnings)
    if threshold is not None:
        fields |= {"threshold": threshold, "n_reached": pairs.reached}
        if pairs.reached > len(pairs.scores):
            warnings.append(
                f"{pairs.reached:,} pairs reach {threshold:g}, the best "
                f"{len(pairs.scores):,} are listed; -k lists more"
            )

    def view(canvas: Any) -> Any:
        from llmcalc.output.cossim_view import draw_pairs

        return draw_pairs(
            canvas, list(itertools.islice(rows(), SHOWN)), fields, context
        )

    return Report(
        fields | context.fields(), "pairs", view, rows, warnings,
        lambda precision: plain_rows(rows(), precision),
    )  # fmt: skip


def nearest_report(found: Nearest, sides: Sides, context: Context) -> Report:
    """Return the report of the nearest rows of each query."""
    key = score_name(context.metric)

    def lists() -> Iterator[list[dict[str, Any]]]:
        for query in range(len(found.scores)):
            yield _neighbours(found, query, sides.right, context.metric)

    def rows() -> Iterator[dict[str, Any]]:
        for query, some in enumerate(lists()):
            for neighbour in some:
                yield {"query": sides.left.of(query), **neighbour}

    def plain(precision: int | None) -> Iterator[str]:
        pairs = (
            (row["query"], sides.right.of(row["index"]), row[key]) for row in rows()
        )
        named = ({"left": a, "right": b, key: score} for a, b, score in pairs)
        return plain_rows(named, precision)

    def view(canvas: Any) -> Any:
        from llmcalc.output.cossim_view import draw_nearest

        shown = list(itertools.islice(lists(), QUERIES))
        return draw_nearest(canvas, shown, sides, context)

    fields = {
        "n": sides.right.n,
        "n_queries": sides.left.n,
        "nearest": Deferred(lists),
    }
    return Report(
        fields | context.fields(), "nearest", view, rows, context.warnings, plain
    )


def _neighbours(
    found: Nearest, query: int, corpus: Names, metric: str
) -> list[dict[str, Any]]:
    key = score_name(metric)
    indices, scores = found.indices[query].tolist(), found.scores[query].tolist()
    return [
        {
            "index": index,
            "label": None if corpus.labels is None else corpus.of(index),
            key: shown_score(metric, score),
        }
        for index, score in zip(indices, scores, strict=True)
        if index >= 0
    ]


def _pair_rows(pairs: Pairs, sides: Sides, metric: str) -> Iterator[dict[str, Any]]:
    key = score_name(metric)
    for left, right, score in zip(
        pairs.left.tolist(), pairs.right.tolist(), pairs.scores.tolist(), strict=True
    ):
        yield {
            "left": sides.left.of(left),
            "right": sides.right.of(right),
            key: shown_score(metric, score),
        }
