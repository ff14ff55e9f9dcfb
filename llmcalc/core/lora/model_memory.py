"""The bytes that training a model's adapter holds, and in which types."""

from collections import Counter
from collections.abc import Iterator, Sequence
from math import prod
from typing import NamedTuple

from llmcalc.core.lora.estimate import DEFAULT_BASE_DTYPE, DEFAULT_DTYPE, Storage
from llmcalc.core.lora.layers import Adapted, LoraConfig, Model, Tensor
from llmcalc.core.lora.matrix import ITEM_BYTES, Shape
from llmcalc.core.lora.memory import (
    PACKINGS,
    Base,
    Memory,
    Trained,
    training_memory,
)

# What bitsandbytes packs: the classes that transformers replaces.
_PACKED_KINDS = ("Linear", "Conv1D")
# Packings that a config names -> what is counted; fp4 takes as much as nf4.
_PACKED_AS = {"nf4": "nf4", "fp4": "nf4", "int8": "int8"}
_PREFIX = "base_model.model."
_TOKENS = ".trainable_tokens_delta"
# Tensors that are saved beside what trains: base matrices, and second names.
_NOT_TRAINED = (".base_layer.weight", ".original_module.", ".modules_to_save.")


class Dtypes(NamedTuple):
    """The types of LoRA's own tensors and of copies of base weights."""

    own: str
    copied: str


class _Training(NamedTuple):
    """What decides whether a saved tensor trains, and how often."""

    owner: dict[str, str]
    saved: tuple[str, ...]
    dtypes: Dtypes
    ties_kept: bool


def dtypes_of(model: Model, storage: Storage) -> Dtypes:
    """Return the types of an adapter's tensors: PEFT's where nothing else is asked.

    >>> dtypes_of(Model("x", [], [], 0, dtype="float16"), Storage())
    Dtypes(own='float32', copied='float16')
    """
    if storage.dtype:
        return Dtypes(storage.dtype, storage.dtype)
    return Dtypes(DEFAULT_DTYPE, base_item_dtype(model, storage))


def model_memory(
    model: Model,
    config: LoraConfig,
    adapted: Adapted,
    tensors: Sequence[Tensor],
    storage: Storage,
) -> Memory:
    """Return what training holds: every trained tensor by its shape and type.

    Where shapes don't add up to what trains (an initialisation that freezes B), the
    sum alone is taken and the items are marked as estimates.
    """
    training = _Training(
        dict(model.tied),
        tuple(module.name for module in adapted.saved),
        dtypes_of(model, storage),
        config.ensure_weight_tying,
    )
    # The layers of a model are alike: a tensor of each shape, with its copies.
    counted = Counter(_held(training, tensors))
    held = [one._replace(copies=copies) for one, copies in counted.items()]
    exact = sum(t.copies * prod(t.shape) for t in held) == adapted.trainable
    if not exact:
        held = [Trained((adapted.trainable,), training.dtypes.own)]
    return training_memory(
        base_of(model, storage), held, storage.optimizer, exact=exact
    )


def base_of(model: Model, storage: Storage) -> Base:
    """Return the frozen weights as they are held in training.

    Without a dtype of its own the base is held as it is stored: the bytes of its
    files where those were read, else the config's dtype or packing.
    """
    left = _unpacked(model)
    packed = Counter(
        (layer.d_in, layer.d_out)
        for layer in model.layers
        if layer.kind in _PACKED_KINDS and layer.name != left
    )
    dtype, stored = storage.base_dtype, model.stored_bytes
    if not dtype and stored is not None:
        return Base(model.total, dtype="stored", stored_bytes=stored)
    unknown = not dtype and model.quantization not in ("", *_PACKED_AS)
    dtype = (
        dtype
        or _PACKED_AS.get(model.quantization, "")
        or base_item_dtype(model, storage)
    )
    stacked = any(len(parameter.shape) > 2 for parameter in model.parameters)
    return Base(
        model.total,
        tuple(Shape(*shape, copies) for shape, copies in packed.items()),
        dtype,
        estimated=unknown or (stacked and dtype in PACKINGS),
    )


def _unpacked(model: Model) -> str:
    """Return the layer that transformers leaves unpacked: the output, or the last."""
    last = model.layers[-1] if model.layers else None
    return model.output or (last.name if last and not last.bias else "")


def base_item_dtype(model: Model, storage: Storage) -> str:
    """Return the dtype of base weights that are not packed, and of their copies."""
    for dtype in (storage.base_dtype, model.dtype):
        if dtype in ITEM_BYTES:
            return dtype
    return DEFAULT_BASE_DTYPE


def assumed_base(model: Model, storage: Storage) -> Iterator[str]:
    """Yield what was taken for the base's type where nothing says it."""
    base = base_of(model, storage)
    if storage.base_dtype or base.dtype == "stored":
        return
    if model.quantization and model.quantization not in _PACKED_AS:
        yield f"base dtype = {base.dtype} ({model.quantization} without its files)"
    elif model.quantization or model.dtype not in ITEM_BYTES:
        yield f"base dtype = {base.dtype}"


def _held(training: _Training, tensors: Sequence[Tensor]) -> Iterator[Trained]:
    """Yield the tensors that train: LoRA's own, copied modules, biases of the base.

    A tensor of two names trains once: with each module that is copied, or, where
    PEFT keeps ties, once in all.
    """
    owner, saved, dtypes, ties_kept = training
    seen = set()
    for name, shape, base in tensors:
        if not base:
            yield Trained(shape, dtypes.own)
            continue
        plain = name.removeprefix(_PREFIX)
        copy = next((s for s in saved if plain.startswith(f"{s}.")), "")
        bias = plain.endswith(".bias")
        if any(part in plain for part in _NOT_TRAINED) or not (
            copy or bias or plain.endswith(_TOKENS)
        ):
            continue
        key = ("" if ties_kept else copy, owner.get(plain, plain))
        if key not in seen:
            seen.add(key)
            yield Trained(shape, dtypes.copied, in_base=not copy and bias)
