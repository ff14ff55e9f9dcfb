"""Pairs, neighbours, groups and matrices of rows -> what is written.

numpy is loaded by what these results are made of.
"""

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from llmcalc.core.similarity.groups import Group
from llmcalc.core.similarity.nearest import Nearest
from llmcalc.core.similarity.pairs import Pairs
from llmcalc.output.cossim import (
    Context,
    Names,
    plain_rows,
    score_name,
    shown_score,
)
from llmcalc.output.report import Report


class Sides(NamedTuple):
    """The names of the rows on the left and on the right of a pair."""

    left: Names
    right: Names


def pairs_report(
    pairs: Pairs, sides: Sides, threshold: float | None, context: Context
) -> Report:
    """Return the report of best pairs; with a threshold, how many reach it."""
    fields: dict[str, Any] = {
        "n": sides.left.n,
        "labels": sides.left.listed(),
        "pairs": list(_pair_rows(pairs, sides, context.metric)),
        "n_possible": pairs.possible,
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

        return draw_pairs(canvas, fields, context)

    def rows() -> Iterator[dict[str, Any]]:
        return iter(fields["pairs"])

    return Report(
        fields | context.fields(), "pairs", view, rows, warnings,
        lambda precision: plain_rows(rows(), precision),
    )  # fmt: skip


def summary_report(names: Names, context: Context) -> Report:
    """Return the report of a set whose pairs were too many to look for unasked."""
    possible = names.n * (names.n - 1) // 2
    warnings = [
        *context.warnings,
        f"{names.n:,} rows have {possible:,} pairs; --pairs looks for the best of them",
    ]
    fields = {"n": names.n} | context.fields()

    def view(canvas: Any) -> Any:
        from llmcalc.output.cossim_view import draw_summary

        return draw_summary(canvas, context)

    return Report(fields, "summary", view, warnings=warnings)


def nearest_report(found: Nearest, sides: Sides, context: Context) -> Report:
    """Return the report of the nearest rows of each query."""
    key = score_name(context.metric)
    lists = [
        [
            {
                "index": index,
                "label": None if sides.right.labels is None else sides.right.of(index),
                key: shown_score(context.metric, score),
            }
            for index, score in zip(indices, scores, strict=True)
            if index >= 0
        ]
        for indices, scores in zip(
            found.indices.tolist(), found.scores.tolist(), strict=True
        )
    ]
    fields = {"n": sides.right.n, "n_queries": sides.left.n, "nearest": lists}

    def rows() -> Iterator[dict[str, Any]]:
        for query, neighbours in enumerate(lists):
            for neighbour in neighbours:
                yield {"query": sides.left.of(query), **neighbour}

    def plain(precision: int | None) -> Iterator[str]:
        pairs = (
            (row["query"], sides.right.of(row["index"]), row[key]) for row in rows()
        )
        named = ({"left": a, "right": b, key: score} for a, b, score in pairs)
        return plain_rows(named, precision)

    def view(canvas: Any) -> Any:
        from llmcalc.output.cossim_view import draw_nearest

        return draw_nearest(canvas, lists, sides, context)

    return Report(
        fields | context.fields(), "nearest", view, rows, context.warnings, plain
    )


def groups_report(
    groups: Sequence[Group], names: Names, threshold: float, context: Context
) -> Report:
    """Return the report of groups of rows and of the lowest score in each."""
    lowest = [shown_score(context.metric, group.lowest) for group in groups]
    members = [[names.of(index) for index in group.members] for group in groups]
    fields = {
        "n": names.n,
        "labels": names.listed(),
        "threshold": threshold,
        "groups": members,
        "lowest": lowest,
        "n_grouped": sum(map(len, members)),
    }

    def rows() -> Iterator[dict[str, Any]]:
        for number, (group, low) in enumerate(zip(groups, lowest, strict=True)):
            for index in group.members:
                row = {"group": number, "index": index, "label": names.of(index)}
                yield row | {"lowest": low}

    def plain(precision: int | None) -> Iterator[str]:
        lines = ({str(i): name for i, name in enumerate(row)} for row in members)
        for line in lines:
            yield from plain_rows([line], precision)

    def view(canvas: Any) -> Any:
        from llmcalc.output.cossim_view import draw_groups

        return draw_groups(canvas, fields, context)

    return Report(
        fields | context.fields(), "groups", view, rows, context.warnings, plain
    )


def matrix_report(
    matrix: Any, sides: Sides, file: str | None, context: Context
) -> Report:
    """Return the report of a matrix, of shape (m, n), or of the file it is in."""
    fields: dict[str, Any] = {
        "n": sides.left.n,
        "labels": sides.right.listed(),
        "shape": list(matrix.shape),
    }
    fields |= {"output": file} if file is not None else {"matrix": matrix}

    def rows() -> Iterator[dict[str, Any]]:
        for index in range(len(matrix)):
            names = (str(sides.right.of(column)) for column in range(sides.right.n))
            row = dict(zip(_distinct(names), matrix[index].tolist(), strict=True))
            yield {"row": sides.left.of(index), **row}

    def view(canvas: Any) -> Any:
        from llmcalc.output.cossim_view import draw_matrix

        return draw_matrix(canvas, matrix, sides, file, context)

    headline = "output" if file is not None else "matrix"
    return Report(
        fields | context.fields(), headline, view,
        rows if file is None else None, context.warnings,
    )  # fmt: skip


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


def _distinct(names: Iterator[str]) -> Iterator[str]:
    """Yield column names, each once: a label that comes again gets its place."""
    seen: set[str] = {"row"}
    for place, name in enumerate(names):
        unique = name if name not in seen else f"{name} ({place})"
        seen.add(unique)
        yield unique
