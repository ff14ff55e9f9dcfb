"""What `attn-scale --simulate` found, as fields, rows and lines.

Start-up is a feature: rich and the drawings load when a table is asked for.
"""

from collections.abc import Iterable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from llmcalc.core.attention_simulation import Simulation, VarianceTheorem
from llmcalc.output.report import Report
from llmcalc.output.text import value_text

if TYPE_CHECKING:
    from rich.console import RenderableType

    from llmcalc.output.canvas import Canvas


def simulation_report(found: Sequence[VarianceTheorem], plan: Simulation) -> Report:
    """Return the report on drawn vectors, of one width or of several.

    ``plain`` prints the variance of the scaled product, or for several widths a line
    each of d_k and the variance before and after scaling.
    """
    rows = [_fields(theorem) for theorem in found]
    view, flat = partial(_view, found), partial(map, _flat, rows)
    if len(rows) == 1:
        return Report(rows[0], "scaled_variance", view, flat)
    said = {"trials": plan.trials, "keys": plan.keys, "seed": plan.seed}
    return Report(
        {**said, "sweep": rows},
        "sweep",
        view,
        flat,
        plain=partial(_plain, found),
    )


def _fields(theorem: VarianceTheorem) -> dict[str, Any]:
    fields: dict[str, Any] = {}
    for key, value in theorem._asdict().items():
        if hasattr(value, "_asdict"):
            fields[key] = value._asdict()
        elif value is not None:
            fields[key] = value
    return fields


def _flat(row: dict[str, Any]) -> dict[str, Any]:
    """Return a row of a table: the figures of an object under names of their own."""
    flat: dict[str, Any] = {}
    for key, value in row.items():
        if isinstance(value, dict):
            flat.update({f"{key}_{inner}": item for inner, item in value.items()})
        else:
            flat[key] = value
    return flat


def _plain(found: Sequence[VarianceTheorem], precision: int | None) -> Iterable[str]:
    for theorem in found:
        figures = theorem.d_k, theorem.unscaled_variance, theorem.scaled_variance
        yield value_text(figures, precision)


def _view(
    found: Sequence[VarianceTheorem], canvas: "Canvas"
) -> "Iterable[RenderableType]":
    from llmcalc.output.attn_simulation_view import draw_simulation

    return draw_simulation(found, canvas)
