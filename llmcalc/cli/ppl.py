"""`llmcalc ppl`: perplexity of log-probabilities.

Start-up is a feature: readers, processes and tables load only when they are needed.
"""

from llmcalc.cli import ppl_options as own
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
    WorkersOption,
    one_part,
    output_options,
)


def ppl(
    values: own.LogprobValues = None,
    part: own.PartOption = "auto",
    base: own.BaseOption = None,
    nll: own.NllOption = False,
    probs: own.ProbsOption = False,
    column: ColumnOption = None,
    key: KeyOption = None,
    mask: own.MaskOption = None,
    nbytes: own.BytesOption = None,
    text: own.TextOption = None,
    words: own.WordsOption = None,
    sentinel: own.SentinelOption = "error",
    compare: own.CompareOption = None,
    by: own.ByOption = None,
    tokens: own.TokensOption = False,
    worst: own.WorstOption = None,
    input_format: own.InputFormatOption = None,
    workers: WorkersOption = None,
    fmt: FormatOption = Format.auto,
    as_json: JsonOption = False,
    field: FieldOption = None,
    precision: PrecisionOption = None,
    save: SaveOption = None,
    quiet: QuietOption = False,
) -> None:
    """Calculate the perplexity of log-probabilities.

    ppl = exp(-sum of natural log-probs / number of scored tokens), from numbers and
    from what servers and toolkits write; the shape is recognised and named. Errors
    are standard errors: of tokens, and of documents where there are several.

    \b
    Examples:
      llmcalc ppl -0.5 -1.2 -0.03
      jq .logprob scores.jsonl | llmcalc ppl
      llmcalc ppl reply.json --part output --worst 5
      llmcalc ppl base.jsonl --compare quantised.jsonl
    """
    from llmcalc.cli.ppl_ask import Asked, ppl_result
    from llmcalc.inputs.logprobs.document import ReadOptions
    from llmcalc.output.ppl import ppl_report
    from llmcalc.output.show import show

    output = output_options(fmt, as_json, field, precision, save, quiet)
    options = ReadOptions(
        part=part,
        base=base,
        nll=nll,
        probs=probs,
        column=one_part(column, key),
        mask=mask,
        sentinel=sentinel,
        input_format=input_format,
        want_tokens=bool(tokens or worst or compare),
    )
    length = (nbytes, text, words)
    asked = Asked(options, length, compare, by, tokens, worst or 0, workers)
    show(ppl_report(ppl_result(values, asked, output)), output)
