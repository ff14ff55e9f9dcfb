"""What `lora` found, as fields, rows and warnings.

Start-up is a feature: rich and the drawings load when a table is asked for.
"""

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from llmcalc.core.lora.estimate import Answer, Estimate, Module
from llmcalc.core.lora.memory import NOT_INCLUDED, Memory
from llmcalc.output.lora_warnings import warnings_of
from llmcalc.output.report import Report

if TYPE_CHECKING:
    from rich.console import RenderableType

    from llmcalc.core.lora.budget import Budget
    from llmcalc.output.canvas import Canvas


def report(answer: Answer) -> Report:
    """Return the report on an answer; ``plain`` prints the figure asked for."""
    fields = dict(_fields(answer.main)) if answer.main else _common(answer)
    if answer.budget and answer.main and answer.above:
        fields["max_rank"] = answer.main.rank
        fields["budget"] = budget_fields(answer.budget, answer.main)
        fields["next"] = sweep_row(answer.above)
    if answer.sweep:
        fields["sweep"] = [sweep_row(estimate) for estimate in answer.sweep]
    if answer.compare:
        fields["compare"] = [compare_row(*pair) for pair in answer.compare]
    headline = next(
        (key for key in ("compare", "sweep", "max_rank") if key in fields),
        "trainable" if "trainable" in fields else "lora_params",
    )

    def rows() -> Iterable[dict[str, Any]]:
        for key in ("compare", "sweep", "modules"):
            if key in fields:
                return list(fields[key])
        return [{k: v for k, v in fields.items() if not isinstance(v, dict | list)}]

    def view(canvas: "Canvas") -> "Iterable[RenderableType]":
        from llmcalc.output.lora_view import draw_answer

        return draw_answer(answer, canvas)

    return Report(fields, headline, view, rows, warnings_of(answer))


def _fields(estimate: Estimate) -> Iterable[tuple[str, Any]]:
    yield from (("rank", estimate.rank), ("alpha", estimate.alpha))
    yield "scaling", estimate.scaling
    if estimate.model is None and len(estimate.modules) == 1:
        only = estimate.modules[0]
        yield from (("d_in", only.d_in), ("d_out", only.d_out), ("count", only.copies))
    yield "full_params", estimate.full_params
    yield "lora_params", estimate.lora_params
    yield "ratio", estimate.ratio
    yield "break_even_rank", estimate.break_even_rank
    if estimate.model is not None:
        from llmcalc.output.lora_model import model_fields

        yield from model_fields(estimate)
    if estimate.model is not None or len(estimate.modules) > 1:
        yield "modules", [module_row(module) for module in estimate.modules]
    yield "assumed", list(estimate.assumed)
    yield "adapter_bytes", estimate.adapter_bytes
    if estimate.file_bytes is not None:
        yield "adapter_file_bytes", estimate.file_bytes
    yield "memory", memory_fields(estimate.memory)


def _common(answer: Answer) -> dict[str, Any]:
    """Return what holds for every rank of a sweep or a comparison."""
    found = [*answer.sweep, *(estimate for _, estimate in answer.compare)]
    keys = ("d_in", "d_out", "count", "full_params", "break_even_rank", "model_type")
    each = [dict(_fields(estimate)) for estimate in found]
    return {
        key: each[0][key]
        for key in keys
        if key in each[0] and all(other.get(key) == each[0][key] for other in each)
    }


def module_row(module: Module) -> dict[str, Any]:
    """Return a row of ``modules``; parameters and bytes are those of one copy."""
    row: dict[str, Any] = {
        "name": module.name,
        "kind": module.kind,
        "d_in": module.d_in,
        "d_out": module.d_out,
        "rank": module.rank,
        "alpha": module.alpha,
        "scaling": module.scaling,
        "count": module.copies,
        "full_params": module.full_params,
        "lora_params": module.lora_params,
        "ratio": module.ratio,
        "adapter_bytes": module.adapter_bytes,
    }
    return {**row, "layers": module.layers} if module.layers else row


def sweep_row(estimate: Estimate) -> dict[str, Any]:
    """Return a row of ``sweep``: a rank and what it costs."""
    row: dict[str, Any] = {"rank": estimate.rank}
    of_model = estimate.model is not None
    row["trainable" if of_model else "lora_params"] = estimate.trainable
    row["ratio"] = estimate.ratio
    if of_model:
        row["percent"] = estimate.percent
    row["scaling"] = estimate.scaling
    row["adapter_bytes"] = estimate.adapter_bytes
    if estimate.file_bytes is not None:
        row["adapter_file_bytes"] = estimate.file_bytes
    row["memory_bytes"] = estimate.memory.total
    return row


def compare_row(options: str, estimate: Estimate) -> dict[str, Any]:
    """Return a row of ``compare``: its options and what they cost."""
    row = sweep_row(estimate)
    return {
        "options": options,
        "rank": row.pop("rank"),
        "alpha": estimate.alpha,
        "modules": sum(module.copies for module in estimate.modules),
        **row,
    }


def budget_fields(budget: "Budget", main: Estimate) -> dict[str, Any]:
    """Return what was limited, the limit, and how much of it the rank uses."""
    from llmcalc.core.lora.budget import cost_of

    cost = cost_of(main)
    used = {
        "parameters": cost.trainable,
        "percent": main.percent,
        "file": cost.file_bytes,
        "memory": cost.memory_bytes,
    }[budget.kind]
    whole = budget.numerator % budget.denominator == 0
    limit = (
        budget.numerator // budget.denominator
        if whole
        else budget.numerator / budget.denominator
    )
    return {"text": budget.text, "kind": budget.kind, "limit": limit, "used": used}


def memory_fields(memory: Memory) -> dict[str, Any]:
    """Return bytes by item, their sum, and for each how it is known."""
    fields: dict[str, Any] = {item.item: item.bytes for item in memory.items}
    fields["total"] = memory.total
    if memory.upcast:
        fields["kbit_preparation"] = memory.upcast
    fields["exact"] = all(item.exact for item in memory.items)
    fields["items"] = [item._asdict() for item in memory.items]
    fields["not_included"] = list(NOT_INCLUDED)
    return fields
