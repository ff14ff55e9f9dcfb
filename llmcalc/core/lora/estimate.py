"""What one setting of LoRA costs, in one form for typed shapes and for models."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from llmcalc.core.lora.matrix import ITEM_BYTES, LoraMatrices, Shape, quotient
from llmcalc.core.lora.memory import Base, Memory, Trained, training_memory

if TYPE_CHECKING:
    from llmcalc.core.lora.budget import Budget
    from llmcalc.core.lora.layers import Adapted, Model

# PEFT trains and saves adapters in float32 whatever the base is (since 0.11).
DEFAULT_DTYPE = "float32"
DEFAULT_BASE_DTYPE = "bfloat16"


class Storage(NamedTuple):
    """How numbers are held: "" for ``dtype`` is PEFT's way (float32 adapters, copies
    of base weights in the base's dtype), "" for ``base_dtype`` the model's own.
    """

    dtype: str = ""
    base_dtype: str = ""
    optimizer: str = "adamw"


class Module(NamedTuple):
    """Adapted matrices of one name pattern, shape and rank; counts are of one copy.

    ``layers`` is the range of numbers that the pattern's ``*`` stands for.
    """

    name: str
    kind: str
    d_in: int
    d_out: int
    rank: int
    alpha: float
    scaling: float
    copies: int
    full_params: int
    lora_params: int
    adapter_bytes: int
    layers: str = ""

    @property
    def ratio(self) -> float:
        """Return lora_params / full_params, correctly rounded."""
        return quotient(self.lora_params, self.full_params)


class Estimate(NamedTuple):
    """What LoRA trains and what that takes.

    ``full_params`` and ``lora_params`` are those of the adapted matrices,
    ``trainable`` and ``total`` those of the model as PEFT counts it, ``elements`` the
    numbers in the saved tensors. Typed shapes are a model of nothing else; their
    tensors have no names, so ``file_bytes`` is None, as are ``model`` and ``adapted``,
    what PEFT's rules made of it.
    """

    rank: int
    alpha: float
    scaling: float
    modules: tuple[Module, ...]
    full_params: int
    lora_params: int
    break_even_rank: float | None
    trainable: int
    total: int
    adapter_bytes: int
    file_bytes: int | None
    memory: Memory
    elements: int
    rslora: bool = False
    assumed: tuple[str, ...] = ()
    model: "Model | None" = None
    adapted: "Adapted | None" = None

    @property
    def ratio(self) -> float:
        """Return lora_params / full_params, correctly rounded."""
        return quotient(self.lora_params, self.full_params)

    @property
    def percent(self) -> float:
        """Return 100 trainable / total, correctly rounded, as PEFT prints it."""
        return quotient(100 * self.trainable, self.total)


def estimate_matrices(
    found: LoraMatrices, storage: Storage, *, dora: bool = False
) -> Estimate:
    """Return what LoRA on typed shapes costs.

    >>> from llmcalc.core.lora.matrix import lora_matrices
    >>> square = lora_matrices([Shape(4096, 4096)], rank=8)
    >>> estimate_matrices(square, Storage()).memory.total
    34603008
    """
    dtype = storage.dtype or DEFAULT_DTYPE
    width = ITEM_BYTES[dtype]
    modules = tuple(
        Module(
            *(f"{m.d_in}x{m.d_out}", "Linear", m.d_in, m.d_out, m.rank, m.alpha),
            *(m.scaling, m.copies, m.full_params, m.lora_params),
            width * m.lora_params,
        )
        for m in found.matrices
    )
    shapes = tuple(Shape(m.d_in, m.d_out, m.copies) for m in found.matrices)
    base = Base(found.full_params, shapes, storage.base_dtype or DEFAULT_BASE_DTYPE)
    trained = _trained(shapes, found.rank, dtype, dora=dora)
    return Estimate(
        *(found.rank, found.alpha, found.scaling, modules),
        *(found.full_params, found.lora_params, found.break_even_rank),
        trainable=found.lora_params,
        total=found.full_params,
        adapter_bytes=width * found.lora_params,
        file_bytes=None,
        memory=training_memory(base, trained, storage.optimizer),
        elements=found.lora_params,
    )


def _trained(
    shapes: Sequence[Shape], rank: int, dtype: str, *, dora: bool
) -> list[Trained]:
    tensors = []
    for d_in, d_out, copies in shapes:
        tensors.append(Trained((rank, d_in), dtype, copies))
        tensors.append(Trained((d_out, rank), dtype, copies))
        if dora:
            tensors.append(Trained((d_out,), dtype, copies))
    return tensors


class Answer(NamedTuple):
    """What was asked for: one rank, the rank within a budget, a sweep, a comparison.

    ``main`` is the estimate at the rank that was given or found, ``above`` the one
    of one rank more where a budget was asked for.
    """

    main: Estimate | None
    budget: "Budget | None" = None
    above: Estimate | None = None
    sweep: tuple[Estimate, ...] = ()
    compare: tuple[tuple[str, Estimate], ...] = ()
