"""What `lora` draws of a budget, a sweep, sets side by side.

Imported only for tables and pictures, so rich may load at the top.
"""

from collections.abc import Iterator, Sequence
from typing import Any

from rich.console import RenderableType
from rich.text import Text

from llmcalc.core.lora.budget import Budget, cost_of
from llmcalc.core.lora.estimate import Estimate
from llmcalc.output.canvas import Canvas, facts, grid
from llmcalc.output.charts import bar, curve
from llmcalc.output.lora_text import NARROW, bytes_text, percent_text


def draw_budget(
    canvas: Canvas, budget: Budget, main: Estimate, above: Estimate
) -> RenderableType:
    """Return the largest rank within a budget beside the one above."""
    spent, over = _spent(budget, main), _spent(budget, above)
    one = above.rank == main.rank + 1
    step = f"{above.trainable - main.trainable:,} parameters more"
    return facts(
        canvas,
        [
            (f"largest rank within {budget.text}", main.rank, spent),
            ("one rank more" if one else "next rank", above.rank, over),
            ("which costs", step, ""),
        ],
    )


def _spent(budget: Budget, e: Estimate) -> str:
    cost = cost_of(e)
    return {
        "parameters": f"{cost.trainable:,} parameters",
        "percent": f"{e.percent:.6g} %",
        "file": f"{cost.file_bytes:,} bytes of "
        + ("adapter file" if e.file_bytes is not None else "adapter weights"),
        "memory": f"{bytes_text(cost.memory_bytes, binary=True)} of memory",
    }[budget.kind]


def draw_sweep(canvas: Canvas, sweep: Sequence[Estimate]) -> Iterator[RenderableType]:
    """Yield a row for each rank with a bar, and the curve of three or more."""
    most = max(e.trainable for e in sweep)
    wide = canvas.width >= NARROW
    columns = [("rank", "right"), ("trains", "right"), ("ratio", "right")]
    columns += [("scaling", "right"), ("file", "right")] if wide else []
    columns += [("memory", "right")] if wide else []
    columns.append(("", "left"))
    rows = []
    for e in sweep:
        size = e.adapter_bytes if e.file_bytes is None else e.file_bytes
        memory = bytes_text(e.memory.total, binary=True)
        more = [e.scaling, bytes_text(size), memory] if wide else []
        share = bar(canvas, e.trainable / most, canvas.share(16, 8))
        rows.append([e.rank, e.trainable, percent_text(e.ratio), *more, share])
    yield grid(canvas, columns, rows)
    if len(sweep) > 2:
        yield Text("ratio in percent, over the ranks above", style="dim")
        yield curve(canvas, [100 * e.ratio for e in sweep])


def draw_compare(
    canvas: Canvas, sets: Sequence[tuple[str, Estimate]]
) -> RenderableType:
    """Return sets of options as columns, what they cost as rows."""
    columns = [("", "left")]
    columns += [(options, "right") for options, _ in sets]
    figures: list[tuple[str, list[Any]]] = [
        ("rank", [e.rank for _, e in sets]),
        ("scaling", [e.scaling for _, e in sets]),
        ("modules", [sum(m.copies for m in e.modules) for _, e in sets]),
        ("trains", [e.trainable for _, e in sets]),
        ("ratio", [percent_text(e.ratio) for _, e in sets]),
        ("of the model", [percent_text(e.percent / 100) for _, e in sets]),
        ("adapter", [bytes_text(cost_of(e).file_bytes) for _, e in sets]),
        ("memory", [bytes_text(e.memory.total, binary=True) for _, e in sets]),
    ]
    most = max(e.trainable for _, e in sets)
    width = max(6, canvas.width // (len(sets) + 1) - 4)
    bars = [bar(canvas, e.trainable / most, min(16, width)) for _, e in sets]
    return grid(canvas, columns, [*([n, *v] for n, v in figures), ["", *bars]])
