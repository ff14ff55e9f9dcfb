"""What `cossim` draws: a pair, pairs side by side, neighbours, groups, a heat map.

Imported only for tables and pictures, so rich may load at the top.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from rich.console import RenderableType
from rich.text import Text

from llmcalc.core.similarity.pair_metric import MetricPair
from llmcalc.output.canvas import Canvas, facts, grid
from llmcalc.output.charts import bar, histogram
from llmcalc.output.cossim import Context, Names, score_name
from llmcalc.output.cossim_sets import Sides
from llmcalc.output.heat import Scale, heat

# Below this width labels stand under each other, not side by side.
_NARROW = 64
# Rows of a table that a person still reads; formats other than table list all.
_SHOWN = 100
_QUERIES = 20
_HEAT_ROWS = 40
_BAR = 16


def draw_pair(
    canvas: Canvas, result: MetricPair, names: Names | None
) -> Iterator[RenderableType]:
    """Yield the figures of two vectors."""
    rows: list[tuple[str, Any, str]] = []
    if names is not None and names.labels is not None:
        rows += [("left", str(names.of(0)), ""), ("right", str(names.of(1)), "")]
    if result.metric in ("angular", "dot"):
        rows.append((result.metric, result.value, ""))
    figures = result.figures
    if figures is not None:
        cosine = figures.similarity
        width = canvas.share(_BAR, _BAR // 2)
        rows.append(("cosine", cosine, "similarity"))
        rows.append(("", bar(canvas, abs(cosine), width, _style(cosine)), ""))
        rows.append(("angle", figures.angle_deg, "degrees"))
        rows.append(("", figures.angle_rad, "radians"))
        rows.append(("distance", figures.distance, "1 - cosine"))
    if result.metric == "euclidean":
        rows.append(("euclidean", result.value, "|u - v|"))
    rows.append(("dot product", result.dot, ""))
    rows.append(("length of u", result.norms[0], ""))
    rows.append(("length of v", result.norms[1], ""))
    rows.append(("components", result.dim, ""))
    yield facts(canvas, rows)


def draw_pairs(
    canvas: Canvas, fields: Mapping[str, Any], context: Context
) -> Iterator[RenderableType]:
    """Yield pairs, their names side by side where there is room."""
    pairs = fields["pairs"]
    key = score_name(context.metric)
    yield _scored(
        canvas,
        key,
        [(pair[key], pair["left"], pair["right"]) for pair in pairs[:_SHOWN]],
        ("left", "right"),
    )
    if "threshold" in fields:
        count = f"{fields['n_reached']:,} of {fields['n_possible']:,} pairs reach"
        yield Text(f"{count} {canvas.number(fields['threshold'])}", style="dim")
    if len(pairs) > _SHOWN:
        yield Text(f"{_SHOWN} of {len(pairs):,} shown; --format tsv lists all", "dim")
    yield from _background(canvas, context)


def draw_nearest(
    canvas: Canvas,
    lists: Sequence[Sequence[Mapping[str, Any]]],
    sides: Sides,
    context: Context,
) -> Iterator[RenderableType]:
    """Yield the neighbours of each query, with their percentile in the corpus."""
    key = score_name(context.metric)
    for query, neighbours in enumerate(lists[:_QUERIES]):
        if len(lists) > 1:
            yield Text(f"query {sides.left.of(query)}", style="bold")
        rows = [(row[key], sides.right.of(row["index"])) for row in neighbours]
        if not rows:
            yield Text("none", style="dim")
            continue
        yield _scored(canvas, key, rows, ("nearest",), _percentiles(context, rows))
    if len(lists) > _QUERIES:
        more = len(lists) - _QUERIES
        yield Text(f"{more:,} more queries; --format tsv lists all", "dim")
    yield from _background(canvas, context)


def draw_groups(
    canvas: Canvas, fields: Mapping[str, Any], context: Context
) -> Iterator[RenderableType]:
    """Yield each group with the lowest score inside it."""
    groups, lowest = fields["groups"], fields["lowest"]
    threshold = canvas.number(fields["threshold"])
    if not groups:
        yield Text(f"no two of {fields['n']:,} rows reach {threshold}")
    for members, low in list(zip(groups, lowest, strict=True))[:_SHOWN]:
        title = f"{len(members):,} rows, lowest {canvas.number(low)}"
        yield Text(title, style="bold")
        for name in members[:_SHOWN]:
            yield Text(f"  {name}")
        if len(members) > _SHOWN:
            yield Text(f"  and {len(members) - _SHOWN:,} more", style="dim")
    if len(groups) > _SHOWN:
        yield Text(f"{len(groups) - _SHOWN:,} more groups", style="dim")
    if groups:
        grouped = f"{fields['n_grouped']:,} of {fields['n']:,} rows"
        yield Text(
            f"{grouped} in {len(groups):,} groups linked at {threshold}", style="dim"
        )
    yield from _background(canvas, context)


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
    scale = Scale(min(values, default=0.0), max(values, default=1.0))
    left, right = (
        [str(names.of(i)) for i in range(min(names.n, _HEAT_ROWS))] for names in sides
    )
    yield heat(canvas, part, scale, (left, right))
    rows, columns = matrix.shape
    if max(rows, columns) > _HEAT_ROWS:
        yield Text(f"the first {len(part)} rows of {rows:,} x {columns:,}", "dim")
    if file is not None:
        yield Text(f"{rows:,} x {columns:,} values are in {file}")
    yield from _background(canvas, context)


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


def _scored(
    canvas: Canvas,
    key: str,
    rows: Sequence[tuple[Any, ...]],
    heads: tuple[str, ...],
    percentiles: Sequence[float] | None = None,
) -> RenderableType:
    """Return scores with a bar each and the names beside or below each other."""
    most = max((abs(row[0]) for row in rows), default=1.0)
    # Cosines are shares of 1; dot products and distances of the largest.
    whole = max(most, 1.0) if key == "similarity" and most <= 1 else most or 1.0
    wide = canvas.width >= _NARROW
    columns = [(key, "right")] + ([("", "left")] if wide else [])
    columns += [("percentile", "right")] if percentiles is not None else []
    columns += [(head, "left") for head in (heads if wide else (" / ".join(heads),))]
    cells = []
    for place, (score, *names) in enumerate(rows):
        row: list[Any] = [canvas.number(score)]
        if wide:
            row.append(bar(canvas, abs(score) / whole, _BAR, _style(score)))
        if percentiles is not None:
            row.append(f"{percentiles[place]:.1f}")
        texts = [str(name) for name in names]
        row += texts if wide else ["\n".join(texts)]
        cells.append(row)
    return grid(canvas, columns, cells)


def _percentiles(
    context: Context, rows: Sequence[tuple[Any, ...]]
) -> list[float] | None:
    back = context.background
    if back is None or not back.pairs or context.metric != "cosine":
        return None
    return [back.percentile(score) for score, *_ in rows]


def _background(canvas: Canvas, context: Context) -> Iterator[RenderableType]:
    back = context.background
    if context.summary is not None:
        yield from draw_summary(canvas, context)
    if back is not None and back.pairs:
        low, mid, high = (
            canvas.number(back.quantile(share)) for share in (0.05, 0.5, 0.95)
        )
        yield Text(
            f"cosines of {back.pairs:,} pairs: 5% below {low}, half below {mid}, "
            f"95% below {high}",
            style="dim",
        )


def _style(score: float) -> str:
    return "cyan" if score >= 0 else "magenta"
