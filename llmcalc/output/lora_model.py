"""What `lora` found of a model: PEFT's line, its parts, what matched and what not.

Start-up is a feature: only answers about models load this.
"""

from collections.abc import Iterator
from typing import Any

from llmcalc.core.lora.estimate import Estimate

# What the names of the parts stand for in a table.
_PARTS = {
    "lora": "A and B",
    "dora_magnitude": "DoRA magnitudes",
    "lora_bias": "biases of B",
    "base_bias": "biases of the base",
    "saved_modules": "saved modules",
    "tokens": "tokens",
}


def peft_line(estimate: Estimate) -> str:
    """Return the line of PEFT's print_trainable_parameters."""
    return (
        f"trainable params: {estimate.trainable:,} || "
        f"all params: {estimate.total:,} || trainable%: {estimate.percent:.4f}"
    )


def model_fields(estimate: Estimate) -> Iterator[tuple[str, Any]]:
    """Yield the fields that only a model has."""
    yield "trainable", estimate.trainable
    yield "total", estimate.total
    yield "percent", estimate.percent
    yield "peft_line", peft_line(estimate)
    if estimate.model is not None:
        yield "model_type", estimate.model.model_type
    if estimate.adapted is not None:
        yield "parts", estimate.adapted.parts._asdict()
        yield "saved_modules", [s._asdict() for s in estimate.adapted.saved]
        yield "unmatched", list(estimate.adapted.unmatched)
        yield "notes", list(estimate.adapted.notes)


def model_figures(estimate: Estimate) -> Iterator[tuple[str, Any, str]]:
    """Yield name, value and unit of the figures that only a model has."""
    yield "trainable", estimate.trainable, f"{estimate.percent:.4f} % of all"
    yield "all parameters", estimate.total, "base and adapter"
    if estimate.adapted is None:
        return
    parts = {k: n for k, n in estimate.adapted.parts._asdict().items() if n}
    if len(parts) > 1:
        for name, number in parts.items():
            yield f"  {_PARTS[name]}", number, ""
    for saved in estimate.adapted.saved:
        yield f"  {saved.name}", saved.params, "trained in full"
