"""What `cossim` draws of a whole set: groups, a heat map, its background.

Imported only for tables and pictures, so rich may load at the top.
"""

import math
from collections.abc import Iterator, Mapping
from typing import Any

from rich.console import RenderableType
from rich.text import Text

from llmcalc.output.canvas import Canvas, facts
from llmcalc.output.charts import histogram
from llmcalc.output.cossim import SHOWN, Context, Sides
from llmcalc.output.heat import Scale, heat

_HEAT_ROWS = 40
# A label that can head a column, folded once or twice.
_SHORT = 12


def draw_groups(
    canvas: Canvas, fields: Mapping[str, Any], context: Context
) -> Iterator[RenderableType]:
    """Yield each group with the lowest score inside it."""
    groups, lowest = fields["groups"], fields["lowest"]
    threshold = canvas.number(fields["threshold"])
    if not groups:
        yield Text(f"no two of {fields['n']:,} rows reach {threshold}")
    for members, low in list(zip(groups, lowest, strict=True))[:SHOWN]:
        title = f"{len(members):,} rows, lowest {canvas.number(low)}"
        yield Text(title, style="bold")
        for name in members[:SHOWN]:
            yield Text(f"  {name}")
        if len(members) > SHOWN:
            yield Text(f"  and {len(members) - SHOWN:,} more", style="dim")
    if len(groups) > SHOWN:
        yield Text(f"{len(groups) - SHOWN:,} more groups", style="dim")
    if groups:
        grouped = f"{fields['n_grouped']:,} of {fields['n']:,} rows"
        yield Text(
            f"{grouped} in {len(groups):,} groups linked at {threshold}", style="dim"
        )
    yield from draw_background(canvas, context)


def draw_matrix(
    canvas: Canvas, matrix: Any, sides: Sides, file: str | None, context: Context
) -> Iterator[RenderableType]:
    """Yield the part of a matrix that fits as a heat map."""
    part = matrix[:_HEAT_ROWS, :_HEAT_ROWS].tolist()
    values = [
        value
        for i, row in enumerate(part)
        for j, value in enumerate(row)
        if not math.isnan(value) and (i != j or sides.left is not sides.right)
    ]
    low, high = min(values, default=0.0), max(values, default=1.0)
    most = max(abs(low), abs(high))
    # Five characters of a cell: -9.99, -99.9, -9999.
    scale = Scale(low, high, 2 if most < 10 else 1 if most < 100 else 0)
    left, right = (
        [str(names.of(i)) for i in range(min(names.n, _HEAT_ROWS))] for names in sides
    )
    if max(map(len, right)) <= _SHORT:
        yield heat(canvas, part, scale, (left, right))
    else:
        # Texts are no headers of narrow columns: their indices are, named below.
        numbers = [str(i) for i in range(len(right))]
        if sides.left is sides.right:
            left = [f"{i} {name}" for i, name in enumerate(left)]
        yield heat(canvas, part, scale, (left, numbers))
        if sides.left is not sides.right:
            named = "\n".join(f"{i} {name}" for i, name in enumerate(right))
            yield Text(f"columns:\n{named}")
    rows, columns = matrix.shape
    if max(rows, columns) > _HEAT_ROWS:
        yield Text(f"the first {len(part)} rows of {rows:,} x {columns:,}", "dim")
    if file is not None:
        yield Text(f"{rows:,} x {columns:,} values are in {file}")
    yield from draw_background(canvas, context)


def draw_summary(canvas: Canvas, context: Context) -> Iterator[RenderableType]:
    """Yield what a set is like as a whole."""
    summary = context.summary
    if summary is None:
        return
    yield facts(
        canvas,
        [
            ("rows", summary.n, f"of {summary.dim:,} components"),
            ("mean similarity", summary.mean_similarity, "of all pairs"),
            ("anisotropy", summary.anisotropy, "length of the mean unit vector"),
            ("duplicates", summary.duplicates, "rows equal to an earlier one"),
            ("zero rows", summary.zero_rows, ""),
            ("not unit", summary.not_unit, "rows of another length than 1"),
            ("shortest", summary.min_norm, "length"),
            ("longest", summary.max_norm, "length"),
        ],
    )
    back = context.background
    if back is not None and back.pairs:
        yield histogram(canvas, back.edges, back.counts, "similarity")


def draw_background(canvas: Canvas, context: Context) -> Iterator[RenderableType]:
    """Yield what a similarity of the set is to be held against."""
    back = context.background
    if context.summary is not None:
        yield from draw_summary(canvas, context)
    if back is not None and back.pairs:
        low, mid, high = (f"{back.quantile(share):.3g}" for share in (0.05, 0.5, 0.95))
        yield Text(
            f"cosines of {back.pairs:,} pairs: 5% below {low}, half below {mid}, "
            f"95% below {high}",
            style="dim",
        )
