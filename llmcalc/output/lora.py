"""What `lora` found, as fields, rows and warnings.

Start-up is a feature: rich and the drawings load when a table is asked for.
"""

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from llmcalc.core.lora.estimate import Answer, Estimate, Module
from llmcalc.core.lora.matrix import ITEM_BYTES
from llmcalc.core.lora.memory import NOT_INCLUDED, Memory
from llmcalc.output.report import Report

if TYPE_CHECKING:
    from rich.console import RenderableType

    from llmcalc.output.canvas import Canvas


def report(answer: Answer) -> Report:
    """Return the report on an answer; ``plain`` prints the figure asked for."""
    fields = dict(_fields(answer.main)) if answer.main else _common(answer)
    asked = bool(answer.budget or answer.sweep or answer.compare)
    if asked:
        from llmcalc.output.lora_rows import asked_fields

        fields |= asked_fields(answer)
    headline = next(
        (key for key in ("compare", "sweep", "max_rank") if key in fields),
        "trainable" if "trainable" in fields else "lora_params",
    )

    def rows() -> Iterable[dict[str, Any]]:
        if asked:
            from llmcalc.output.lora_rows import asked_rows

            return asked_rows(answer)
        if "modules" in fields:
            return list(fields["modules"])
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
    yield (
        "adapter_bytes_by_dtype",
        {dtype: width * estimate.elements for dtype, width in ITEM_BYTES.items()},
    )
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


def warnings_of(answer: Answer) -> list[str]:
    """Return what a user should know of what was asked for, each once."""
    found = [answer.main] if answer.main else []
    found += [estimate for _, estimate in answer.compare]
    if not answer.main:
        found += answer.sweep
    return list(dict.fromkeys(line for e in found for line in _warnings(e)))


def _warnings(estimate: Estimate) -> Iterable[str]:
    high = [m for m in estimate.modules if m.rank > min(m.d_in, m.d_out)]
    if high:
        yield (
            f"rank {high[0].rank} is above the smaller dimension of {_named(high)}; "
            "B A has no higher rank than that"
        )
    more = [m for m in estimate.modules if m.lora_params > m.full_params]
    if more:
        yield (
            f"LoRA trains more than the matrix holds: {more[0].lora_params:,} against "
            f"{more[0].full_params:,} in {_named(more)}"
        )
    if estimate.scaling == 0:
        yield "the scaling is 0: the adapter changes nothing"
    if estimate.adapted is not None:
        if estimate.adapted.unmatched:
            names = ", ".join(estimate.adapted.unmatched)
            yield f"nothing in the model matches {names}"
        yield from estimate.adapted.notes
    if estimate.model is not None:
        yield from estimate.model.notes


def _named(modules: list[Module]) -> str:
    first = modules[0]
    shape = f"{first.d_in}x{first.d_out}"
    name = first.name if first.name == shape else f"{first.name} ({shape})"
    others = sum(module.copies for module in modules) - 1
    return name if not others else f"{name} and {others} more"
