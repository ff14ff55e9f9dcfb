"""`llmcalc softmax`: probabilities at a temperature, and what samplers make of them.

Start-up is a feature: typed logits at a temperature load neither numpy nor rich.
"""

from llmcalc.cli import softmax_options as own
from llmcalc.cli.options import (
    ColumnOption,
    FieldOption,
    Format,
    FormatOption,
    JsonOption,
    KeyOption,
    PrecisionOption,
    QuietOption,
    SaveOption,
    SeedOption,
    TemperatureOption,
    TopKOption,
    one_part,
    output_options,
)


def softmax(
    values: own.LogitValues = None,
    temperature: TemperatureOption = 1.0,
    top_k: TopKOption = None,
    top_p: own.TopPOption = None,
    min_p: own.MinPOption = None,
    typical_p: own.TypicalOption = None,
    epsilon_cutoff: own.EpsilonOption = None,
    eta_cutoff: own.EtaOption = None,
    top_h: own.TopHOption = None,
    top_n_sigma: own.TopNSigmaOption = None,
    order: own.OrderOption = None,
    log: own.LogOption = False,
    base: own.BaseOption = "e",
    target_entropy: own.TargetEntropyOption = None,
    target_choices: own.TargetChoicesOption = None,
    target_top1: own.TargetTop1Option = None,
    sweep: own.SweepOption = None,
    compare: own.CompareOption = None,
    sample: own.SampleOption = None,
    seed: SeedOption = 0,
    labels: own.AnswersOption = None,
    position: own.PositionOption = None,
    column: ColumnOption = None,
    key: KeyOption = None,
    output: own.NpyOption = None,
    show_count: own.ShowOption = 10,
    fmt: FormatOption = Format.auto,
    as_json: JsonOption = False,
    field: FieldOption = None,
    precision: PrecisionOption = None,
    save: SaveOption = None,
    quiet: QuietOption = False,
) -> None:
    """Turn logits into probabilities at a temperature.

    Exact for any scale of logits and of T, the limits 0 and inf included. The last
    axis of a file is the vocabulary, other axes are rows; label<TAB>logit lines and
    server replies with top log-probs name their tokens. Plain output is one
    probability a line, or what was asked for: the T of a target, a sweep, KL
    divergences, counts.

    Filters act as the engine of --order applies them, and engines differ: of 100
    logits z_i = -1.1 ln i, -t 0.7 -k 40 --top-p 0.9 keeps 12 in hf and vllm, 17 in
    sglang, and 24 in llama.cpp, which divides by T last.

    \b
    Examples:
      llmcalc softmax 2 1 0.5 -1 -t 0.7
      llmcalc softmax logits.npy -t 0.7 -k 40 --top-p 0.9 --order all
      llmcalc softmax 2 1 0.5 0 -1 --target-choices 3
      curl -s "$URL" -d @request.json | llmcalc softmax --position 0
    """
    from llmcalc.cli.softmax_ask import Asked, answer
    from llmcalc.cli.softmax_words import Backwards, parse_compare, parse_sweep
    from llmcalc.core.filters import Filters
    from llmcalc.core.questions import Settings
    from llmcalc.inputs.source import resolve
    from llmcalc.output.show import show

    shown = output_options(fmt, as_json, field, precision, save, quiet)
    settings = Settings(
        temperature=temperature,
        filters=Filters(
            top_k,
            top_p,
            min_p,
            typical_p,
            epsilon_cutoff,
            eta_cutoff,
            top_h,
            top_n_sigma,
        ),
        order=order or "hf",
        target=Backwards(target_entropy, target_choices, target_top1).target(),
        sweep=() if sweep is None else parse_sweep(sweep),
        compare=parse_compare(compare),
        draws=sample,
        seed=seed,
    )
    asked = Asked(
        settings=settings,
        order_given=order,
        compare=compare if settings.compare is None else None,
        answers=labels,
        position=position,
        output=output,
        base=base,
        log=log,
        show=show_count,
        objects=shown.format in ("json", "jsonl"),
        quiet=quiet,
    )
    asked.check()
    show(answer(resolve(values, one_part(column, key)), asked), shown)
