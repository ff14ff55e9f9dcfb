"""The tensors of a saved adapter: their names and shapes as PEFT writes them.

Source: PEFT 0.21.2, utils/save_and_load.py (get_peft_model_state_dict).
"""

from collections import Counter
from collections.abc import Iterator

from llmcalc.core.lora.defaults import EMBEDDING_NAMES
from llmcalc.core.lora.experts import ALL_LINEAR
from llmcalc.core.lora.layers import Adapted, AdaptedLayer, LoraConfig, Model, Tensor
from llmcalc.core.lora.matching import compiled
from llmcalc.core.lora.prepare import Prepared, prepare
from llmcalc.core.lora.saved import holder_of
from llmcalc.core.lora.ties import token_modules, trained_tokens
from llmcalc.core.lora.tree import layer_tensors

_PREFIX = "base_model.model."
# What a Tensor is, its name without the prefix.
_Entry = tuple[str, tuple[int, ...], bool]


def adapter_tensors(model: Model, config: LoraConfig, adapted: Adapted) -> list[Tensor]:
    """Return the tensors that PEFT saves for an adapted model.

    A and B of each adapter, DoRA's magnitudes, biases, copies of saved modules, single
    tokens, and the whole base matrix of an embed_tokens or lm_head that is a target.

    >>> from llmcalc.core.lora.layers import Layer
    >>> from llmcalc.core.lora.peft import apply_lora
    >>> model = Model("x", [Layer("q", "Linear", 64, 32)], [], 2048)
    >>> config = LoraConfig(r=8, target_modules=("q",))
    >>> [t.shape for t in adapter_tensors(model, config, apply_lora(model, config))]
    [(8, 64), (32, 8)]
    """
    prepared = adapted.prepared or prepare(model, config)
    found: dict[str, Tensor] = {}
    for group in (
        _of_adapters(adapted, prepared.config),
        _of_saved(adapted, prepared),
        _of_biases(adapted, prepared),
        _of_tokens(prepared),
        _of_embeddings(adapted, prepared),
    ):
        for name, shape, base in group:
            if name not in found:
                found[name] = Tensor(_PREFIX + name, shape, base)
    return list(found.values())


def _of_adapters(adapted: Adapted, config: LoraConfig) -> Iterator[_Entry]:
    stacks: dict[str, list[AdaptedLayer]] = {}
    for layer in adapted.modules:
        if layer.kind == "Parameter":
            stacks.setdefault(layer.name.rpartition(".")[0], []).append(layer)
        else:
            yield from _of_layer(layer, config)
    for owner, wrapped in stacks.items():
        # Wrappers are nested: the last one that was put on is the outermost.
        for depth, layer in enumerate(reversed(wrapped)):
            name, count = owner + depth * ".base_layer", layer.rank * layer.experts
            yield f"{name}.lora_A.weight", (count, layer.d_in), False
            yield f"{name}.lora_B.weight", (layer.d_out, count), False


def _of_layer(layer: AdaptedLayer, config: LoraConfig) -> Iterator[_Entry]:
    name, rank, d_in, d_out = layer.name, layer.rank, layer.d_in, layer.d_out
    magnitude: tuple[int, ...] = (d_out,)
    if layer.kind == "Embedding":
        yield f"{name}.lora_embedding_A", (rank, d_in), False
        yield f"{name}.lora_embedding_B", (d_out, rank), False
    else:
        ones = (1,) * len(layer.kernel)
        yield f"{name}.lora_A.weight", (rank, d_in, *layer.kernel), False
        yield f"{name}.lora_B.weight", (d_out, rank // layer.groups, *ones), False
        magnitude = (1, d_out, *ones) if ones else magnitude
    if layer.kind == "MultiheadAttention":
        inner = f"{name}.base_layer.out_proj"
        yield f"{inner}.lora_A.weight", (rank, d_in), False
        yield f"{inner}.lora_B.weight", (d_in, rank), False
        if config.lora_bias:
            yield f"{inner}.lora_B.bias", (d_in,), False
    if config.lora_bias:
        yield f"{name}.lora_B.bias", (d_out,), False
    if config.use_dora:
        yield f"{name}.lora_magnitude_vector", magnitude, False


def _of_saved(adapted: Adapted, prepared: Prepared) -> Iterator[_Entry]:
    wrappers = Counter(holder_of(layer) for layer in adapted.modules)
    for module in adapted.saved:
        for name, shape in prepared.tree.inside(module.name).items():
            holder, _, last = name.rpartition(".")
            inner = wrappers[holder] * ".base_layer"
            yield f"{holder}{inner}.{last}", shape, True


def _of_biases(adapted: Adapted, prepared: Prepared) -> Iterator[_Entry]:
    """Yield the biases of the base; of a saved module both the copy's and its own."""
    bias, tree = prepared.config.bias, prepared.tree
    if bias == "none":
        return
    wrappers = Counter(holder_of(layer) for layer in adapted.modules)
    saved = [module.name for module in adapted.saved]
    tokens = trained_tokens(prepared.model, tree, prepared.config)
    with_tokens = token_modules(prepared.model, tokens)
    for name, shape in tree.tensors.items():
        holder, _, last = name.rpartition(".")
        wrapped = holder in wrappers or holder in with_tokens
        if last != "bias" or (bias == "lora_only" and not wrapped):
            continue
        copied = next((m for m in saved if f"{holder}.".startswith(f"{m}.")), None)
        if copied is not None and bias == "all":
            rest = holder.removeprefix(copied)
            # PEFT takes its adapter's name out of the end of a key only.
            copy = f"modules_to_save.default{rest}" if rest else "modules_to_save"
            yield f"{copied}.original_module{rest}.bias", shape, True
            yield f"{copied}.{copy}.bias", shape, True
        else:
            inner = wrappers[holder] * ".base_layer"
            if holder in with_tokens:
                inner = ".token_adapter.base_layer"
            yield f"{holder}{inner}.bias", shape, True


def _of_tokens(prepared: Prepared) -> Iterator[_Entry]:
    model, tree, config = prepared.model, prepared.tree, prepared.config
    for module, count, width in trained_tokens(model, tree, config):
        name = f"{module}.token_adapter.trainable_tokens_delta"
        yield name, (count, width), True


def _of_embeddings(adapted: Adapted, prepared: Prepared) -> Iterator[_Entry]:
    """Yield the base matrices of an adapted embedding and output layer.

    They are stored where embed_tokens or lm_head is named as a target.
    """
    model, tree, config = prepared.model, prepared.tree, prepared.config
    if config.trainable_token_indices is not None or not _embedding_named(prepared):
        return
    adapted_names = {holder_of(layer) for layer in adapted.modules}
    for name in (model.embedding, model.output):
        layer = tree.layers.get(name)
        if layer is not None and name in adapted_names:
            for tensor, shape in layer_tensors(layer).items():
                stored = f"{name}.base_layer{tensor.removeprefix(name)}"
                yield stored, shape, True


def _embedding_named(prepared: Prepared) -> bool:
    wanted = prepared.config.target_modules
    if not isinstance(wanted, str):
        return any(name in EMBEDDING_NAMES for name in wanted or ())
    if wanted.lower() == ALL_LINEAR:
        return False
    pattern = compiled("target_modules", wanted)
    return any(
        name.rpartition(".")[2] in EMBEDDING_NAMES and pattern.fullmatch(name)
        for name in prepared.tree.modules
    )
