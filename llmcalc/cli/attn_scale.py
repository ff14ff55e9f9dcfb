"""`llmcalc attn-scale`: scaled dot-product attention and the reason for the scale.

Start-up is a feature: what answers the question loads when the question is known.
"""

from llmcalc.cli import attn_options as own
from llmcalc.cli.options import (
    FieldOption,
    Format,
    FormatOption,
    JsonOption,
    PrecisionOption,
    QuietOption,
    SaveOption,
    SeedOption,
    TemperatureOption,
    output_options,
)


def attn_scale(
    values: own.Vectors = None,
    d_k: own.WidthOption = None,
    d_model: own.ModelOption = None,
    n_heads: own.HeadsOption = None,
    n_kv_heads: own.KeyHeadsOption = None,
    head_dim: own.HeadDimOption = None,
    config: own.ConfigOption = None,
    scale: own.ScaleOption = None,
    softcap: own.SoftcapOption = None,
    causal: own.CausalOption = None,
    mask: own.MaskFileOption = None,
    sink: own.SinkOption = None,
    temperature: TemperatureOption = 1.0,
    scores: own.ScoresOption = None,
    simulate: own.SimulateOption = False,
    trials: own.TrialsOption = None,
    keys: own.KeysOption = None,
    seed: SeedOption = 0,
    head: own.HeadOption = 0,
    fmt: FormatOption = Format.auto,
    as_json: JsonOption = False,
    field: FieldOption = None,
    precision: PrecisionOption = None,
    save: SaveOption = None,
    quiet: QuietOption = False,
) -> None:
    """Show what scaling does to attention scores.

    Two vectors give one score; files give scores, weights and output, for any
    leading axes [..., positions, width]: scale, cap, mask, softmax, V, in this
    order. The third axis from the end counts heads; query heads may share key
    heads. A width, the dimensions of a model or its config.json give the scale
    alone; one file or pipe of two or three lines is Q, K and V.

    \b
    Examples:
      llmcalc attn-scale 1,2,3,4 0.5,-1,2,0.25
      llmcalc attn-scale q.npy k.npy v.npy --causal lower-right
      llmcalc attn-scale --d-model 4096 --n-heads 32 --n-kv-heads 8
      llmcalc attn-scale --config config.json --field scale
      llmcalc attn-scale --scores raw.txt --d-k 64
      llmcalc attn-scale --simulate --d-k 1,16,64,256 --keys 64
    """
    from llmcalc.cli.attn_ask import Asked, Drawn, Rules, answer
    from llmcalc.cli.attn_widths import Widths
    from llmcalc.output.show import show

    output = output_options(fmt, as_json, field, precision, save, quiet)
    asked = Asked(
        values or [],
        scores,
        Widths(d_k, d_model, n_heads, n_kv_heads, head_dim, config),
        Rules(scale, softcap, causal, mask, sink, temperature),
        Drawn(simulate, trials, keys, seed),
        head,
        output,
    )
    show(answer(asked), output)
