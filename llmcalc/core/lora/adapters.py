"""The adapter of one layer: its parameters, or why PEFT refuses it."""

from math import prod
from typing import NamedTuple

from llmcalc.core.lora.defaults import FUSED_KEY, MAMBA_REFUSED, MAMBA_TYPES
from llmcalc.core.lora.layers import AdaptedLayer, Layer, LoraConfig, Parameter
from llmcalc.core.lora.matching import Patterns, patterns
from llmcalc.core.lora.matrix import lora_scaling
from llmcalc.errors import LlmcalcError

_STACK, _MATRIX = 3, 2
# An initialisation that trains A alone, and the kinds that have it.
MICA = "mica"
_MICA_KINDS = ("Linear", "Conv1D", "Embedding")


class Ranks(NamedTuple):
    """The rank and alpha of each layer by a config's patterns."""

    config: LoraConfig
    rank: Patterns
    alpha: Patterns
    fused: bool = False

    def of(self, name: str) -> tuple[int, float, bool]:
        """Return rank, alpha and whether a pattern of the user's set the rank."""
        rank = self.rank.find(name)
        alpha = self.alpha.find(name)
        r = self.config.r if rank is None else int(rank[1])
        if r <= 0:
            where = "r" if rank is None else f"rank_pattern: {rank[0]!r}"
            raise LlmcalcError(f"{where}: {r} is not a rank; it must be 1 or more")
        patterned = rank is not None and not (self.fused and rank[0] == FUSED_KEY)
        return r, self.config.lora_alpha if alpha is None else alpha[1], patterned


def ranks(config: LoraConfig, *, fused: bool = False) -> Ranks:
    """Return the ranks that a config gives; ``fused`` where PEFT added a pattern."""
    return Ranks(
        config,
        patterns("rank_pattern", config.rank_pattern),
        patterns("alpha_pattern", config.alpha_pattern),
        fused,
    )


def adapt_layer(layer: Layer, given: Ranks, model_type: str) -> AdaptedLayer:
    """Return the adapter of a layer.

    unit = d_in + d_out per rank; a convolution's A carries its kernel, its B is
    grouped; DoRA adds d_out, lora_bias d_out. Attention of torch's own kind has two
    adapters, of its input and of its output projection.

    Raises LlmcalcError where PEFT refuses: a bias or DoRA that the kind lacks, a rank
    that groups do not divide, layers of Mamba.

    >>> adapt_layer(Layer("q", "Linear", 4096, 1024), ranks(LoraConfig()), "").params
    40960
    """
    config, kind = given.config, layer.kind
    if model_type in MAMBA_TYPES and layer.name.rpartition(".")[2] in MAMBA_REFUSED:
        raise LlmcalcError(
            f"{layer.name}: PEFT refuses LoRA on out_proj and conv1d of {model_type}; "
            "take them out of the targets"
        )
    rank, alpha, patterned = given.of(layer.name)
    _check_kind(layer, config, rank)
    inward, outward = _sides(layer)
    trained_b = config.init_lora_weights != MICA
    # torch's attention has a second adapter, whose B has d_in rows.
    rows = layer.d_out + (layer.d_in if kind == "MultiheadAttention" else 0)
    extra = (layer.d_out if config.use_dora else 0) + (rows if config.lora_bias else 0)
    unit = inward + outward if trained_b else inward
    return AdaptedLayer(
        *(layer.name, kind, layer.d_in, layer.d_out, rank, alpha),
        scaling=lora_scaling(alpha, rank, rslora=config.use_rslora),
        params=unit * rank + extra,
        unit=unit,
        extra=extra,
        patterned=patterned,
        kernel=layer.kernel,
        groups=layer.groups,
        frozen=0 if trained_b else outward * rank,
    )


def adapt_parameter(parameter: Parameter, given: Ranks, *, fan: bool) -> AdaptedLayer:
    """Return the adapter of a bare tensor: a stack of experts or a router's matrix.

    unit = experts (d_in + d_out): every expert has its own A and B. ``fan`` is PEFT's
    fan_in_fan_out when it gets here.

    Raises LlmcalcError for a tensor of 1 or 4 dimensions and for options that PEFT
    refuses on bare tensors.

    >>> stack = Parameter("experts.down_proj", (8, 4096, 14336))
    >>> adapt_parameter(stack, ranks(LoraConfig()), fan=False).params
    1179648
    """
    name, config = parameter.name, given.config
    experts, d_out, d_in = _stack(parameter)
    if "." not in name:
        raise LlmcalcError(
            f"target_parameters: {name} is in no module; PEFT refuses it"
        )
    rank, alpha, patterned = given.of(name)
    refused = {
        "lora_dropout": config.lora_dropout,
        "fan_in_fan_out": fan,
        "lora_bias": config.lora_bias,
        "use_dora": config.use_dora,
        f"init_lora_weights={MICA}": config.init_lora_weights == MICA,
    }
    for option, given_value in refused.items():
        if given_value:
            raise LlmcalcError(f"{name}: PEFT refuses {option} on a bare tensor")
    unit = experts * (d_in + d_out)
    return AdaptedLayer(
        *(name, "Parameter", d_in, d_out, rank, alpha),
        scaling=lora_scaling(alpha, rank, rslora=config.use_rslora),
        params=unit * rank,
        unit=unit,
        experts=experts,
        patterned=patterned,
    )


def _stack(parameter: Parameter) -> tuple[int, int, int]:
    """Return experts, d_out, d_in of a stack of matrices; a matrix is a stack of 1."""
    name, shape = parameter.name, parameter.shape
    if len(shape) == _MATRIX:
        return 1, shape[0], shape[1]
    if len(shape) != _STACK:
        raise LlmcalcError(
            f"target_parameters: {name} has shape {list(shape)}; PEFT adapts tensors "
            "of 2 and 3 dimensions"
        )
    experts, d_out, d_in = shape
    return (experts, d_in, d_out) if parameter.transposed else (experts, d_out, d_in)


def _sides(layer: Layer) -> tuple[int, int]:
    """Return the parameters per rank of A and of B."""
    if layer.kind == "MultiheadAttention":
        return 2 * layer.d_in, layer.d_out + layer.d_in
    return layer.d_in * prod(layer.kernel), layer.d_out // layer.groups


def _check_kind(layer: Layer, config: LoraConfig, rank: int) -> None:
    refused = ""
    if layer.kind == "Embedding" and config.lora_bias:
        refused = "lora_bias on an Embedding"
    elif layer.kind == "MultiheadAttention" and config.use_dora:
        refused = "DoRA on MultiheadAttention"
    elif config.init_lora_weights == MICA and layer.kind not in _MICA_KINDS:
        refused = f"init_lora_weights={MICA} on a {layer.kind}"
    elif config.init_lora_weights == MICA and rank > min(layer.d_in, layer.d_out):
        refused = (
            f"init_lora_weights={MICA} with rank {rank} above a side of the weight"
        )
    elif rank % layer.groups:
        refused = f"rank {rank} on a convolution of {layer.groups} groups"
    if refused:
        raise LlmcalcError(f"{layer.name}: PEFT refuses {refused}")
