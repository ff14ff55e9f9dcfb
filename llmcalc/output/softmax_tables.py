"""A sweep of temperatures and the engines side by side, as tables.

Imported only for tables and pictures, so rich may load at the top.
"""

from collections.abc import Iterator, Sequence
from typing import Any

from rich.console import RenderableType
from rich.text import Text

from llmcalc.core.filters import option_name
from llmcalc.core.questions import Row
from llmcalc.output.canvas import Canvas, grid
from llmcalc.output.charts import bar, curve

# Columns of 80 that a bar takes.
_BAR = 30


def sweep_table(row: Row, canvas: Canvas) -> Iterator[RenderableType]:
    """Yield a line a temperature with a bar of exp(H) / n, and the curve."""
    n = row.softmax.n - len(row.masked)
    width = max(4, min(_BAR * canvas.width // 80, canvas.width - 46))
    columns = [
        ("T", "right"), ("top1", "right"), ("entropy nats", "right"),
        ("choices exp(H)", "right"), ("", "left"),
    ]  # fmt: skip
    yield grid(
        canvas,
        columns,
        (
            [*(canvas.number(value) for value in point),
             bar(canvas, point.effective_choices / n, width)]
            for point in row.sweep
        ),
    )  # fmt: skip
    if len(row.sweep) > 1:
        yield Text("effective choices over the temperatures", "dim")
        yield curve(canvas, [point.effective_choices for point in row.sweep])


def order_table(row: Row, canvas: Canvas) -> RenderableType:
    """Return the engines side by side: what they keep, best, effective choices."""
    n = row.softmax.n
    width = canvas.share(20, 6)
    rows: list[list[Any]] = []
    for point in row.orders:
        if point.missing:
            names = ", ".join(option_name(field) for field in point.missing)
            rows.append([point.order, Text(f"has no {names}", "dim"), "", "", "", ""])
            continue
        rows.append(
            [
                point.order,
                f"{len(point.kept):,} of {n:,}",
                canvas.number(point.top1),
                canvas.number(point.effective_choices),
                bar(canvas, len(point.kept) / n, width),
                ranges(point.kept),
            ]
        )
    columns = [
        ("order", "left"), ("kept", "right"), ("top1", "right"),
        ("choices exp(H)", "right"), ("", "left"), ("candidates", "left"),
    ]  # fmt: skip
    return grid(canvas, columns, rows)


def ranges(indices: Sequence[int], most: int = 8) -> str:
    """Return ascending indices as ranges, the later ones counted.

    >>> ranges([0, 1, 2, 5, 7, 8])
    '0-2, 5, 7-8'
    """
    found: list[list[int]] = []
    for index in indices:
        if found and index == found[-1][1] + 1:
            found[-1][1] = index
        else:
            found.append([index, index])
    words = [f"{a}" if a == b else f"{a}-{b}" for a, b in found[:most]]
    more = [f"{len(found) - most} more ranges"] if len(found) > most else []
    return ", ".join(words + more)
