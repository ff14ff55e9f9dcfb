"""What `lora` draws of a saved adapter.

Imported only for tables and pictures, so rich may load at the top.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from rich.console import RenderableType
from rich.text import Text

from llmcalc.core.lora.adapter_summary import AdapterSummary
from llmcalc.output.canvas import Canvas, facts, grid
from llmcalc.output.charts import sparkline
from llmcalc.output.lora_adapter import AdapterFacts
from llmcalc.output.lora_text import NARROW, WIDE, bytes_text, short_facts, tree


def draw_config(canvas: Canvas, fields: Mapping[str, Any]) -> Iterator[RenderableType]:
    """Yield the settings of a config whose tensors are not there."""
    yield facts(canvas, [(name, _shown(value), "") for name, value in fields.items()])


def draw_adapter(
    canvas: Canvas, summary: AdapterSummary, said: AdapterFacts
) -> Iterator[RenderableType]:
    """Yield what the adapter is, its modules, what else is stored, what differs."""
    yield _figures(canvas, summary, said)
    for name, value in said.said().items():
        if isinstance(value, list):
            yield Text(f"{name.replace('_', ' ')}: {_shown(value)}")
    yield _modules(canvas, summary)
    if summary.others:
        columns = [("also stored", "left"), ("type", "left"), ("numbers", "right")]
        rows = [(tensor.name, tensor.dtype, tensor.size) for tensor in summary.others]
        yield grid(canvas, columns, rows)
    for difference in summary.differences:
        yield Text(f"differs: {difference}", style="bold red")
    if said.config and not summary.differences:
        yield Text("config and tensors agree", style="green")


def _figures(
    canvas: Canvas, summary: AdapterSummary, said: AdapterFacts
) -> RenderableType:
    rows: list[tuple[str, Any, str]] = [("rank", summary.rank, "")]
    if summary.largest_rank != summary.rank:
        rows.append(("largest rank", summary.largest_rank, "for a server's max rank"))
    if summary.alpha is not None:
        rows.append(("alpha", summary.alpha, ""))
        rows.append(("scaling", summary.scaling, ""))
    for name, value in said.said().items():
        if value is not False and not isinstance(value, list):
            rows.append((name.replace("_", " "), _shown(value), ""))
    if summary.layers:
        rows.append(("layers", summary.layers, ""))
    rows.append(("LoRA parameters", summary.lora_params, ""))
    if summary.parameters != summary.lora_params:
        rows.append(("all parameters", summary.parameters, "stored"))
    types = ", ".join(f"{name} {n:,}" for name, n in summary.dtypes.items())
    only = next(iter(summary.dtypes)) if len(summary.dtypes) == 1 else types
    rows.append(("elements", only, ""))
    rows.append(("file", said.file_bytes, bytes_text(said.file_bytes)))
    return facts(canvas, short_facts(canvas.width, rows))


def _modules(canvas: Canvas, summary: AdapterSummary) -> RenderableType:
    wide, widest = canvas.width >= NARROW, canvas.width >= WIDE
    columns = [("module", "left")]
    columns += [("count", "right")] if wide else []
    columns += [("layers", "right")] if widest else []
    columns += [("rank", "right")]
    columns += [("scaling", "right")] if wide else []
    columns += [("d_in", "right"), ("d_out", "right")] if widest else []
    columns += [("each", "right")] if wide else []
    normed = any(module.norms for module in summary.modules)
    columns += [("update", "right")] if normed else []
    columns += [("by layer", "left")] if normed and wide else []
    rows: list[list[Any]] = []
    for m in summary.modules:
        row: list[Any] = [m.name]
        row += [m.copies] if wide else []
        row += [m.layers] if widest else []
        row.append(m.rank)
        row += [m.scaling if m.scaling is None else f"{m.scaling:.4g}"] if wide else []
        row += [m.d_in, m.d_out] if widest else []
        row += [m.lora_params] if wide else []
        row += [m.mean_norm] if normed else []
        row += [sparkline(canvas, m.norms, floor=0.0)] if normed and wide else []
        rows.append(row)
    return grid(canvas, columns, tree(rows))


def _shown(value: Any) -> str:
    if isinstance(value, list):
        return ", ".join(map(str, value))
    return str(value).lower() if isinstance(value, bool) else str(value)
