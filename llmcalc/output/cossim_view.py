"""What `cossim` draws of vectors: a pair, pairs side by side, neighbours.

Imported only for tables and pictures, so rich may load at the top.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from rich.console import RenderableType
from rich.text import Text

from llmcalc.core.similarity.pair_metric import MetricPair
from llmcalc.output.canvas import Canvas, facts, grid
from llmcalc.output.charts import bar
from llmcalc.output.cossim import Context, Names, Sides, score_name
from llmcalc.output.cossim_set_view import draw_background

# Below this width labels stand under each other, not side by side.
_NARROW = 64
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
        rows.append(("", bar(canvas, cosine, width, _style(cosine)), ""))
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
    canvas: Canvas,
    pairs: Sequence[Mapping[str, Any]],
    fields: Mapping[str, Any],
    context: Context,
) -> Iterator[RenderableType]:
    """Yield the first pairs, their names side by side where there is room."""
    key = score_name(context.metric)
    yield _scored(
        canvas,
        key,
        [(pair[key], pair["left"], pair["right"]) for pair in pairs],
        ("left", "right"),
    )
    if "threshold" in fields:
        count = f"{fields['n_reached']:,} of {fields['n_possible']:,} pairs reach"
        yield Text(f"{count} {canvas.number(fields['threshold'])}", style="dim")
    if len(pairs) < fields["n_listed"]:
        listed = f"{len(pairs)} of {fields['n_listed']:,} shown"
        yield Text(f"{listed}; --format tsv lists all", "dim")
    yield from draw_background(canvas, context)


def draw_nearest(
    canvas: Canvas,
    lists: Sequence[Sequence[Mapping[str, Any]]],
    sides: Sides,
    context: Context,
) -> Iterator[RenderableType]:
    """Yield the neighbours of each query, with their percentile in the corpus."""
    key = score_name(context.metric)
    for query, neighbours in enumerate(lists):
        if sides.left.n > 1:
            yield Text(f"query {sides.left.of(query)}", style="bold")
        rows = [(row[key], sides.right.of(row["index"])) for row in neighbours]
        if not rows:
            yield Text("none", style="dim")
            continue
        yield _scored(canvas, key, rows, ("nearest",), _percentiles(context, rows))
    more = sides.left.n - len(lists)
    if more:
        yield Text(f"{more:,} more queries; --format tsv lists all", "dim")
    yield from draw_background(canvas, context)


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
            row.append(bar(canvas, score / whole, _BAR, _style(score)))
        if percentiles is not None:
            row.append(f"{percentiles[place]:.1f}")
        texts = [canvas.text(str(name)) for name in names]
        row += map(Text, texts) if wide else [Text("\n".join(texts))]
        cells.append(row)
    return grid(canvas, columns, cells)


def _percentiles(
    context: Context, rows: Sequence[tuple[Any, ...]]
) -> list[float] | None:
    back = context.background
    if back is None or not back.pairs or context.metric != "cosine":
        return None
    return [back.percentile(score) for score, *_ in rows]


def _style(score: float) -> str:
    return "cyan" if score >= 0 else "magenta"
