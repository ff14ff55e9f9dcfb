"""PEFT's count without PEFT: which layers a LoraConfig adapts, what trains, what not.

Follows PEFT 0.21.2 with transformers 5.24.0 step by step (BaseTuner.inject_adapter);
held against it on drawn configs in tests/reference/test_lora_peft.py.
"""

import re

from llmcalc.core.lora.adapters import Ranks, adapt_layer, adapt_parameter, ranks
from llmcalc.core.lora.defaults import MAMBA_TYPES
from llmcalc.core.lora.experts import ALL_LINEAR, linear_targets
from llmcalc.core.lora.layers import (
    Adapted,
    AdaptedLayer,
    Layer,
    LoraConfig,
    Model,
    Parameter,
    Parts,
    SavedModule,
)
from llmcalc.core.lora.matching import Targets, names, targets
from llmcalc.core.lora.notes import Matched, notes, nothing_matched, unmatched
from llmcalc.core.lora.prepare import Prepared, prepare
from llmcalc.core.lora.saved import holder_of, saved_modules, trained_biases
from llmcalc.core.lora.settings import target_names, with_task_heads
from llmcalc.core.lora.ties import Tokens, trained_tokens
from llmcalc.core.lora.tree import Tree
from llmcalc.errors import LlmcalcError


def apply_lora(model: Model, config: LoraConfig) -> Adapted:
    """Return what a LoraConfig trains on a model, as PEFT counts it.

    trainable = A and B of every adapted layer + DoRA's magnitudes + biases of B +
    biases of the base + copies of saved modules + single tokens;
    total = parameters of the base, a tied tensor once, + all of these but the base's
    own biases. Numbers are exact integers.

    Raises LlmcalcError where PEFT refuses: nothing matches, no default targets, a
    rank below 1, a layer of a kind that has no adapter, options that exclude others.

    >>> from llmcalc.core.lora.layers import Layer
    >>> q = Layer("model.layers.0.self_attn.q_proj", "Linear", 4096, 4096)
    >>> adapted = apply_lora(Model("llama", [q], [], 16777216), LoraConfig(r=16))
    >>> adapted.trainable, adapted.total
    (131072, 16908288)
    """
    prepared = prepare(model, config)
    matched = _match(prepared)
    tree, final = prepared.tree, with_task_heads(prepared.config)
    if not matched.layers:
        raise nothing_matched(prepared, config)
    saved = saved_modules(tree, final, matched.layers, prepared.sharing)
    biases = trained_biases(tree, final, matched.layers, saved)
    holders = {holder_of(layer) for layer in matched.layers}
    tokens = trained_tokens(prepared.model, tree, final, holders)
    return _summed(prepared, matched, saved, biases, tokens)


def _match(prepared: Prepared) -> Matched:
    """Return the adapters of the targeted modules, then of the targeted tensors."""
    model, tree, config = prepared.model, prepared.tree, prepared.config
    given = ranks(config, fused=prepared.rewritten.fused)
    wanted = _targets(prepared)
    found: list[Layer] = []
    entries: set[str] = set()
    for name in tree.modules:
        entry = wanted.match(name)
        if entry is None:
            continue
        layer = tree.layers.get(name)
        if layer is None:
            raise LlmcalcError(
                f"target_modules: {name} is of no kind that PEFT adapts; its layers are"
                f" of {', '.join(target_names(model))}"
            )
        found.append(layer)
        entries.add(entry)
    layers = _adapted(found, given, model.model_type)
    parameters = _match_parameters(tree, given, layers)
    return Matched(layers + parameters.layers, entries | parameters.entries)


def _adapted(found: list[Layer], given: Ranks, model_type: str) -> list[AdaptedLayer]:
    """Return the layers' adapters; those of layers that differ in name are alike."""
    by_name = given.rank.entries or given.alpha.entries or model_type in MAMBA_TYPES
    alike: dict[tuple[object, ...], AdaptedLayer] = {}
    layers = []
    for layer in found:
        known = None if by_name else alike.get(layer[1:])
        if known is None:
            adapted = adapt_layer(layer, given, model_type)
            alike[layer[1:]] = adapted
        else:
            adapted = AdaptedLayer(layer.name, *known[1:])
        layers.append(adapted)
    return layers


def _targets(prepared: Prepared) -> Targets:
    model, tree, config = prepared.model, prepared.tree, prepared.config
    wanted, tied = config.target_modules, prepared.tied_targets
    if isinstance(wanted, str) and wanted.lower() == ALL_LINEAR:
        # PEFT makes a list of it, to which layers_to_transform is not applied.
        wanted = tuple(linear_targets(model, tree, config))
    if isinstance(wanted, str) and tied:
        wanted = "|".join([f"(?:{wanted})", *map(re.escape, tied)])
    elif tied:
        wanted = (*(wanted or ()), *tied)
    return targets(config._replace(target_modules=wanted))


def _match_parameters(tree: Tree, given: Ranks, adapted: list[AdaptedLayer]) -> Matched:
    """Return the adapters of the tensors that target_parameters names by ending."""
    wanted = names("target_parameters", given.config.target_parameters or ())
    found: list[AdaptedLayer] = []
    entries: set[str] = set()
    if not wanted.listed:
        return Matched(found, entries)
    taken = {layer.name for layer in adapted}
    plain = [layer for layer in adapted if layer.kind in ("Linear", "Conv1D")]
    fan = given.config.fan_in_fan_out
    if plain:
        # PEFT sets it to what the last adapted layer needs.
        fan = plain[-1].kind == "Conv1D"
    for name, shape in tree.tensors.items():
        entry = wanted.match(name)
        if entry is None:
            continue
        if name.rpartition(".")[0] in taken:
            raise LlmcalcError(
                f"target_parameters: {name} is in a layer that target_modules adapts"
            )
        parameter = tree.parameters.get(name) or Parameter(name, shape)
        found.append(adapt_parameter(parameter, given, fan=fan))
        entries.add(entry)
    return Matched(found, entries)


def _summed(
    prepared: Prepared,
    matched: Matched,
    saved: list[SavedModule],
    biases: dict[str, int],
    tokens: list[Tokens],
) -> Adapted:
    config, layers = prepared.config, matched.layers
    # Inside a saved module the copy of an adapter trains, not the adapter.
    inside = tuple(f"{module.name}." for module in saved)
    own = [layer for layer in layers if not layer.name.startswith(inside)]
    magnitudes = sum(layer.d_out for layer in own) if config.use_dora else 0
    extra = sum(layer.extra for layer in own)
    parts = Parts(
        lora=sum(layer.params for layer in own) - extra,
        dora_magnitude=magnitudes,
        lora_bias=extra - magnitudes,
        base_bias=sum(biases.values()),
        saved_modules=sum(module.params for module in saved),
        tokens=sum(each.tokens * each.width for each in tokens),
    )
    trainable = sum(parts)
    idle = sum(layer.params for layer in layers) - sum(layer.params for layer in own)
    frozen = idle + sum(layer.frozen for layer in layers)
    frozen += sum(module.frozen for module in saved)
    return Adapted(
        modules=layers,
        saved=saved,
        parts=parts,
        trainable=trainable,
        total=prepared.model.total + trainable - parts.base_bias + frozen,
        slope=_slope(config, layers),
        unmatched=unmatched(prepared, matched),
        notes=tuple(notes(prepared, matched, saved)),
        prepared=prepared,
    )


def _slope(config: LoraConfig, layers: list[AdaptedLayer]) -> int:
    """Return what one more rank trains in the layers of the base rank."""
    return sum(
        layer.unit * (layer.rank // config.r) for layer in layers if not layer.patterned
    )
