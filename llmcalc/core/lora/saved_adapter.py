"""What a saved adapter is, from the names and shapes of its tensors."""

import re
from collections.abc import Iterable, Iterator, Sequence
from math import prod
from typing import NamedTuple

from llmcalc.core.lora.adapters import ranks
from llmcalc.core.lora.layers import LoraConfig
from llmcalc.core.lora.matrix import lora_scaling
from llmcalc.errors import LlmcalcError

_PREFIX = "base_model.model."
# "default" is the adapter's name where a training state was saved as it is.
_LORA = re.compile(
    r"(?P<module>.+?)\.lora_(?P<part>embedding_A|embedding_B|A|B|magnitude_vector)"
    r"(?:\.default)?(?:\.(?P<kind>weight|bias))?"
)


class SavedTensor(NamedTuple):
    """A tensor of the file: its name there, its shape, its type (F32, BF16 ...)."""

    name: str
    shape: tuple[int, ...]
    dtype: str

    @property
    def size(self) -> int:
        """Return the number of elements."""
        return prod(self.shape)


class SavedLayer(NamedTuple):
    """An adapted layer as it was saved; ``a`` and ``b`` are its tensors.

    ``rank`` is the number of rows of A (of one expert, where the config's rank
    divides a stack's), ``alpha`` and ``scaling`` what the config gives it: None
    without a config. ``tensors`` are A, B, magnitude and bias.
    """

    name: str
    kind: str
    d_in: int
    d_out: int
    rank: int
    tensors: tuple[SavedTensor, ...]
    a: SavedTensor
    b: SavedTensor
    alpha: float | None = None
    scaling: float | None = None
    magnitude: bool = False
    bias: bool = False

    @property
    def params(self) -> int:
        """Return the numbers in all of its tensors."""
        return sum(tensor.size for tensor in self.tensors)


class SavedAdapter(NamedTuple):
    """The layers of an adapter file and the tensors beside them."""

    layers: list[SavedLayer]
    others: list[SavedTensor]

    @property
    def largest_rank(self) -> int:
        """Return the largest rank of a layer: what a server must allow."""
        return max(layer.rank for layer in self.layers)

    @property
    def common_rank(self) -> int:
        """Return the rank that most layers have, the smaller one of two."""
        counts: dict[int, int] = {}
        for layer in self.layers:
            counts[layer.rank] = counts.get(layer.rank, 0) + 1
        return min(counts, key=lambda rank: (-counts[rank], rank))


def saved_adapter(
    tensors: Iterable[SavedTensor], config: LoraConfig | None, name: str
) -> SavedAdapter:
    """Return the adapted layers of a file's tensors, under the config beside it.

    Raises LlmcalcError where no tensor is LoRA's, and for an A without its B.

    >>> a = SavedTensor("base_model.model.q.lora_A.weight", (8, 64), "F32")
    >>> b = SavedTensor("base_model.model.q.lora_B.weight", (32, 8), "F32")
    >>> layer = saved_adapter([a, b], LoraConfig(r=8, lora_alpha=16), "x").layers[0]
    >>> layer.name, layer.d_in, layer.d_out, layer.rank, layer.scaling
    ('q', 64, 32, 8, 2.0)
    """
    parts: dict[str, dict[str, SavedTensor]] = {}
    others: list[SavedTensor] = []
    for tensor in tensors:
        match = _LORA.fullmatch(tensor.name)
        if match is None:
            others.append(tensor)
            continue
        module = match["module"].removeprefix(_PREFIX)
        part = match["part"] + ("_bias" if match["kind"] == "bias" else "")
        parts.setdefault(module, {})[part] = tensor
    if not parts:
        raise LlmcalcError(f"{name}: no tensor is named as PEFT names LoRA's A and B")
    layers = [_layer(module, found, name) for module, found in parts.items()]
    return SavedAdapter(list(_scaled(layers, config)), others)


def _layer(module: str, found: dict[str, SavedTensor], name: str) -> SavedLayer:
    embedding = "embedding_A" in found or "embedding_B" in found
    start = "embedding_" if embedding else ""
    a, b = found.get(f"{start}A"), found.get(f"{start}B")
    if a is None or b is None:
        missing = "A" if a is None else "B"
        raise LlmcalcError(f"{name}: {module}: lora_{start}{missing} is missing")
    if len(a.shape) < 2 or len(b.shape) < 2 or 0 in (*a.shape, *b.shape):
        shapes = f"{list(a.shape)} and {list(b.shape)}"
        raise LlmcalcError(f"{name}: {module}: shapes {shapes} are no A and B")
    kind = "Embedding" if embedding else "Linear"
    if len(a.shape) > 2:
        kind = f"Conv{len(a.shape) - 2}d"
    elif module.rpartition(".")[2] in ("experts", "base_layer"):
        kind = "Parameter"
    return SavedLayer(
        *(module, kind, a.shape[1], b.shape[0], a.shape[0]),
        tensors=tuple(found.values()),
        a=a,
        b=b,
        magnitude="magnitude_vector" in found,
        bias="B_bias" in found,
    )


def _scaled(
    layers: Sequence[SavedLayer], config: LoraConfig | None
) -> Iterator[SavedLayer]:
    if config is None:
        yield from layers
        return
    given = ranks(config)
    for layer in layers:
        rank, alpha, _ = given.of(layer.name)
        factor = lora_scaling(alpha, rank, rslora=config.use_rslora)
        # A stack of experts has an A of so many ranks' rows.
        stacked = layer.kind == "Parameter" and layer.rank % rank == 0
        yield layer._replace(
            rank=rank if stacked else layer.rank, alpha=alpha, scaling=factor
        )
