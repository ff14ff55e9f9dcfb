"""A saved adapter as fields, rows and a picture."""

import math
from collections.abc import Iterable, Iterator, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

from llmcalc.core.lora.adapter_summary import AdapterModule, AdapterSummary
from llmcalc.core.lora.layers import LoraConfig
from llmcalc.core.lora.matrix import lora_scaling
from llmcalc.output.report import Report

if TYPE_CHECKING:
    from rich.console import RenderableType

    from llmcalc.output.canvas import Canvas

# Fields of the config that say what the adapter is, as they are called here.
_SAID = {
    "base_model_name_or_path": "base_model",
    "peft_version": "peft_version",
    "task_type": "task_type",
    "target_modules": "target_modules",
    "modules_to_save": "modules_to_save",
    "bias": "bias",
    "use_rslora": "rslora",
    "use_dora": "dora",
}


class AdapterFacts(NamedTuple):
    """What the files say beside the tensors: name, config fields, sizes, warnings."""

    name: str
    config: Mapping[str, Any]
    header_bytes: int
    file_bytes: int
    notes: tuple[str, ...]

    def said(self) -> dict[str, Any]:
        """Return the config's fields that are shown, under our names."""
        return {
            ours: _one_line(self.config[theirs])
            for theirs, ours in _SAID.items()
            if self.config.get(theirs) is not None
        }


def config_report(config: LoraConfig | None, facts: AdapterFacts) -> Report:
    """Return the report on an adapter of which only the config is there."""
    settings = config or LoraConfig()
    rank, alpha = settings.r, settings.lora_alpha
    scaling = lora_scaling(alpha, rank, rslora=settings.use_rslora)
    fields: dict[str, Any] = {"rank": rank, "alpha": alpha, "scaling": scaling}
    fields |= facts.said()

    def view(canvas: "Canvas") -> "Iterable[RenderableType]":
        from llmcalc.output.lora_adapter_view import draw_config

        return draw_config(canvas, fields)

    return Report(fields, "rank", view, None, facts.notes, partial(_lines, fields))


def saved_report(summary: AdapterSummary, facts: AdapterFacts) -> Report:
    """Return the report on a saved adapter; its differences are warnings too."""
    fields: dict[str, Any] = {
        "rank": summary.rank,
        "alpha": summary.alpha,
        "scaling": summary.scaling,
        "largest_rank": summary.largest_rank,
        **facts.said(),
        "layers": summary.layers,
        "lora_params": summary.lora_params,
        "parameters": summary.parameters,
        "dtypes": summary.dtypes,
        "modules": [module_row(module) for module in summary.modules],
        "others": [other._asdict() for other in summary.others],
        "differences": list(summary.differences),
        "adapter_bytes": facts.file_bytes - facts.header_bytes,
        "adapter_header_bytes": facts.header_bytes,
        "adapter_file_bytes": facts.file_bytes,
    }

    def view(canvas: "Canvas") -> "Iterable[RenderableType]":
        from llmcalc.output.lora_adapter_view import draw_adapter

        return draw_adapter(canvas, summary, facts)

    def rows() -> Iterable[dict[str, Any]]:
        return (
            {key: value for key, value in row.items() if key != "norms"}
            for row in fields["modules"]
        )

    warnings = [*summary.differences, *facts.notes]
    bad = [m.name for m in summary.modules if any(map(math.isnan, m.norms))]
    warnings += [f"NaN or infinity in the tensors of {name}" for name in bad]
    return Report(fields, "rank", view, rows, warnings, partial(_lines, fields))


def _one_line(value: Any) -> Any:
    """Return a value; control characters in a text, which a file may hold, escaped."""
    if not isinstance(value, str) or value.isprintable():
        return value
    return ascii(value)[1:-1]


def module_row(module: AdapterModule) -> dict[str, Any]:
    """Return a row of ``modules``: parameters are those of one copy."""
    return {
        "name": module.name,
        "kind": module.kind,
        "d_in": module.d_in,
        "d_out": module.d_out,
        "rank": module.rank,
        "alpha": module.alpha,
        "scaling": module.scaling,
        "count": module.copies,
        "lora_params": module.lora_params,
        "layers": module.layers,
        "mean_norm": module.mean_norm,
        "norms": list(module.norms),
    }


def _lines(fields: Mapping[str, Any], precision: int | None) -> Iterator[str]:
    """Yield a name and its value a line: single values, and lists of words."""
    from llmcalc.output.text import value_text

    for name, value in fields.items():
        words = isinstance(value, list) and all(isinstance(w, str) for w in value)
        if words and value:
            yield f"{name}\t{','.join(value)}"
        elif not isinstance(value, dict | list):
            yield f"{name}\t{value_text(value, precision)}"
