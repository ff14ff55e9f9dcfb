"""`lora` on a saved adapter: what it is, and whether its config tells the truth.

Start-up is a feature: numpy loads only where update norms are cheap to compute.
"""

from llmcalc.cli.lora_ask import Asked
from llmcalc.cli.lora_words import Setting
from llmcalc.core.lora.adapter_summary import adapter_summary
from llmcalc.core.lora.saved_adapter import SavedAdapter, SavedTensor, saved_adapter
from llmcalc.errors import LlmcalcError
from llmcalc.inputs.models.adapter import AdapterFiles, read_adapter
from llmcalc.inputs.source import Source
from llmcalc.output.lora_adapter import AdapterFacts, config_report, saved_report
from llmcalc.output.report import Report

# Multiplications that take a few seconds.
_CHEAP = 2 * 10**10


def adapter_report(source: Source, asked: Asked, adapter_config: str | None) -> Report:
    """Return the report on a saved adapter.

    Raises LlmcalcError for options that would change what was saved.
    """
    _refuse_options(source, asked, adapter_config)
    files = read_adapter(source)
    facts = AdapterFacts(
        files.name, files.fields, files.header_bytes, files.file_bytes, files.notes
    )
    if files.weights is None:
        return config_report(files.config, facts)
    tensors = [
        SavedTensor(name, info.shape, info.dtype)
        for name, info in files.tensors.items()
    ]
    adapter = saved_adapter(tensors, files.config, files.name)
    norms, remark = _norms(adapter, files)
    if remark:
        facts = facts._replace(notes=(*facts.notes, remark))
    return saved_report(adapter_summary(adapter, files.config, norms), facts)


def _refuse_options(source: Source, asked: Asked, adapter_config: str | None) -> None:
    given = [
        "--" + name.replace("_", "-")
        for name, value in asked.setting._asdict().items()
        if value != getattr(Setting(), name)
    ]
    given += ["--sweep"] if asked.sweep is not None else []
    given += ["--budget"] if asked.budget is not None else []
    given += ["--compare"] if asked.compare else []
    given += ["--adapter-config"] if adapter_config is not None else []
    if given:
        raise LlmcalcError(
            f"{source.name}: is a saved adapter, which {given[0]} cannot change; give "
            "a model to count on"
        )


def _norms(adapter: SavedAdapter, files: AdapterFiles) -> tuple[dict[str, float], str]:
    """Return the update norms by layer, and why there are none where there are none."""
    from llmcalc.core.lora.update_norm import update_cost, update_norms
    from llmcalc.inputs.models.adapter_arrays import FLOATS, AdapterArrays

    if files.config is None or files.weights is None:
        return {}, "no adapter_config.json beside it: alpha and scaling are not known"
    others = {layer.a.dtype for layer in adapter.layers} - set(FLOATS)
    if others:
        return {}, f"update norms: elements of type {min(others)} are not read"
    if update_cost(adapter.layers) > _CHEAP:
        return {}, "update norms: left out, the adapter is too large for a quick answer"
    arrays = AdapterArrays(files.weights, files.tensors)
    return dict(update_norms(adapter.layers, arrays)), ""
