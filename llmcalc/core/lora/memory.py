"""Bytes that training holds: base weights, adapter, gradients, optimizer states.

Activations, logits, temporary copies and the allocator's slack are not in it.
"""

from collections.abc import Callable, Iterable
from math import prod
from typing import NamedTuple

from llmcalc.core.lora.matrix import ITEM_BYTES, Shape

# bitsandbytes: weights share an absmax per block of 64, absmaxes one per block of 256;
# 8-bit optimizer states one per block of 256, tensors under 4096 elements stay 32-bit.
_NF4_BLOCK, _BLOCK, _MIN_8BIT = 64, 256, 4096
NOT_INCLUDED = (
    "activations and the adapters' copies of their inputs",
    "logits and loss (tokens x vocabulary)",
    "temporary copies in the optimizer step",
    "CUDA context and allocator slack",
)


class Base(NamedTuple):
    """The frozen weights: all parameters, and the matrices that int8 or nf4 pack.

    ``dtype`` is float32, bfloat16, float16, int8, nf4 (double quantised), nf4-single,
    or "stored" for weights whose ``stored_bytes`` were read off their files.
    ``estimated`` marks stacks of experts and packings that this does not model.
    """

    params: int
    packed: tuple[Shape, ...] = ()
    dtype: str = "bfloat16"
    estimated: bool = False
    stored_bytes: int = 0


class Trained(NamedTuple):
    """A trained tensor and its copies; ``in_base`` for one that the base holds."""

    shape: tuple[int, ...]
    dtype: str = "float32"
    copies: int = 1
    in_base: bool = False


class Item(NamedTuple):
    """One line of the memory table; ``exact`` or an estimate, and by which formula."""

    item: str
    bytes: int
    exact: bool
    formula: str
    source: str


class Memory(NamedTuple):
    """The items; ``upcast`` is what preparing a packed base for training may add."""

    items: tuple[Item, ...]
    upcast: int = 0

    @property
    def total(self) -> int:
        """Return the sum of the items in bytes."""
        return sum(item.bytes for item in self.items)


def _int8(d_in: int, d_out: int) -> int:
    return d_in * d_out + 4 * d_out


def _nf4_single(d_in: int, d_out: int) -> int:
    n = d_in * d_out
    return -(-n // 2) + 4 * -(-n // _NF4_BLOCK)


def _nf4(d_in: int, d_out: int) -> int:
    n = d_in * d_out
    blocks = -(-n // _NF4_BLOCK)
    return -(-n // 2) + blocks + 4 * -(-blocks // _BLOCK)


_BNB = "bitsandbytes, without its lookup tables"
# Bytes of a packed matrix of d_in x d_out, the formula, its source.
PACKINGS: dict[str, tuple[Callable[[int, int], int], str, str]] = {
    "int8": (_int8, "linear: 1 N + 4 rows; rest: 2", _BNB),
    "nf4": (
        _nf4,
        "linear: N/2 + N/64 + 4 N/16384 (4.127 bits); rest: 2",
        "QLoRA, " + _BNB,
    ),
    "nf4-single": (_nf4_single, "linear: N/2 + 4 N/64; rest: 2", _BNB),
}


def _adamw(shape: tuple[int, ...], dtype: str) -> int:
    return 2 * ITEM_BYTES[dtype] * prod(shape)


def _adamw8bit(shape: tuple[int, ...], _dtype: str) -> int:
    n = prod(shape)
    return 8 * n if n < _MIN_8BIT else 2 * n + 2 * 4 * -(-n // _BLOCK)


def _sgd(_shape: tuple[int, ...], _dtype: str) -> int:
    return 0


def _adafactor(shape: tuple[int, ...], _dtype: str) -> int:
    if len(shape) < 2:
        return 4 * prod(shape)
    return 4 * (prod(shape[:-1]) + prod(shape[:-2]) * shape[-1])


# Bytes of the states of a tensor of some shape and dtype, the formula, its source.
OPTIMIZERS: dict[str, tuple[Callable[[tuple[int, ...], str], int], str, str]] = {
    "adamw": (_adamw, "2 states a tensor", "torch.optim.AdamW"),
    "adamw8bit": (
        _adamw8bit,
        "2 N + 8 N/256; 8 N below 4096 elements",
        "bitsandbytes AdamW8bit",
    ),
    "sgd": (_sgd, "none (no momentum)", "torch.optim.SGD"),
    "adafactor": (
        _adafactor,
        "4 (rows + columns); 4 N for vectors",
        "transformers Adafactor",
    ),
}


def base_weights(base: Base) -> Item:
    """Return the bytes of the frozen weights.

    T parameters take 4, 2 or 2 bytes each in float32, bfloat16, float16. A packed
    base keeps all but its linear matrices in 16 bits; the formulas are those of
    bitsandbytes, its lookup tables (about 1 kB a matrix) left out.

    >>> base_weights(Base(4096 * 4096, (Shape(4096, 4096),), "nf4")).bytes
    8654848
    """
    if base.dtype == "stored":
        files = "the tensors in the files"
        return Item("base", base.stored_bytes, True, files, "safetensors header")
    if base.dtype in ITEM_BYTES:
        width = ITEM_BYTES[base.dtype]
        bytes_held, exact = width * base.params, not base.estimated
        return Item("base", bytes_held, exact, f"{width} T", base.dtype)
    size, formula, source = PACKINGS[base.dtype]
    linear = sum(s.copies * s.d_in * s.d_out for s in base.packed)
    packed = sum(s.copies * size(s.d_in, s.d_out) for s in base.packed)
    rest = 2 * (base.params - linear)
    return Item("base", packed + rest, not base.estimated, formula, source)


def training_memory(
    base: Base, trained: Iterable[Trained], optimizer: str, *, exact: bool = True
) -> Memory:
    """Return what training holds: base, adapter, gradients, optimizer states.

    The adapter is every trained tensor that the base does not hold already; a
    gradient has the bytes of its tensor; states follow the optimizer's own rule.
    ``exact`` is false where the trained tensors are known by their sum alone.

    >>> a_and_b = [Trained((8, 4096)), Trained((4096, 8))]
    >>> [i.bytes for i in training_memory(Base(4096 * 4096), a_and_b, "adamw").items]
    [33554432, 262144, 262144, 524288]
    """
    weights, own, states = 0, 0, 0
    state_bytes, formula, source = OPTIMIZERS[optimizer]
    for shape, dtype, copies, in_base in trained:
        size = copies * ITEM_BYTES[dtype] * prod(shape)
        weights, own = weights + size, own + (0 if in_base else size)
        states += copies * state_bytes(shape, dtype)
    frozen = base_weights(base)
    items = (
        frozen,
        Item("adapter", own, exact, "A, B, copies", "PEFT"),
        Item("gradients", weights, exact, "what trains", "torch"),
        Item("optimizer", states, exact, formula, source),
    )
    return Memory(items, _upcast(base))


def _upcast(base: Base) -> int:
    """Return what PEFT's prepare_model_for_kbit_training adds: 16 -> 32 bits."""
    if base.dtype not in PACKINGS:
        return 0
    return 2 * (base.params - sum(s.copies * s.d_in * s.d_out for s in base.packed))
