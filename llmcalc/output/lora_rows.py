"""What `lora` was asked beyond one rank: a budget, a sweep, a comparison.

Start-up is a feature: one rank does not load this.
"""

from collections.abc import Iterator
from typing import Any

from llmcalc.core.lora.budget import Budget, cost_of
from llmcalc.core.lora.estimate import Answer, Estimate


def asked_fields(answer: Answer) -> Iterator[tuple[str, Any]]:
    """Yield the fields of a budget, a sweep, a comparison."""
    if answer.budget and answer.main and answer.above:
        yield "max_rank", answer.main.rank
        yield "budget", budget_fields(answer.budget, answer.main)
        yield "next", sweep_row(answer.above)
    if answer.sweep:
        yield "sweep", [sweep_row(estimate) for estimate in answer.sweep]
    if answer.compare:
        yield "compare", [compare_row(*pair) for pair in answer.compare]


def asked_rows(answer: Answer) -> list[dict[str, Any]]:
    """Return the rows of a table: sets, ranks, or the rank found and the next one."""
    if answer.compare:
        return [compare_row(*pair) for pair in answer.compare]
    found = [answer.main, answer.above]
    return [sweep_row(e) for e in answer.sweep or found if e is not None]


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


def budget_fields(budget: Budget, main: Estimate) -> dict[str, Any]:
    """Return what was limited, the limit, and how much of it the rank uses."""
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
