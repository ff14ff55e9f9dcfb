"""adapter_config.json -> the settings of LoRA that change a count."""

from collections.abc import Callable, Mapping
from typing import Any

from llmcalc.core.lora.layers import LoraConfig
from llmcalc.errors import LlmcalcError

# So many unknown fields are named in a warning.
_NAMED = 5
# Variants that add, reshape or move parameters in ways that are not counted here.
_VARIANTS = (
    *("kasa_config", "monteclora_config", "use_bdlora", "arrow_config", "use_qalora"),
)


# The other fields of PEFT 0.21: none of them changes a count.
_NO_COUNT = (
    *("alora_invocation_tokens", "auto_mapping", "base_model_name_or_path"),
    *("corda_config", "eva_config", "inference_mode", "loftq_config", "lora_ga_config"),
    *("megatron_config", "megatron_core", "peft_type", "peft_version"),
    *("qalora_group_size", "revision", "runtime_config", "velora_config"),
)


def unknown_fields(fields: Mapping[str, Any], name: str) -> tuple[str, ...]:
    """Return a warning of fields that PEFT's LoraConfig has not, and so ignores.

    >>> unknown_fields({"r": 8, "lora_rank": 16}, "adapter_config.json")
    ("adapter_config.json: 'lora_rank' is no field of PEFT's LoraConfig: not counted",)
    """
    known = {*_READERS, *_NO_COUNT, *_VARIANTS}
    strange = [f"{field!r:.60}" for field in fields if field not in known]
    if not strange:
        return ()
    is_no = "is no field" if len(strange) == 1 else "are no fields"
    listed = ", ".join(strange[:_NAMED])
    return (f"{name}: {listed} {is_no} of PEFT's LoraConfig: not counted",)


def read_lora_fields(fields: Mapping[str, Any], name: str) -> LoraConfig:
    """Return the LoraConfig of an adapter_config.json's object.

    A field that is missing or null has PEFT's default; fields that change no count are
    not looked at.

    Raises LlmcalcError for another method than LoRA, a value of the wrong kind, and
    variants of LoRA whose parameters are not known here.

    >>> read_lora_fields({"peft_type": "LORA", "r": 4}, "adapter_config.json").r
    4
    """
    method = fields.get("peft_type", "LORA")
    if method != "LORA":
        raise LlmcalcError(f"{name}: peft_type {method!r:.40} is not LORA")
    if "model_type" in fields:
        raise LlmcalcError(f"{name}: is a model's config, not an adapter's")
    for variant in _VARIANTS:
        if fields.get(variant):
            raise LlmcalcError(
                f"{name}: {variant}: this variant of LoRA is not counted by llmcalc"
            )
    if fields and fields.keys().isdisjoint((*_READERS, "peft_type")):
        raise LlmcalcError(f"{name}: holds no field of PEFT's LoraConfig")
    return LoraConfig(
        **{
            field: read(fields[field], f"{name}: {field}")
            for field, read in _READERS.items()
            if fields.get(field) is not None
        }
    )


def _wrong(value: Any, where: str, wanted: str) -> LlmcalcError:
    return LlmcalcError(f"{where}: {value!r:.60} is not {wanted}")


def _whole(value: Any, where: str) -> int:
    if isinstance(value, bool) or not isinstance(value, int):
        raise _wrong(value, where, "a whole number")
    return value


def _number(value: Any, where: str) -> float:
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise _wrong(value, where, "a number")
    if isinstance(value, float) and not abs(value) < float("inf"):
        raise _wrong(value, where, "a finite number")
    return value


def _flag(value: Any, where: str) -> bool:
    if not isinstance(value, bool):
        raise _wrong(value, where, "true or false")
    return value


def _text(value: Any, where: str) -> str:
    if not isinstance(value, str) or not value.isprintable():
        raise _wrong(value, where, "a text of one line")
    return value


def _start(value: Any, where: str) -> bool | str:
    return value if isinstance(value, bool) else _text(value, where).lower()


def _names(value: Any, where: str) -> tuple[str, ...]:
    if not isinstance(value, list):
        raise _wrong(value, where, "a list of names")
    return tuple(_text(item, where) for item in value)


def _names_or_text(value: Any, where: str) -> tuple[str, ...] | str:
    return value if isinstance(value, str) else _names(value, where)


def _one_or_names(value: Any, where: str) -> tuple[str, ...]:
    if isinstance(value, str):
        return (value,) if value else ()
    return _names(value, where)


def _one_or_wholes(value: Any, where: str) -> tuple[int, ...]:
    items = value if isinstance(value, list) else [value]
    return tuple(_whole(item, where) for item in items)


def _ranges(value: Any, where: str) -> tuple[tuple[int, int], ...]:
    if not isinstance(value, list):
        raise _wrong(value, where, "a list of [start, end]")
    pairs = [_one_or_wholes(item, where) for item in value]
    for pair in pairs:
        if len(pair) != 2:
            raise _wrong(list(pair), where, "a pair [start, end]")
    return tuple((start, end) for start, end in pairs)


def _rank_pattern(value: Any, where: str) -> tuple[tuple[str, int], ...]:
    return tuple(
        (key, _whole(item, f"{where}: {key}")) for key, item in _items(value, where)
    )


def _alpha_pattern(value: Any, where: str) -> tuple[tuple[str, float], ...]:
    return tuple(
        (key, _number(item, f"{where}: {key}")) for key, item in _items(value, where)
    )


def _items(value: Any, where: str) -> list[tuple[str, Any]]:
    if not isinstance(value, dict):
        raise _wrong(value, where, "an object of name -> number")
    return list(value.items())


def _tokens(value: Any, where: str) -> tuple[tuple[str, tuple[int, ...]], ...]:
    if isinstance(value, list):
        return (("", _one_or_wholes(value, where)),)
    if not isinstance(value, dict):
        raise _wrong(value, where, "a list of tokens or an object of lists")
    return tuple((key, _one_or_wholes(items, where)) for key, items in value.items())


_READERS: dict[str, Callable[[Any, str], Any]] = {
    "r": _whole,
    "lora_alpha": _number,
    "target_modules": _names_or_text,
    "exclude_modules": _names_or_text,
    "target_parameters": _names,
    "modules_to_save": _names,
    "layers_to_transform": _one_or_wholes,
    "layers_pattern": _one_or_names,
    "layer_replication": _ranges,
    "rank_pattern": _rank_pattern,
    "alpha_pattern": _alpha_pattern,
    "trainable_token_indices": _tokens,
    "bias": _text,
    "lora_bias": _flag,
    "use_dora": _flag,
    "use_rslora": _flag,
    "fan_in_fan_out": _flag,
    "ensure_weight_tying": _flag,
    "lora_dropout": _number,
    "init_lora_weights": _start,
    "task_type": _text,
}
