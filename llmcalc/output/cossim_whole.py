"""Groups, matrices and summaries of a set of rows -> what is written.

numpy is loaded by what these results are made of.
"""

from collections.abc import Iterator, Sequence
from typing import Any

from llmcalc.core.similarity.groups import Group
from llmcalc.output.cossim import Context, Names, Sides, plain_rows, shown_score
from llmcalc.output.report import Report


def summary_report(names: Names, context: Context) -> Report:
    """Return the report of a set whose pairs were too many to look for unasked."""
    possible = names.n * (names.n - 1) // 2
    warnings = [
        *context.warnings,
        f"{names.n:,} rows have {possible:,} pairs; --pairs looks for the best of them",
    ]
    fields = {"n": names.n} | context.fields()

    def view(canvas: Any) -> Any:
        from llmcalc.output.cossim_set_view import draw_summary

        return draw_summary(canvas, context)

    return Report(fields, "summary", view, warnings=warnings)


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
        from llmcalc.output.cossim_set_view import draw_groups

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
        from llmcalc.output.cossim_set_view import draw_matrix

        return draw_matrix(canvas, matrix, sides, file, context)

    headline = "output" if file is not None else "matrix"
    return Report(
        fields | context.fields(), headline, view,
        rows if file is None else None, context.warnings,
    )  # fmt: skip


def _distinct(names: Iterator[str]) -> Iterator[str]:
    """Yield column names, each once: a label that comes again gets its place."""
    seen: set[str] = {"row"}
    for place, name in enumerate(names):
        unique = name if name not in seen else f"{name} ({place})"
        seen.add(unique)
        yield unique
