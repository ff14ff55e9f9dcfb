"""`lora` on typed shapes: nothing is read, nothing large is loaded."""

from llmcalc.cli.lora_ask import Asked, answer, storage_of
from llmcalc.cli.lora_words import Setting
from llmcalc.core.lora.estimate import Estimate, estimate_matrices
from llmcalc.core.lora.matrix import DEFAULT_ALPHA, Shape, lora_parameters
from llmcalc.errors import LlmcalcError
from llmcalc.output.lora import report
from llmcalc.output.report import Report

_OF_SHAPES = ("rank", "alpha", "rslora", "dora", "dtype", "base_dtype", "optimizer")


def shapes_report(
    shapes: list[Shape], asked: Asked, adapter_config: str | None
) -> Report:
    """Return the report on typed shapes; LlmcalcError for options that need names."""
    if adapter_config is not None:
        raise LlmcalcError("--adapter-config needs a model; shapes have no names")
    if asked.budget is not None and asked.setting.rank is not None:
        raise LlmcalcError("--budget looks for the rank; leave out -r")
    return report(answer(asked, lambda setting: estimate_shapes(shapes, setting)))


def estimate_shapes(shapes: list[Shape], setting: Setting) -> Estimate:
    """Return what a setting costs on typed shapes."""
    for name, value in setting._asdict().items():
        if name not in _OF_SHAPES and value not in (None, False, "none"):
            option = "--" + name.replace("_", "-")
            raise LlmcalcError(f"{option} needs a model; shapes have no names")
    if setting.rank is None:
        raise LlmcalcError("the rank is missing; give -r R")
    storage = storage_of(setting)
    alpha = DEFAULT_ALPHA if setting.alpha is None else setting.alpha
    found = [
        lora_parameters(
            d_in, d_out, setting.rank, alpha, rslora=setting.rslora, dora=setting.dora
        )._replace(copies=copies)
        for d_in, d_out, copies in shapes
    ]
    assumed = [] if setting.alpha is not None else [f"lora_alpha = {alpha}"]
    assumed += [] if storage.base_dtype else ["base dtype = bfloat16"]
    estimate = estimate_matrices(found, storage, dora=setting.dora)
    return estimate._replace(assumed=tuple(assumed), rslora=setting.rslora)
