"""What trains beside LoRA: modules saved in full and biases of the base.

Source: PEFT 0.21.2, utils/other.py (_set_trainable, set_additional_trainable_modules)
and tuners_utils.py (_mark_only_adapters_as_trainable).
"""

from collections.abc import Iterable, Sequence
from math import prod

from llmcalc.core.lora.layers import AdaptedLayer, LoraConfig, SavedModule
from llmcalc.core.lora.tree import Tree
from llmcalc.errors import LlmcalcError

# Modules inside every adapted layer, which cannot be saved.
_WRAPPED = (
    "lora_dropout",
    "lora_A",
    "lora_B",
    "lora_A.default",
    "lora_magnitude_vector",
)


def saved_modules(
    tree: Tree,
    config: LoraConfig,
    adapted: Sequence[AdaptedLayer],
    sharing: Sequence[str] = (),
) -> list[SavedModule]:
    """Return the modules whose name ends in a text of modules_to_save, copied whole.

    A tensor that two modules share is copied with each; those of ``sharing`` (of
    ensure_weight_tying) train the embedding's copy and add none.

    Raises LlmcalcError for a mere list of modules and a module that has an adapter.
    """
    endings = tuple(config.modules_to_save or ())
    if not endings:
        return []
    layers = {holder_of(layer) for layer in adapted}
    _check_wrappers(endings, adapted)
    chosen = [name for name in tree.modules if name.endswith(endings)]
    found = []
    for name in chosen:
        if tree.is_list(name):
            raise LlmcalcError(
                f"modules_to_save: {name} is a list of modules; PEFT refuses it"
            )
        if name in layers:
            raise LlmcalcError(
                f"modules_to_save: {name} has an adapter; PEFT refuses it"
            )
        again = tuple(f"{n}." for n in chosen if n.startswith(f"{name}."))
        found.append(_copied(name, again, tree, adapted))
    found.extend(SavedModule(name, 0) for name in sharing if name in tree.modules)
    return found


def _copied(
    name: str, again: tuple[str, ...], tree: Tree, adapted: Sequence[AdaptedLayer]
) -> SavedModule:
    """Return the copy of a module; what is in ``again`` is copied again and frozen."""
    tensors = tree.inside(name)
    frozen = {n: shape for n, shape in tensors.items() if n.startswith(again)}
    own = {n: shape for n, shape in tensors.items() if n not in frozen}
    adapters = sum(
        layer.params + layer.frozen
        for layer in adapted
        if layer.name.startswith(f"{name}.")
    )
    return SavedModule(
        name, distinct_params(own, tree) + adapters, distinct_params(frozen, tree)
    )


def _check_wrappers(endings: tuple[str, ...], adapted: Sequence[AdaptedLayer]) -> None:
    """Raise where an ending fits the modules that PEFT puts inside adapted layers."""
    for layer in adapted[:1]:
        for part in _WRAPPED:
            if f"{layer.name}.{part}".endswith(endings):
                raise LlmcalcError(
                    f"modules_to_save: {', '.join(endings)} fits PEFT's own module "
                    f"{layer.name}.{part}; PEFT refuses it"
                )


def distinct_params(tensors: dict[str, tuple[int, ...]], tree: Tree) -> int:
    """Return the numbers in tensors, one that has two names counted once."""
    return sum(
        {tree.owner(name): prod(shape) for name, shape in tensors.items()}.values()
    )


def trained_biases(
    tree: Tree,
    config: LoraConfig,
    adapted: Iterable[AdaptedLayer],
    saved: Iterable[SavedModule],
) -> dict[str, int]:
    """Return the biases of the base that train, by the name under which they count.

    ``all``: every tensor whose name ends in ``.bias``, ``lora_only``: those of adapted
    layers. Inside saved modules the copies train instead.
    """
    if config.bias == "none":
        return {}
    if config.bias == "all":
        wanted = [name for name in tree.tensors if name.endswith(".bias")]
    else:
        wanted = [f"{holder_of(layer)}.bias" for layer in adapted]
    frozen = {tree.owner(n) for module in saved for n in tree.inside(module.name)}
    owners = [tree.owner(name) for name in wanted if name in tree.tensors]
    return {name: prod(tree.tensors[name]) for name in owners if name not in frozen}


def holder_of(layer: AdaptedLayer) -> str:
    """Return the module that PEFT wraps: a bare tensor's own is one above."""
    return layer.name.rpartition(".")[0] if layer.kind == "Parameter" else layer.name
