"""What a person sees of many softmax rows: the first ones, then how they spread.

Imported only for tables and pictures, so rich may load at the top.
"""

import math
from collections.abc import Iterator, Sequence
from typing import Any

from rich.console import RenderableType
from rich.text import Text

from llmcalc.core.filters import option_name
from llmcalc.output.canvas import Canvas, facts, grid
from llmcalc.output.charts import curve
from llmcalc.output.softmax_fields import Shown
from llmcalc.output.softmax_summary import Summary
from llmcalc.output.softmax_tables import (
    SWEEP_COLUMNS,
    Line,
    Share,
    fitted,
    fitted_grid,
)
from llmcalc.output.softmax_view import visible

# Columns of 80 that the bar of a row takes where there is room.
_ROW_BAR = 14


def view_rows(
    summary: Summary, shown: Shown, canvas: Canvas
) -> Iterator[RenderableType]:
    """Yield the renderables of many rows."""
    canvas = fitted(canvas)
    count = len(summary.n)
    if summary.orders:
        yield _orders(summary, canvas)
        yield Text("means over the rows", "dim")
    elif summary.sweep:
        yield from _sweep(summary, canvas)
        yield Text("means over the rows", "dim")
    else:
        yield _first_rows(summary, shown, canvas)
        if count > shown.show:
            yield Text(f"{count - shown.show:,} more rows", "dim")
        yield _spread(summary, canvas)
    temperatures = sorted(set(summary.temperature))
    yield facts(
        canvas,
        [
            ("rows", count, ""),
            ("n", max(summary.n), "tokens" if len(set(summary.n)) == 1 else "at most"),
            ("temperature T", temperatures[0], "" if len(temperatures) == 1 else "up"),
            ("order", Text(shown.settings.order), ""),
        ],
    )


def _first_rows(summary: Summary, shown: Shown, canvas: Canvas) -> RenderableType:
    columns = [
        ("row", "right", 0), ("best", "left", 0), ("top1", "right", 0),
        ("", "left", 9), ("H nats", "right", 3), ("exp(H)", "right", 2),
    ]  # fmt: skip
    solved = shown.settings.target is not None
    columns += [("T", "right", 0)] if solved else []
    columns += [("kept", "right", 0)] if summary.kept else []
    columns += [("listed", "right", 0)] if shown.listed_mass is not None else []
    if summary.kl:
        columns += [("KL nats", "right", 0), ("reverse", "right", 8)]
    figures = summary.figures
    lines = []
    for number in range(min(len(summary.n), shown.show)):
        greedy, top1 = figures["greedy"][number], figures["top1"][number]
        labels = shown.row_labels(number)
        best = str(greedy) if labels is None else visible(labels[greedy])
        cells: list[Any] = [number, best, top1, Share(top1)]
        cells += [figures[key][number] for key in ("entropy_nats", "effective_choices")]
        cells += [summary.temperature[number]] if solved else []
        cells += [summary.kept[number]] if summary.kept else []
        cells += [] if shown.listed_mass is None else [shown.listed_mass[number]]
        cells += summary.kl[number] if summary.kl else []
        lines.append(Line(cells))
    return fitted_grid(canvas, columns, lines, _ROW_BAR)


def _spread(summary: Summary, canvas: Canvas) -> RenderableType:
    """Return the mean, the extremes and the median of each figure over the rows."""
    columns = [("rows", "left")]
    columns += [(name, "right") for name in ("mean", "least", "median", "most")]
    names = {"top1": "top1", "H nats": "entropy_nats", "exp(H)": "effective_choices"}
    rows = [[title, *_figures(summary.figures[key])] for title, key in names.items()]
    if summary.kept:
        rows.append(["kept", *_figures(summary.kept)])
    return grid(canvas, columns, rows)


def _figures(values: Sequence[float]) -> list[float]:
    ordered = sorted(values)
    middle = len(ordered) // 2
    median = (ordered[middle] + ordered[-middle - 1]) / 2
    return [math.fsum(values) / len(values), ordered[0], float(median), ordered[-1]]


def _sweep(summary: Summary, canvas: Canvas) -> Iterator[RenderableType]:
    lines = []
    choices: list[float] = []
    for points in zip(*summary.sweep, strict=True):
        means = [
            math.fsum(column) / len(points) for column in zip(*points, strict=True)
        ]
        choices.append(means[3])
        share = Share(means[3] / max(summary.n))
        lines.append(Line([points[0].temperature, *means[1:], share]))
    yield fitted_grid(canvas, SWEEP_COLUMNS, lines)
    if len(choices) > 1:
        yield Text("mean exp(H) over the temperatures", "dim")
        yield curve(canvas, choices)


def _orders(summary: Summary, canvas: Canvas) -> RenderableType:
    columns = [("order", "left"), ("kept", "right"), ("top1", "right")]
    columns += [("exp(H)", "right")]
    rows: list[list[Any]] = []
    for points in zip(*summary.orders, strict=True):
        if "missing" in points[0]:
            lacking = ", ".join(map(option_name, points[0]["missing"]))
            rows.append([points[0]["order"], Text(f"has no {lacking}", "dim"), "", ""])
            continue
        count = len(points)
        rows.append(
            [
                points[0]["order"],
                math.fsum(point["kept"] for point in points) / count,
                math.fsum(point["top1"] for point in points) / count,
                math.fsum(point["effective_choices"] for point in points) / count,
            ]
        )
    return grid(canvas, columns, rows)
