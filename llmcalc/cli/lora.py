"""`llmcalc lora`: parameters, memory and rank budget.

Start-up is a feature: models, adapters and tables load only when they are asked for.
"""

from llmcalc.cli import lora_options as own
from llmcalc.cli.options import (
    FieldOption,
    Format,
    FormatOption,
    JsonOption,
    PrecisionOption,
    QuietOption,
    SaveOption,
    output_options,
)


def lora(
    values: own.ShapesOrModel = None,
    rank: own.RankOption = None,
    alpha: own.AlphaOption = None,
    rslora: own.RsloraOption = False,
    dora: own.DoraOption = False,
    target: own.TargetOption = None,
    exclude: own.ExcludeOption = None,
    modules_to_save: own.SavedOption = None,
    layers_to_transform: own.LayersToTransformOption = None,
    rank_pattern: own.RankPatternOption = None,
    alpha_pattern: own.AlphaPatternOption = None,
    bias: own.BiasOption = None,
    lora_bias: own.LoraBiasOption = False,
    task_type: own.TaskOption = None,
    adapter_config: own.AdapterConfigOption = None,
    layers: own.LayersOption = None,
    dtype: own.DtypeOption = None,
    base_dtype: own.BaseDtypeOption = None,
    optimizer: own.OptimizerOption = None,
    sweep: own.SweepOption = None,
    budget: own.BudgetOption = None,
    compare: own.CompareOption = None,
    fmt: FormatOption = Format.auto,
    as_json: JsonOption = False,
    field: FieldOption = None,
    precision: PrecisionOption = None,
    save: SaveOption = None,
    quiet: QuietOption = False,
) -> None:
    """Count what LoRA trains and the rank that fits a budget.

    Shapes alone, a model's config.json, or the headers of its safetensors files are
    enough; counts are those of PEFT. An adapter folder is described and checked.

    Memory is base + adapter + gradients + optimizer; activations, logits and
    temporary copies are not in it. T: all parameters, P: trained ones, N: elements of
    one tensor.

    \b
    base       exact     4 T, 2 T or 2 T bytes (float32, bfloat16, float16)
               exact     int8: 1 N + 4 rows for linear weights; rest 2 bytes
               exact     nf4: N/2 + N/64 + 4 N/16384; rest 2 bytes
               exact     nf4-single: N/2 + 4 N/64; rest 2 bytes
               (bitsandbytes without lookup tables; an estimate for expert stacks)
    adapter    exact     4 P (PEFT: float32), 2 P with --dtype bfloat16 or float16
    gradients  exact     the bytes of what trains (torch)
    optimizer  exact     adamw 2 states in the tensor's type (torch)
               exact     adamw8bit 2 N + 8 N/256; 8 N below 4096 (bitsandbytes)
               exact     adafactor 4 (rows + columns) (transformers); sgd none

    \b
    Examples:
      llmcalc lora 4096 4096 -r 8
      llmcalc lora 4096x11008 4096x4096 -r 16 --layers 32 --sweep 4,8,16,32
      llmcalc lora config.json -r 16 --target all-linear
      llmcalc lora config.json --target q_proj,v_proj --budget 1%
      llmcalc lora my-adapter/
    """
    from llmcalc.cli.lora_ask import Asked
    from llmcalc.cli.lora_words import Setting, parse_alpha, parse_shapes
    from llmcalc.output.show import show

    said = (rank, parse_alpha(alpha), rslora, dora, lora_bias, bias)
    names = (target, exclude, modules_to_save, layers_to_transform)
    patterns = (rank_pattern, alpha_pattern)
    held = (dtype, base_dtype, optimizer)
    setting = Setting(*said, *names, *patterns, task_type, *held)
    asked = Asked(setting, sweep, budget, compare or ())
    output = output_options(fmt, as_json, field, precision, save, quiet)
    shapes = parse_shapes(values or [], layers)
    if shapes is not None:
        from llmcalc.cli.lora_shapes import shapes_report

        report = shapes_report(shapes, asked, adapter_config)
    else:
        from llmcalc.cli.lora_model import model_report

        report = model_report(values, asked, adapter_config, layers)
    show(report, output)
