"""What one setting of LoRA costs, in one form for typed shapes and for models."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from llmcalc.core.lora.matrix import ITEM_BYTES, LoraMatrix, Shape, quotient
from llmcalc.core.lora.memory import Base, Memory, Trained, training_memory
from llmcalc.errors import LlmcalcError

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
    matrices: Sequence[LoraMatrix], storage: Storage, *, dora: bool = False
) -> Estimate:
    """Return what LoRA on typed matrices costs; the sums run over every copy.

    The matrices share rank, alpha and ``dora``. Raises LlmcalcError where there are
    none.

    >>> from llmcalc.core.lora.matrix import lora_parameters
    >>> square = lora_parameters(4096, 4096, 8)
    >>> estimate_matrices([square._replace(copies=2)], Storage()).lora_params
    131072
    """
    if not matrices:
        raise LlmcalcError("no matrix is given; write its shape as 4096x11008")
    first, dtype = matrices[0], storage.dtype or DEFAULT_DTYPE
    width = ITEM_BYTES[dtype]
    full = sum(m.copies * m.full_params for m in matrices)
    lora = sum(m.copies * m.lora_params for m in matrices)
    unit = sum(m.copies * (m.d_in + m.d_out) for m in matrices)
    shapes = tuple(Shape(m.d_in, m.d_out, m.copies) for m in matrices)
    base = Base(full, shapes, storage.base_dtype or DEFAULT_BASE_DTYPE)
    trained = _trained(shapes, first.rank, dtype, dora=dora)
    return Estimate(
        *(first.rank, first.alpha, first.scaling),
        tuple(_module(matrix, width) for matrix in matrices),
        full_params=full,
        lora_params=lora,
        break_even_rank=quotient(full - (lora - first.rank * unit), unit),
        trainable=lora,
        total=full,
        adapter_bytes=width * lora,
        file_bytes=None,
        memory=training_memory(base, trained, storage.optimizer),
        elements=lora,
    )


def _module(m: LoraMatrix, width: int) -> Module:
    return Module(
        *(f"{m.d_in}x{m.d_out}", "Linear", m.d_in, m.d_out, m.rank, m.alpha),
        *(m.scaling, m.copies, m.full_params, m.lora_params),
        width * m.lora_params,
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
