"""What `lora` draws of an answer: its figures, modules and memory.

Imported only for tables and pictures, so rich may load at the top.
"""

from collections.abc import Iterator
from typing import Any

from rich.console import RenderableType
from rich.text import Text

from llmcalc.core.lora.estimate import Answer, Estimate
from llmcalc.core.lora.memory import NOT_INCLUDED, Memory
from llmcalc.output.canvas import Canvas, facts, grid
from llmcalc.output.charts import bar
from llmcalc.output.lora_asked_view import draw_budget, draw_compare, draw_sweep
from llmcalc.output.lora_modules_view import draw_modules
from llmcalc.output.lora_text import NARROW, bytes_text, percent_text, short_facts


def draw_answer(answer: Answer, canvas: Canvas) -> Iterator[RenderableType]:
    """Yield the parts of the picture, from the figure asked for to its details."""
    main = answer.main
    if answer.budget and main and answer.above:
        yield draw_budget(canvas, answer.budget, main, answer.above)
    if main and not answer.compare:
        yield _figures(canvas, main)
        yield from _remarks(main)
        if main.model is not None or len(main.modules) > 1:
            yield draw_modules(canvas, main)
        yield from _memory(canvas, main.memory)
    if answer.sweep:
        yield from draw_sweep(canvas, answer.sweep)
    if answer.compare:
        yield from draw_compare(canvas, answer.compare)


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
    return facts(canvas, short_facts(canvas.width, rows))


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


def _memory(canvas: Canvas, memory: Memory) -> Iterator[RenderableType]:
    total = memory.total
    wide = canvas.width >= NARROW
    columns = [("memory", "left"), *([("bytes", "right")] if wide else [])]
    columns += [("", "right"), ("", "left"), ("", "left")]
    columns += [("formula", "left")] if wide else []
    rows: list[list[Any]] = []
    for item in memory.items:
        size = bytes_text(item.bytes, binary=True)
        share = bar(canvas, item.bytes / total, canvas.share(12, 6), "green")
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
