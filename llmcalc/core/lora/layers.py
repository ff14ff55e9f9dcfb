"""What `lora` knows of a model, of an adapter's settings and of their match.

The seam between readers of models, PEFT's rules and figures; sizes are exact integers.
"""

from math import prod
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from llmcalc.core.lora.prepare import Prepared


class Layer(NamedTuple):
    """One layer with a weight, under its full name in the model.

    ``kind`` is the class that PEFT looks at: Linear, Conv1D, Embedding, Conv1d,
    Conv2d, Conv3d or MultiheadAttention. ``d_in`` of an Embedding is its number of
    rows; of a convolution the number of input channels, with its ``kernel``.
    """

    name: str
    kind: str
    d_in: int
    d_out: int
    bias: bool = False
    kernel: tuple[int, ...] = ()
    groups: int = 1

    @property
    def weight_params(self) -> int:
        """Return the numbers in the weight: a convolution's groups share channels."""
        return self.d_in // self.groups * prod(self.kernel) * self.d_out

    @property
    def params(self) -> int:
        """Return the numbers in weight and bias."""
        return self.weight_params + (self.d_out if self.bias else 0)


class Parameter(NamedTuple):
    """A tensor that belongs to no `Layer`: a norm, a table, a stack of experts.

    A stack of experts is (experts, d_out, d_in), ``transposed`` (experts, d_in, d_out).
    """

    name: str
    shape: tuple[int, ...]
    transposed: bool = False

    @property
    def params(self) -> int:
        """Return the numbers in the tensor."""
        return prod(self.shape)


class Model(NamedTuple):
    """The weights of a model by name and shape, from a config or from headers.

    ``modules`` names the modules that own no tensor and that no tensor's name
    implies (activations, dropout). ``tied`` holds pairs (alias, owner) of names of one
    tensor. ``output`` and ``embedding`` name the output layer and the input embedding,
    "" where there is none. ``dtype`` and ``quantization`` are those of the stored
    weights ("" where unknown; nf4, fp4, int8, gptq, awq, fp8, mxfp4). ``stored_bytes``
    is the payload of the files where those were read. ``assumed`` lists what a config
    left out and what its class takes for it; ``notes`` are warnings.
    """

    model_type: str
    layers: list[Layer]
    parameters: list[Parameter]
    total: int
    modules: tuple[str, ...] = ()
    tied: tuple[tuple[str, str], ...] = ()
    output: str = ""
    embedding: str = ""
    dtype: str = ""
    quantization: str = ""
    stored_bytes: int | None = None
    assumed: tuple[str, ...] = ()
    source: str = ""
    notes: tuple[str, ...] = ()


class LoraConfig(NamedTuple):
    """The fields of PEFT's LoraConfig that change a count, with PEFT's defaults.

    ``trainable_token_indices`` holds pairs of a module and its tokens; "" is the
    input embedding, which PEFT takes where only tokens are given.
    """

    r: int = 8
    lora_alpha: float = 8
    target_modules: tuple[str, ...] | str | None = None
    exclude_modules: tuple[str, ...] | str | None = None
    target_parameters: tuple[str, ...] | None = None
    modules_to_save: tuple[str, ...] | None = None
    layers_to_transform: tuple[int, ...] | None = None
    layers_pattern: tuple[str, ...] | None = None
    layer_replication: tuple[tuple[int, int], ...] | None = None
    rank_pattern: tuple[tuple[str, int], ...] = ()
    alpha_pattern: tuple[tuple[str, float], ...] = ()
    trainable_token_indices: tuple[tuple[str, tuple[int, ...]], ...] | None = None
    bias: str = "none"
    lora_bias: bool = False
    use_dora: bool = False
    use_rslora: bool = False
    fan_in_fan_out: bool = False
    ensure_weight_tying: bool = False
    lora_dropout: float = 0.0
    init_lora_weights: bool | str = True
    task_type: str = ""


class AdaptedLayer(NamedTuple):
    """A layer (or a bare tensor, kind Parameter) with its adapter.

    ``params`` = ``unit`` x rank + ``extra`` are trained: A and B, then DoRA's
    magnitude and the bias of B. ``frozen`` are those of a B that doesn't train (MiCA).
    ``patterned`` says that a pattern, not ``r``, set the rank.
    """

    name: str
    kind: str
    d_in: int
    d_out: int
    rank: int
    alpha: float
    scaling: float
    params: int
    unit: int
    extra: int = 0
    experts: int = 0
    patterned: bool = False
    kernel: tuple[int, ...] = ()
    groups: int = 1
    frozen: int = 0


class SavedModule(NamedTuple):
    """A module that is trained in full: its copy's parameters.

    ``frozen`` are those of modules inside it that are saved again by themselves.
    """

    name: str
    params: int
    frozen: int = 0


class Tensor(NamedTuple):
    """A tensor of a saved adapter.

    ``base`` says that it is a copy of a base weight and keeps the base's dtype;
    LoRA's own tensors are float32 unless the user casts them.
    """

    name: str
    shape: tuple[int, ...]
    base: bool = False


class Parts(NamedTuple):
    """How the trainable parameters split."""

    lora: int = 0
    dora_magnitude: int = 0
    lora_bias: int = 0
    base_bias: int = 0
    saved_modules: int = 0
    tokens: int = 0


class Adapted(NamedTuple):
    """A model under PEFT: what trains and how many parameters there are.

    ``total`` is that of the wrapped model: base, adapters and copies. One more rank
    trains ``slope`` parameters in the layers that no pattern gives a rank.
    ``unmatched`` names the targets that matched nothing, ``notes`` warn, ``prepared``
    is what was counted.
    """

    modules: list[AdaptedLayer]
    saved: list[SavedModule]
    parts: Parts
    trainable: int
    total: int
    slope: int
    unmatched: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    prepared: "Prepared | None" = None
