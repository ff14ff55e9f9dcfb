"""layer_replication: a decoder's layers repeated, their weights shared."""

from llmcalc.core.lora.layers import Layer, Model, Parameter
from llmcalc.core.lora.tree import layer_tensors, total_params
from llmcalc.errors import LlmcalcError

# Where PEFT looks for the layers, inside the model's own prefixes.
_PREFIXES = ("model.", "bert.")
_LISTS = ("layers", "encoder.layer", "h")


def replicated(model: Model, ranges: tuple[tuple[int, int], ...]) -> Model:
    """Return a model whose layers are those of the ranges, one after another.

    A layer that occurs twice has its weights once: the copies are tied to the first.
    Layers in no range are gone. Source: PEFT 0.21.2, tuners_utils.replicate_layers.

    Raises LlmcalcError where the model's layers are not found or a range leaves them.
    """
    prefix = _layers_prefix(model)
    order = _order(ranges, 1 + max(_number(x.name, prefix) for x in model.layers))
    first = {old: new for new, old in reversed(list(enumerate(order)))}
    layers = [layer for layer in model.layers if _number(layer.name, prefix) < 0]
    parameters = [p for p in model.parameters if _number(p.name, prefix) < 0]
    modules = [name for name in model.modules if _number(name, prefix) < 0]
    tied = list(model.tied)
    for new, old in enumerate(order):
        here, there = f"{prefix}{old}.", f"{prefix}{new}."
        copied = [
            layer._replace(name=there + layer.name.removeprefix(here))
            for layer in model.layers
            if layer.name.startswith(here)
        ]
        bare = [
            parameter._replace(name=there + parameter.name.removeprefix(here))
            for parameter in model.parameters
            if parameter.name.startswith(here)
        ]
        inner = [name for name in model.modules if name.startswith(here)]
        layers, parameters = layers + copied, parameters + bare
        modules += [there + name.removeprefix(here) for name in inner]
        if new != first[old]:
            original = f"{prefix}{first[old]}."
            names = _tensor_names(copied, bare)
            tied += [(name, original + name.removeprefix(there)) for name in names]
    changed = model._replace(
        layers=layers, parameters=parameters, modules=tuple(modules), tied=tuple(tied)
    )
    return changed._replace(total=total_params(changed))


def _order(ranges: tuple[tuple[int, int], ...], depth: int) -> list[int]:
    """Return the layers of the ranges, of those that the model has."""
    order = [index for start, end in ranges for index in range(start, end)]
    for index in order:
        if not 0 <= index < depth:
            raise LlmcalcError(
                f"layer_replication: layer {index} is not one of the {depth}"
            )
    return order


def _tensor_names(layers: list[Layer], parameters: list[Parameter]) -> list[str]:
    names = [name for layer in layers for name in layer_tensors(layer)]
    return names + [parameter.name for parameter in parameters]


def _layers_prefix(model: Model) -> str:
    """Return what stands before a layer's number: model.layers. and its kin."""
    names = [layer.name for layer in model.layers]
    root = ""
    while any(name.startswith(f"{root}{_PREFIXES[0]}") for name in names):
        root += _PREFIXES[0]
    if any(name.startswith(f"{root}{_PREFIXES[1]}") for name in names):
        root += _PREFIXES[1]
    for part in _LISTS:
        prefix = f"{root}{part}."
        if any(_number(name, prefix) >= 0 for name in names):
            return prefix
    raise LlmcalcError(
        "layer_replication: no list of layers is where PEFT looks for it "
        f"({', '.join(_LISTS)} under {root or 'the model'})"
    )


def _number(name: str, prefix: str) -> int:
    """Return a layer's number, -1 for a name outside of the layers."""
    if not name.startswith(prefix):
        return -1
    number = name[len(prefix) :].partition(".")[0]
    return int(number) if number.isdecimal() else -1
