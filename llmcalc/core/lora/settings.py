"""Which LoraConfigs PEFT refuses, and what it adds to those that it takes."""

from llmcalc.core.lora.adapters import MICA
from llmcalc.core.lora.defaults import DEFAULT_TARGETS, TASK_MODULES, TASK_TYPES
from llmcalc.core.lora.layers import LoraConfig, Model
from llmcalc.errors import LlmcalcError

_BIASES = ("none", "all", "lora_only")


def checked_config(config: LoraConfig) -> LoraConfig:
    """Return a config with the heads that SEQ_CLS saves; raise where PEFT does.

    Raises LlmcalcError for options that exclude each other, an unknown bias or task.

    >>> checked_config(LoraConfig(task_type="SEQ_CLS")).modules_to_save
    ('classifier', 'score')
    """
    text = isinstance(config.target_modules, str)
    start = config.init_lora_weights
    wrong = {
        f"bias: {config.bias!r:.40} is not one of {', '.join(_BIASES)}": (
            config.bias not in _BIASES
        ),
        f"task_type: {config.task_type!r:.40} is not one of {', '.join(TASK_TYPES)}": (
            bool(config.task_type) and config.task_type not in TASK_TYPES
        ),
        "layers_to_transform: PEFT refuses it with target_modules as one text": (
            text and config.layers_to_transform is not None
        ),
        "layers_pattern: PEFT refuses it with target_modules as one text": (
            text and config.layers_pattern is not None
        ),
        "layers_pattern: needs layers_to_transform": (
            bool(config.layers_pattern) and config.layers_to_transform is None
        ),
        "lora_bias: PEFT refuses it with use_dora": config.lora_bias
        and config.use_dora,
        f"lora_bias: PEFT refuses it with init_lora_weights={start}": (
            config.lora_bias and not isinstance(start, bool)
        ),
        f"use_dora: PEFT refuses it with init_lora_weights={MICA}": (
            config.use_dora and config.init_lora_weights == MICA
        ),
    }
    for message, holds in wrong.items():
        if holds:
            raise LlmcalcError(message)
    return with_task_heads(config) if config.task_type == "SEQ_CLS" else config


def with_task_heads(config: LoraConfig) -> LoraConfig:
    """Return a config that saves its task's heads.

    PEFT adds them for SEQ_CLS before it looks for targets, for other tasks after.

    >>> with_task_heads(LoraConfig(task_type="QUESTION_ANS")).modules_to_save
    ('qa_outputs',)
    """
    saved = config.modules_to_save or ()
    heads = [h for h in TASK_MODULES.get(config.task_type, ()) if h not in saved]
    if not heads:
        return config
    return config._replace(modules_to_save=(*saved, *heads))


def with_default_targets(model: Model, config: LoraConfig) -> LoraConfig:
    """Return a config with targets: its own, or PEFT's for the model type.

    None where tensors are targeted alone. Raises LlmcalcError where there is neither.
    """
    if config.target_modules is not None:
        return config
    found = DEFAULT_TARGETS.get(model.model_type)
    if found is None and config.target_parameters:
        return config
    if found is None:
        raise LlmcalcError(
            f"target_modules: PEFT has no default for {model.model_type or 'it'}; name "
            f"some: all-linear, or of {', '.join(target_names(model))}"
        )
    return config._replace(target_modules=found)


def target_names(model: Model) -> list[str]:
    """Return the last words of the names of a model's Linear layers, each once."""
    kinds = ("Linear", "Conv1D")
    return list(
        dict.fromkeys(
            layer.name.rpartition(".")[2]
            for layer in model.layers
            if layer.kind in kinds and layer.name != model.output
        )
    )
