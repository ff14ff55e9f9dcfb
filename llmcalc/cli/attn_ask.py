"""What `attn-scale` is asked, and the report that answers it.

Start-up is a feature: a width alone and two typed vectors load no numpy.
"""

from typing import TYPE_CHECKING, NamedTuple

from llmcalc.cli.attn_widths import Widths, head_widths, width_source
from llmcalc.core.attention_scale import HeadWidth, scale_facts
from llmcalc.errors import LlmcalcError
from llmcalc.output.report import Report
from llmcalc.output.show import Output

if TYPE_CHECKING:
    from llmcalc.core.attention import AttentionOptions
    from llmcalc.core.attention_scale import ModelScale


class Rules(NamedTuple):
    """What the options change in the formula."""

    scale: float | None
    softcap: float | None
    causal: str | None
    mask: str | None
    sink: str | None
    temperature: float


class Drawn(NamedTuple):
    """What --simulate is to draw; None where the option is not given."""

    simulate: bool
    trials: int | None
    keys: int | None
    seed: int


class Asked(NamedTuple):
    """Everything that the command line says but for the output."""

    values: list[str]
    scores: str | None
    widths: Widths
    rules: Rules
    drawn: Drawn
    head: int
    output: Output


def answer(asked: Asked) -> Report:
    """Return the report on vectors, given scores, a simulation, or a width alone.

    Raises LlmcalcError for options that have no meaning together.
    """
    _check(asked)
    model = _model(asked.widths.config)
    widths = head_widths(asked.widths, model)
    if asked.drawn.simulate:
        from llmcalc.cli.attn_simulation import simulation

        return simulation(widths, asked, model)
    piped = not asked.values and not widths and asked.rules.scale is None
    if asked.scores is not None or asked.values or piped:
        from llmcalc.cli.attn_vectors import scored

        return scored(widths, asked, model)
    if not widths:
        raise LlmcalcError("--scale alone needs Q and K, --scores or a width")
    return _scale_alone(widths, asked, model)


def options_of(asked: Asked, model: "ModelScale | None") -> "AttentionOptions":
    """Return the formula's options: what is said, else what the model's config says."""
    from llmcalc.core.attention import AttentionOptions
    from llmcalc.inputs.source import parse_numbers, resolve_file

    rules = asked.rules
    scale, softcap, sink, mask = rules.scale, rules.softcap, None, None
    name = "--mask"
    if model is not None:
        scale = model.scale if scale is None else scale
        softcap = model.softcap if softcap is None else softcap
    if rules.sink is not None:
        try:
            sink = parse_numbers(rules.sink)
        except ValueError as error:
            raise LlmcalcError(f"--sink: {error}") from None
    if rules.mask is not None:
        from llmcalc.inputs.numbers import read_array

        array = read_array(resolve_file(rules.mask), ("mask",))
        mask, name = array.values, array.name
    return AttentionOptions(
        scale=scale,
        softcap=softcap,
        causal=rules.causal,
        mask=mask,
        sink=sink,
        temperature=rules.temperature,
        names=("Q", "K", "V", name),
    )


def _scale_alone(
    widths: list[HeadWidth], asked: Asked, model: "ModelScale | None"
) -> Report:
    from llmcalc.output.attn_scale import scale_report

    scale = asked.rules.scale
    source = "scale" if scale is not None else width_source(asked.widths)
    if model is not None and scale is None:
        scale, source = model.scale, model.source
    return scale_report([scale_facts(width, scale, source) for width in widths], model)


def _model(config: str | None) -> "ModelScale | None":
    if config is None:
        return None
    from llmcalc.inputs.models.attention_config import read_attention_config
    from llmcalc.inputs.source import resolve_file

    return read_attention_config(resolve_file(config))


def _check(asked: Asked) -> None:
    """Refuse options that would have no effect: silence would look like an answer."""
    drawn, rules = asked.drawn, asked.rules
    ways = (bool(asked.values), asked.scores is not None, drawn.simulate)
    if sum(ways) > 1:
        raise LlmcalcError("give Q and K, or --scores, or --simulate: one of them")
    # The generator and the table have a default, 0: saying it changes nothing.
    of_draws = {"--trials": drawn.trials, "--keys": drawn.keys}
    of_draws["--seed"] = drawn.seed or None
    for name, number in of_draws.items():
        if number is not None and not drawn.simulate:
            raise LlmcalcError(f"{name} needs --simulate")
    told = any(value is not None for value in (*asked.widths, rules.scale))
    of_scores = {
        "--softcap": rules.softcap,
        "--causal": rules.causal,
        "--mask": rules.mask,
        "--sink": rules.sink,
        "--head": asked.head or None,
    }
    for name, given in of_scores.items():
        if given is not None and (drawn.simulate or (told and not any(ways))):
            raise LlmcalcError(f"{name} needs Q and K, or --scores")
    if rules.temperature != 1 and told and not any(ways):
        raise LlmcalcError("--temperature needs Q and K, --scores or --simulate")
