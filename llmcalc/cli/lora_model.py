"""`lora` on a model or an adapter: what the files say, under the options given."""

from pathlib import Path
from typing import NamedTuple

from llmcalc.cli.lora_ask import Asked, answer, storage_of
from llmcalc.cli.lora_config import lora_config
from llmcalc.cli.lora_words import Setting, is_shape
from llmcalc.core.lora.estimate import Estimate
from llmcalc.core.lora.layers import LoraConfig, Model
from llmcalc.errors import LlmcalcError
from llmcalc.inputs.models.adapter import CONFIG, is_adapter
from llmcalc.inputs.models.json_object import read_object
from llmcalc.inputs.models.lora_config import read_lora_fields, unknown_fields
from llmcalc.inputs.models.model import read_model
from llmcalc.inputs.source import Source, resolve, resolve_file
from llmcalc.output.lora import report
from llmcalc.output.report import Report


def model_report(
    values: list[str] | None,
    asked: Asked,
    adapter_config: str | None,
    layers: int | None,
) -> Report:
    """Return the report on a model, or on the adapter that the values name.

    Raises LlmcalcError for anything but one source, and for options that don't go
    together.
    """
    source = _one_source(values)
    if layers is not None:
        raise LlmcalcError(
            "--layers multiplies typed shapes; a model's are chosen by "
            "--layers-to-transform"
        )
    if is_adapter(source):
        from llmcalc.cli.lora_adapter import adapter_report

        return adapter_report(source, asked, adapter_config)
    taken = _with_config(asked, adapter_config)
    asked, first = taken.asked, taken.config
    model = read_model(source)
    model = model._replace(notes=(*model.notes, *taken.notes))

    def estimate(setting: Setting) -> Estimate:
        from llmcalc.core.lora.model_estimate import estimate_model

        if setting.rank is None:
            raise LlmcalcError("the rank is missing; give -r R")
        config = lora_config(setting, first)
        found = estimate_model(model, config, storage_of(setting))
        said = setting.alpha is not None or "lora_alpha" not in taken.unsaid
        alpha = () if said else (f"lora_alpha = {config.lora_alpha}",)
        rank = (f"r = {config.r}",) if "r" in taken.unsaid else ()
        targets = _default_targets(config, model.model_type)
        return found._replace(assumed=(*found.assumed, *targets, *rank, *alpha))

    return report(answer(asked, estimate, _rank_step(model, asked, first)))


def _default_targets(config: LoraConfig, model_type: str) -> tuple[str, ...]:
    """Return what PEFT takes for targets where nothing names some."""
    from llmcalc.core.lora.defaults import DEFAULT_TARGETS

    if config.target_modules is not None or config.target_parameters:
        return ()
    targets = DEFAULT_TARGETS.get(model_type, ())
    words = targets if isinstance(targets, str) else ", ".join(targets)
    return (f"target_modules = {words} (PEFT's default)",) if words else ()


def _rank_step(model: Model, asked: Asked, first: LoraConfig) -> int:
    """Return what a rank within a budget must be a multiple of."""
    from llmcalc.core.lora.model_estimate import rank_step

    if asked.budget is None:
        return 1
    return rank_step(model, lora_config(asked.setting, first))


class _Taken(NamedTuple):
    """What was asked, with the rank of a config; the config, and its warnings.

    ``unsaid`` are the fields that have PEFT's default for want of any word.
    """

    asked: Asked
    config: LoraConfig
    unsaid: tuple[str, ...] = ("lora_alpha",)
    notes: tuple[str, ...] = ()


def _with_config(asked: Asked, adapter_config: str | None) -> _Taken:
    """Return what was asked with the config's rank, unless --budget looks for one."""
    setting = asked.setting
    if asked.budget is not None and setting.rank is not None:
        raise LlmcalcError("--budget looks for the rank; leave out -r")
    if adapter_config is None:
        return _Taken(asked, LoraConfig())
    source = _settings_file(adapter_config)
    fields = read_object(source)
    config = read_lora_fields(fields, source.name)
    unsaid = {name for name in ("r", "lora_alpha") if fields.get(name) is None}
    if setting.rank is None and asked.budget is None:
        asked = asked._replace(setting=setting._replace(rank=config.r))
    else:
        unsaid.discard("r")
    return _Taken(asked, config, tuple(unsaid), unknown_fields(fields, source.name))


def _settings_file(text: str) -> Source:
    """Return the file of --adapter-config: an adapter's folder stands for its config.

    Raises LlmcalcError for a part of a file, which settings have none of.
    """
    source = resolve_file(text)
    if source.path is not None and Path(source.path, CONFIG).is_file():
        inside = str(Path(source.path, CONFIG))
        source = source._replace(name=inside, path=inside)
    return _whole(source)


def _whole(source: Source) -> Source:
    if source.part is not None:
        raise LlmcalcError(
            f"{source.name}: is taken as a whole; leave out {source.part!r:.60}"
        )
    return source


def _one_source(values: list[str] | None) -> Source:
    shaped = [value for value in values or () if is_shape(value)]
    if shaped:
        raise LlmcalcError(
            f"{shaped[0]}: a shape beside a file; give either shapes or one model"
        )
    try:
        found = resolve(values)
    except LlmcalcError as error:
        raise LlmcalcError(
            f"{error}; a model is its config.json, its folder or a safetensors file"
        ) from None
    first = found[0]
    if not isinstance(first, Source):
        raise LlmcalcError(
            f"{first.text.strip()!r} is no whole number; give D_IN D_OUT or 4096x11008"
        )
    if len(found) > 1:
        raise LlmcalcError(
            f"{found[1].name}: one model at a time; {first.name} is given already"
        )
    return _whole(first)
