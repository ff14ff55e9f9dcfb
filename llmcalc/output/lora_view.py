"""What `lora` draws: figures, modules, memory, a sweep, sets side by side.

Imported only for tables and pictures, so rich may load at the top.
"""

from collections.abc import Iterator, Sequence
from typing import Any

from rich.console import RenderableType
from rich.text import Text

from llmcalc.core.lora.budget import Budget, cost_of
from llmcalc.core.lora.estimate import Answer, Estimate
from llmcalc.core.lora.memory import NOT_INCLUDED, Memory
from llmcalc.output.canvas import Canvas, facts, grid
from llmcalc.output.charts import bar, curve
from llmcalc.output.lora_text import bytes_text, percent_text

# Below this width a table keeps only the columns that answer the question.
NARROW = 64
# From this width on there is room for what one may want to know too.
WIDE = 100


def draw_answer(answer: Answer, canvas: Canvas) -> Iterator[RenderableType]:
    """Yield the parts of the picture, from the figure asked for to its details."""
    main = answer.main
    if answer.budget and main and answer.above:
        yield _budget(canvas, answer.budget, main, answer.above)
    if main and not answer.compare:
        yield _figures(canvas, main)
        yield from _remarks(main)
        if main.model is not None or len(main.modules) > 1:
            yield _modules(canvas, main)
        yield from _memory(canvas, main.memory)
    if answer.sweep:
        yield from _sweep(canvas, answer.sweep)
    if answer.compare:
        yield _compare(canvas, answer.compare)


def _figures(canvas: Canvas, e: Estimate) -> RenderableType:
    rows: list[tuple[str, Any, str]] = [("rank", e.rank, "")]
    rows.append(("scaling", e.scaling, _scaling_text(canvas, e)))
    only = e.modules[0] if e.model is None and len(e.modules) == 1 else None
    if only:
        times = "" if only.copies == 1 else f"{only.copies:,} of them"
        rows.append(("matrix", f"{only.d_in:,} x {only.d_out:,}", times))
    rows.append(("full matrices", e.full_params, "" if e.model is None else "adapted"))
    rows.append(("LoRA parameters", e.lora_params, ""))
    square = only and only.d_in == only.d_out and e.lora_params == _plain(e)
    formula = " = 2 r / d" if square else ""
    rows.append(("ratio", e.ratio, percent_text(e.ratio) + formula))
    if e.break_even_rank is not None:
        rows.append(("break-even rank", e.break_even_rank, "as many as the full"))
    if e.model is not None:
        from llmcalc.output.lora_model import model_figures

        rows += model_figures(e)
    rows.append(("adapter weights", e.adapter_bytes, bytes_text(e.adapter_bytes)))
    if e.file_bytes is not None:
        rows.append(("adapter file", e.file_bytes, bytes_text(e.file_bytes)))
    return facts(canvas, rows)


def _remarks(e: Estimate) -> Iterator[RenderableType]:
    lines = []
    if e.assumed:
        lines.append("assumed: " + "; ".join(e.assumed))
    if e.model is not None:
        from llmcalc.output.lora_model import peft_line

        lines.append(peft_line(e))
    if lines:
        yield Text("\n".join(lines), style="dim")


def _plain(e: Estimate) -> int:
    """Return r (d_in + d_out) over all copies: LoRA without magnitudes."""
    return sum(m.copies * m.rank * (m.d_in + m.d_out) for m in e.modules)


def _scaling_text(canvas: Canvas, e: Estimate) -> str:
    alpha = canvas.number(e.alpha)
    rule = f"{alpha} / sqrt({e.rank:,})" if e.rslora else f"{alpha} / {e.rank:,}"
    if canvas.width < NARROW:
        return rule
    return f"{'alpha / sqrt(r)' if e.rslora else 'alpha / r'} = {rule}"


def _modules(canvas: Canvas, e: Estimate) -> RenderableType:
    most = max(module.copies * module.lora_params for module in e.modules)
    wide = canvas.width >= NARROW
    columns = [("module", "left"), ("count", "right")]
    layers = canvas.width >= WIDE and any(m.layers for m in e.modules)
    if layers:
        columns.append(("layers", "right"))
    if wide:
        columns += [("d_in", "right"), ("d_out", "right"), ("rank", "right")]
        columns += [("scaling", "right"), ("each", "right")]
    columns += [("trains", "right"), ("", "left")]
    rows = []
    for m in e.modules:
        trains = m.copies * m.lora_params
        numbers = [m.layers] if layers else []
        middle = [m.d_in, m.d_out, m.rank, m.scaling, m.lora_params] if wide else []
        share = bar(canvas, trains / most, canvas.share(12, 6))
        rows.append([m.name, m.copies, *numbers, *middle, trains, share])
    return grid(canvas, columns, rows)


def _memory(canvas: Canvas, memory: Memory) -> Iterator[RenderableType]:
    total = memory.total
    wide = canvas.width >= NARROW
    columns = [("memory", "left"), *([("bytes", "right")] if wide else [])]
    columns += [("", "right"), ("", "left"), ("", "left")]
    columns += [("formula", "left")] if wide else []
    rows: list[list[Any]] = []
    for item in memory.items:
        size = bytes_text(item.bytes, binary=True)
        share = bar(canvas, item.bytes / total, canvas.share(16, 6), "green")
        known = "exact" if item.exact else "estimate"
        exactly = [item.bytes] if wide else []
        formula = [item.formula] if wide else []
        rows.append([item.item, *exactly, size, share, known, *formula])
    exactly = [total] if wide else []
    size = bytes_text(total, binary=True)
    rows.append(["total", *exactly, size, *([""] * (3 if wide else 2))])
    yield grid(canvas, columns, rows)
    lines = ["not in it: " + "; ".join(NOT_INCLUDED)]
    if memory.upcast:
        added = bytes_text(memory.upcast, binary=True)
        lines.append(f"prepare_model_for_kbit_training adds {added} (16 to 32 bits)")
    yield Text("\n".join(lines), style="dim")


def _budget(
    canvas: Canvas, budget: Budget, main: Estimate, above: Estimate
) -> RenderableType:
    spent, over = _spent(budget, main), _spent(budget, above)
    step = f"{above.trainable - main.trainable:,} parameters more"
    return facts(
        canvas,
        [
            (f"largest rank within {budget.text}", main.rank, spent),
            ("one rank more", above.rank, over),
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


def _sweep(canvas: Canvas, sweep: Sequence[Estimate]) -> Iterator[RenderableType]:
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


def _compare(canvas: Canvas, sets: Sequence[tuple[str, Estimate]]) -> RenderableType:
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
