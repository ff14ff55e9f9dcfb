"""`attn-scale --simulate`: the variance theorem for one width or a list of them."""

from typing import TYPE_CHECKING

from llmcalc.cli.attn_ask import Asked
from llmcalc.core.attention_scale import HeadWidth
from llmcalc.core.attention_simulation import Simulation, simulate_variance
from llmcalc.output.attn_simulation import simulation_report
from llmcalc.output.progress import progress
from llmcalc.output.report import Report

if TYPE_CHECKING:
    from llmcalc.core.attention_scale import ModelScale

# What is shown where no width is asked for.
_USUAL = (1, 4, 16, 64, 128, 256, 512)


def simulation(
    widths: list[HeadWidth], asked: Asked, model: "ModelScale | None"
) -> Report:
    """Return the report on what the drawn vectors of each width show."""
    drawn = asked.drawn
    scale = asked.rules.scale
    if model is not None and scale is None:
        scale = model.scale
    usual = Simulation()
    plan = Simulation(
        trials=usual.trials if drawn.trials is None else drawn.trials,
        keys=usual.keys if drawn.keys is None else drawn.keys,
        seed=drawn.seed,
        scale=scale,
        temperature=asked.rules.temperature,
    )
    sizes = [width.d_k for width in widths] or list(_USUAL)
    work = sum(sizes) * plan.trials
    with progress("drawing", work, asked.output.quiet) as advance:
        found = [simulate_variance(d_k, plan, advance) for d_k in sizes]
    return simulation_report(found, plan)
