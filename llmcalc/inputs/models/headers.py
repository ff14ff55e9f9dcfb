"""Names and shapes of a checkpoint -> layers, for models outside of the table.

A file knows no classes: what is an Embedding or a transposed Conv1D is told from names
and biases. Names are those of the file, which are mostly PEFT's.
"""

from collections.abc import Mapping
from typing import Any

from llmcalc.core.lora.layers import Layer, Model, Parameter
from llmcalc.core.lora.tree import total_params
from llmcalc.errors import LlmcalcError
from llmcalc.inputs.models.unpacked import Weights

# The last words of modules that are tables of rows.
_EMBEDDINGS = frozenset(
    [
        *("embed_tokens", "wte", "wpe", "word_embeddings", "embed_in", "shared"),
        *("position_embeddings", "token_type_embeddings", "embed_positions"),
        *("embeddings", "embedding", "tok_embeddings", "token_embedding"),
        *("rel_embeddings", "relative_attention_bias", "position_embedding"),
        "embed_tokens_per_layer",
    ]
)
# Those that map to the vocabulary, best known first.
_OUTPUTS = ("lm_head", "embed_out", "output", "proj_out", "decoder", "vocab_projector")
_INPUTS = ("embed_tokens", "wte", "word_embeddings", "embed_in", "shared", "embeddings")
_CONV1D_TYPES = ("gpt2", "openai-gpt", "imagegpt", "decision_transformer")
_CONV1D_NAMES = ("c_attn", "c_proj", "c_fc", "q_attn")
_CONVOLUTIONS = {3: "Conv1d", 4: "Conv2d", 5: "Conv3d"}
# Modules inside modules; real ones have a dozen.
_MAX_DEPTH = 100
# The causal mask that old files of GPT-2 and GPT-NeoX hold: 1 x 1 x n x n.
_MASK_AXES = 4


def model_from_weights(weights: Weights, config: Mapping[str, Any], name: str) -> Model:
    """Return the layers that names and shapes of a checkpoint stand for.

    ``config`` is the config.json beside it, {} where there is none: it gives the model
    type, and where it says that weights are tied, the output layer that the file lacks.

    Raises LlmcalcError for a name of more parts than any model's.
    """
    shapes = {n: s for n, s in weights.shapes.items() if not _is_mask(n, s)}
    for tensor, shape in shapes.items():
        if 0 in shape and len(shape) > 1:
            raise LlmcalcError(f"{name}: {tensor} of shape {list(shape)} holds nothing")
        if tensor.count(".") > _MAX_DEPTH:
            raise LlmcalcError(f"{name}: {tensor:.60}...: no model is nested so deeply")
    layers, parameters = _divided(shapes, conv1d=_has_conv1d(shapes, config))
    embedding = _named(layers, _INPUTS, "Embedding")
    output = _named(layers, _OUTPUTS, "Linear")
    tied: tuple[tuple[str, str], ...] = ()
    if embedding is not None and output is None and _ties(config):
        output = Layer("lm_head", "Linear", embedding.d_out, embedding.d_in)
        layers.append(output)
        tied = ((f"{output.name}.weight", f"{embedding.name}.weight"),)
    model = Model(
        model_type=str(config.get("model_type", "")),
        layers=layers,
        parameters=parameters,
        total=0,
        tied=tied,
        output=output.name if output else "",
        embedding=embedding.name if embedding else "",
        dtype=weights.dtype,
        quantization=weights.quantization,
        source=name,
    )
    return model._replace(total=total_params(model))


def _divided(
    shapes: dict[str, tuple[int, ...]], *, conv1d: bool
) -> tuple[list[Layer], list[Parameter]]:
    """Return the layers that weights of two axes and more are, and what is left."""
    weights = {n: s for n, s in shapes.items() if n.endswith(".weight") and len(s) > 1}
    layers = [_layer(n, shape, shapes, conv1d=conv1d) for n, shape in weights.items()]
    owned = {f"{layer.name}.{part}" for layer in layers for part in ("weight", "bias")}
    rest = [Parameter(n, shape) for n, shape in shapes.items() if n not in owned]
    return layers, rest


def _layer(
    tensor: str,
    shape: tuple[int, ...],
    shapes: Mapping[str, tuple[int, ...]],
    *,
    conv1d: bool,
) -> Layer:
    name = tensor.removesuffix(".weight")
    last = name.rpartition(".")[2]
    bias = shapes.get(f"{name}.bias")
    if len(shape) > 2:
        channels, kernel = shape[1], shape[2:]
        # A depthwise convolution has one channel a group; other groups leave no trace.
        groups = shape[0] if channels == 1 and shape[0] > 1 and len(shape) == 3 else 1
        kind = _CONVOLUTIONS.get(len(shape), "Conv3d")
        return Layer(
            name, kind, channels * groups, shape[0], bias is not None, kernel, groups
        )
    if last in _EMBEDDINGS and bias is None:
        return Layer(name, "Embedding", shape[0], shape[1])
    if conv1d and last in _CONV1D_NAMES:
        return Layer(name, "Conv1D", shape[0], shape[1], bias is not None)
    return Layer(name, "Linear", shape[1], shape[0], bias is not None)


def _has_conv1d(
    shapes: Mapping[str, tuple[int, ...]], config: Mapping[str, Any]
) -> bool:
    """Return whether weights named as GPT-2's are stored in x out, as its Conv1D are.

    The bias has the length of the output: it shows which axis that is.
    """
    if "model_type" in config:
        return config["model_type"] in _CONV1D_TYPES
    for tensor, shape in shapes.items():
        name = tensor.removesuffix(".weight")
        if name.rpartition(".")[2] in _CONV1D_NAMES and len(shape) == 2:
            bias = shapes.get(f"{name}.bias")
            if bias is not None and shape[0] != shape[1]:
                return bias == shape[1:]
    return False


def _named(layers: list[Layer], names: tuple[str, ...], kind: str) -> Layer | None:
    """Return the layer of a kind whose last word is the first of these that occurs."""
    for name in names:
        for layer in layers:
            if layer.kind == kind and layer.name.rpartition(".")[2] == name:
                return layer
    return None


def _ties(config: Mapping[str, Any]) -> bool:
    """Return whether a language model's output layer is its embedding.

    A file without one says so itself, unless its class has none.
    """
    named = config.get("architectures")
    head = str(named[0]) if isinstance(named, list) and named else ""
    if config.get("tie_word_embeddings") is False:
        return False
    return head.endswith(("ForCausalLM", "LMHeadModel", "ForConditionalGeneration"))


def _is_mask(name: str, shape: tuple[int, ...]) -> bool:
    return name.endswith(".bias") and len(shape) == _MASK_AXES and shape[:2] == (1, 1)
