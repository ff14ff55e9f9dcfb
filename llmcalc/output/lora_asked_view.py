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

# Columns that a set needs beside others, for what it trains to stay in one line.
_SET = 16


def draw_budget(
    canvas: Canvas, budget: Budget, main: Estimate, above: Estimate
) -> RenderableType:
    """Return the largest rank within a budget beside the one above."""
    spent, over = _spent(budget, main), _spent(budget, above)
    one = above.rank == main.rank + 1
    step = f"{above.trainable - main.trainable:,} parameters more"
    rows: list[tuple[str, Any, str]] = [
        (f"largest rank within {budget.text}", main.rank, spent),
        ("one rank more" if one else "next rank", above.rank, over),
        ("which costs", step, ""),
    ]
    return facts(canvas, rows)


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
) -> Iterator[RenderableType]:
    """Yield sets of options as columns, or one below the other on a narrow screen."""
    most = max(e.trainable for _, e in sets)
    each = canvas.width // (len(sets) + 1)
    if each < _SET:
        for options, e in sets:
            yield facts(canvas, [(n, v, "") for n, v in _compared(e)], options)
            yield bar(canvas, e.trainable / most, canvas.width - 1)
        return
    columns = [("", "left"), *((options, "right") for options, _ in sets)]
    figures = zip(*(_compared(e) for _, e in sets), strict=True)
    rows: list[list[Any]] = [
        [same[0][0], *(value for _, value in same)] for same in figures
    ]
    shares = [bar(canvas, e.trainable / most, min(16, each - 4)) for _, e in sets]
    yield grid(canvas, columns, [*rows, ["", *shares]])


def _compared(e: Estimate) -> list[tuple[str, Any]]:
    return [
        ("rank", e.rank),
        ("scaling", e.scaling),
        ("modules", sum(m.copies for m in e.modules)),
        ("trains", e.trainable),
        ("ratio", percent_text(e.ratio)),
        ("of the model", percent_text(e.percent / 100)),
        ("adapter", bytes_text(cost_of(e).file_bytes)),
        ("memory", bytes_text(e.memory.total, binary=True)),
    ]
