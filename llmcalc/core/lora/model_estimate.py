"""What one setting of LoRA costs on a model, by PEFT's rules."""

from collections.abc import Iterable, Iterator
from math import lcm, prod
from typing import Any

from llmcalc.core.lora.adapter_file import StoredTensor, safetensors_size
from llmcalc.core.lora.estimate import Estimate, Module, Storage
from llmcalc.core.lora.layers import Adapted, AdaptedLayer, LoraConfig, Model
from llmcalc.core.lora.matrix import ITEM_BYTES, lora_scaling, quotient
from llmcalc.core.lora.model_memory import assumed_base, dtypes_of, model_memory
from llmcalc.core.lora.patterns import first_numbers, pattern_of, ranges
from llmcalc.core.lora.peft import apply_lora
from llmcalc.core.lora.tensors import adapter_tensors


def estimate_model(model: Model, config: LoraConfig, storage: Storage) -> Estimate:
    """Return what a LoraConfig trains on a model, its file and its memory.

    ``full_params`` and ``lora_params`` are those of the adapted weights; trainable
    and total are what PEFT's print_trainable_parameters reports. Raises LlmcalcError
    where PEFT refuses the config.
    """
    adapted = apply_lora(model, config)
    tensors = adapter_tensors(model, config, adapted)
    own, copied = dtypes_of(model, storage)
    stored = [StoredTensor(t.name, t.shape, copied if t.base else own) for t in tensors]
    size = safetensors_size(stored)
    full = sum(_full(layer) for layer in adapted.modules)
    trained = sum(layer.params for layer in adapted.modules)
    return Estimate(
        rank=config.r,
        alpha=config.lora_alpha,
        scaling=lora_scaling(config.lora_alpha, config.r, rslora=config.use_rslora),
        modules=tuple(_modules(adapted.modules, ITEM_BYTES[own])),
        full_params=full,
        lora_params=trained,
        break_even_rank=_break_even(adapted, config.r, full, trained),
        trainable=adapted.trainable,
        total=adapted.total,
        adapter_bytes=size.payload_bytes,
        file_bytes=size.file_bytes,
        memory=model_memory(model, config, adapted, tensors, storage),
        elements=sum(tensor.size for tensor in stored),
        rslora=config.use_rslora,
        assumed=(*model.assumed, *assumed_base(model, storage)),
        model=model,
        adapted=adapted,
    )


def rank_step(model: Model, config: LoraConfig) -> int:
    """Return what the rank must be a multiple of: the groups of what is adapted.

    B of a convolution of g groups has r / g channels a group, so PEFT refuses other
    ranks; layers whose rank a pattern sets don't count. Raises LlmcalcError where
    PEFT refuses the config.

    >>> from llmcalc.core.lora.layers import Layer
    >>> layer = Layer("c", "Conv1d", 8, 16, kernel=(3,), groups=4)
    >>> rank_step(Model("x", [layer], [], 96), LoraConfig(target_modules=("c",)))
    4
    """
    divisible = lcm(*(layer.groups for layer in model.layers))
    if divisible == 1:
        return 1
    adapted = apply_lora(model, config._replace(r=divisible))
    return lcm(*(layer.groups for layer in adapted.modules if not layer.patterned))


def _modules(layers: Iterable[AdaptedLayer], width: int) -> Iterator[Module]:
    """Yield adapted layers by name pattern, apart where size or rank differ."""
    groups: dict[tuple[Any, ...], list[AdaptedLayer]] = {}
    for layer in layers:
        # All but the name: kind, sizes, rank, alpha, scaling, params ...
        key = (pattern_of(layer.name), *layer[1:])
        groups.setdefault(key, []).append(layer)
    for (pattern, *_), same in groups.items():
        layer = same[0]
        yield Module(
            *(pattern, layer.kind, layer.d_in, layer.d_out, layer.rank, layer.alpha),
            *(layer.scaling, len(same), _full(layer), layer.params),
            width * layer.params,
            ranges(first_numbers(one.name for one in same)),
        )


def _full(layer: AdaptedLayer) -> int:
    """Return the numbers in the adapted weight."""
    if layer.kind == "MultiheadAttention":
        # The projections in and out.
        return layer.d_in * (layer.d_out + layer.d_in)
    kernel = prod(layer.kernel)
    return max(1, layer.experts) * layer.d_in // layer.groups * kernel * layer.d_out


def _break_even(adapted: Adapted, rank: int, full: int, trained: int) -> float | None:
    if not adapted.slope:
        return None
    return quotient(full - (trained - adapted.slope * rank), adapted.slope)
