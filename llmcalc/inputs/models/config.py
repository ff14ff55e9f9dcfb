"""config.json -> the layers of the model that transformers builds from it."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from llmcalc.core.lora.layers import Model
from llmcalc.core.lora.tree import total_params
from llmcalc.errors import LlmcalcError

if TYPE_CHECKING:
    from llmcalc.inputs.models.fields import Fields
    from llmcalc.inputs.models.table import Part

_WAYS = (
    "give its safetensors file or folder, whose header says every shape, or dimensions "
    "such as 4096x11008"
)


def read_config(config: Mapping[str, Any], name: str) -> Model:
    """Return the layers of the model that a config.json describes.

    ``config`` is its JSON object, ``name`` what messages call the file. The table of
    families has the formulas. Fields that are missing are taken from the class's
    defaults and listed in ``assumed``.

    Raises LlmcalcError for a type or a head that the table lacks, for an adapter's
    config, and for sizes that are none.

    >>> read_config({"model_type": "llama", "vocab_size": 32000}, "config.json").total
    6738415616
    """
    from llmcalc.inputs.models.families import FAMILIES
    from llmcalc.inputs.models.fields import Fields

    model_type = config.get("model_type")
    if "peft_type" in config:
        raise LlmcalcError(
            f"{name}: is an adapter's config; give it by --adapter-config to a model"
        )
    family = FAMILIES.get(model_type) if isinstance(model_type, str) else None
    if family is None:
        raise _unknown(config, list(FAMILIES), name)
    fields = Fields(config, family, name)
    part = _expanded(fields)
    model = Model(
        *(str(model_type), part.layers, part.parameters),
        total=0,
        modules=tuple(part.modules),
        tied=tuple(part.tied),
        output=part.marks.get("output", ""),
        embedding=part.marks.get("embedding", ""),
        dtype=_dtype(config),
        quantization=quantization(config),
        assumed=tuple(fields.all_assumed()),
        source=name,
    )
    return model._replace(total=total_params(model))


def _expanded(fields: "Fields") -> "Part":
    """Return what the rows of a family's body and of the config's head come to."""
    from llmcalc.inputs.models.table import Part, expand

    family = fields.family
    head = _head(fields, list(family.heads))
    prefix = family.prefixes.get(head, "" if head == "Model" else family.prefix)
    part = Part([], [], [], [], {})
    expand(family.bodies.get(head, family.body), prefix, fields, part)
    expand(family.heads.get(head, ""), "", fields, part, prefix)
    return part


def is_known(config: Mapping[str, Any]) -> bool:
    """Return whether the table of families has the config's type and head."""
    from llmcalc.inputs.models.families import FAMILIES
    from llmcalc.inputs.models.fields import Fields

    model_type = config.get("model_type")
    if not isinstance(model_type, str) or model_type not in FAMILIES:
        return False
    fields = Fields(config, FAMILIES[model_type], "")
    return _ending(fields.architecture, list(FAMILIES[model_type].heads)) is not None


def quantization(config: Mapping[str, Any]) -> str:
    """Return how the config says that weights are stored: nf4, gptq ..., or ""."""
    section = config.get("quantization_config")
    if not isinstance(section, dict):
        return ""
    method = str(section.get("quant_method", ""))
    if section.get("load_in_4bit"):
        return str(section.get("bnb_4bit_quant_type", "fp4"))
    if section.get("load_in_8bit"):
        return "int8"
    return method


def _head(fields: "Fields", heads: list[str]) -> str:
    """Return which head the config's class has: the ending of its name."""
    head = _ending(fields.architecture, heads)
    if head is None:
        raise LlmcalcError(
            f"{fields.name}: architectures: {fields.architecture!r:.60} is not known; "
            f"known endings: {', '.join([*heads, 'Model'])}; {_WAYS}"
        )
    if not fields.architecture:
        fields.assumed["architectures"] = f"...{head}"
    return head


def _ending(named: str, heads: list[str]) -> str | None:
    """Return the head of a class's name; of none the family's first."""
    if not named:
        return heads[0] if heads else "Model"
    endings = [ending for ending in heads if named.endswith(ending)]
    if endings:
        return max(endings, key=len)
    return "Model" if named.endswith("Model") else None


def _dtype(config: Mapping[str, Any]) -> str:
    """Return the dtype of the stored weights; a text config may hold it."""
    for section in (config, config.get("text_config")):
        if isinstance(section, dict):
            for field in ("dtype", "torch_dtype"):
                if isinstance(section.get(field), str):
                    return str(section[field]).removeprefix("torch.")
    return ""


def _unknown(config: Mapping[str, Any], known: list[str], name: str) -> LlmcalcError:
    model_type = config.get("model_type")
    if model_type is None:
        return LlmcalcError(f"{name}: no model_type: not the config.json of a model")
    text = config.get("text_config")
    inner = text.get("model_type") if isinstance(text, dict) else None
    part = ""
    if inner in known:
        part = f" (its text_config alone, {inner}, is)"
    return LlmcalcError(
        f"{name}: model_type {model_type!r:.60} is not in the table of families{part}; "
        f"{_WAYS}; known: {', '.join(known)}"
    )
