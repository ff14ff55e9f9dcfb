"""Whether an adapter's tensors are what its config says: each difference in words."""

from collections.abc import Iterable, Iterator

from llmcalc.core.lora.adapters import ranks
from llmcalc.core.lora.layers import LoraConfig
from llmcalc.core.lora.matching import Targets, names, targets
from llmcalc.core.lora.saved_adapter import SavedAdapter, SavedLayer
from llmcalc.core.lora.settings import checked_config, with_task_heads

_PREFIX = "base_model.model."
_TOKENS = ".trainable_tokens_delta"
# So many layers are named in one difference; the others are counted.
_NAMED = 3


def differences(adapter: SavedAdapter, config: LoraConfig) -> list[str]:
    """Return where tensors and config differ; an empty list where they agree.

    Compared are the rank of every layer, the inner sizes of A and B, magnitudes (DoRA),
    biases of B, target names both ways, modules saved in full, and trained biases.

    >>> from llmcalc.core.lora.saved_adapter import SavedTensor, saved_adapter
    >>> a = SavedTensor("base_model.model.q.lora_A.weight", (4, 64), "F32")
    >>> b = SavedTensor("base_model.model.q.lora_B.weight", (32, 4), "F32")
    >>> config = LoraConfig(r=8, target_modules=("q",))
    >>> differences(saved_adapter([a, b], config, "x"), config)
    ['rank 8 in the config, 4 in the tensors of q']
    """
    return [
        *_ranks(adapter, config),
        *_inner(adapter),
        *_options(adapter, config),
        *_targets(adapter, config),
        *_others(adapter, config),
    ]


def _ranks(adapter: SavedAdapter, config: LoraConfig) -> Iterator[str]:
    given = ranks(config)
    wrong: dict[tuple[int, int], list[str]] = {}
    for layer in adapter.layers:
        rank, _, _ = given.of(layer.name)
        if layer.rank != rank:
            wrong.setdefault((rank, layer.rank), []).append(layer.name)
    for (rank, found), layers in wrong.items():
        yield f"rank {rank} in the config, {found} in the tensors of {_list(layers)}"


def _inner(adapter: SavedAdapter) -> Iterator[str]:
    """Yield layers whose A and B don't multiply (a convolution's B may be grouped)."""
    wrong = [
        layer.name
        for layer in adapter.layers
        if layer.a.shape[0] % layer.b.shape[1]
        or (layer.a.shape[0] != layer.b.shape[1] and not layer.kind.startswith("Conv"))
    ]
    if wrong:
        yield f"A and B have different ranks in {_list(wrong)}"


def _options(adapter: SavedAdapter, config: LoraConfig) -> Iterator[str]:
    for option, wanted, has in (
        ("use_dora", config.use_dora, [x.magnitude for x in adapter.layers]),
        ("lora_bias", config.lora_bias, [x.bias for x in adapter.layers]),
    ):
        pairs = zip(adapter.layers, has, strict=True)
        wrong = [layer.name for layer, there in pairs if there != wanted]
        if wrong:
            state = "true, but none is" if wanted else "false, but one is"
            yield f"{option} is {state} stored for {_list(wrong)}"


def _targets(adapter: SavedAdapter, config: LoraConfig) -> Iterator[str]:
    wanted = config.target_modules
    if wanted is None or str(wanted).lower() == "all-linear":
        return
    owners = [name.rpartition(".")[0] for name in config.target_parameters or ()]
    bare = names("target_parameters", owners)
    layers = [
        layer
        for layer in adapter.layers
        if layer.kind != "Parameter" and bare.match(layer.name) is None
    ]
    rules = targets(checked_config(config))
    matched = {layer.name: _entry(rules, layer) for layer in layers}
    stray = [name for name, entry in matched.items() if entry is None]
    if stray:
        yield f"{_list(stray)} is stored, but is no target of the config"
    if isinstance(wanted, tuple) and not config.target_parameters:
        idle = [name for name in wanted if name not in matched.values()]
        # Names of experts are rewritten before a stack is adapted.
        if idle and len(layers) == len(adapter.layers):
            yield f"target_modules: nothing is stored for {_list(idle)}"


def _entry(rules: Targets, layer: SavedLayer) -> str | None:
    # torch's attention keeps the adapter of its output one level down.
    return rules.match(layer.name.removesuffix(".base_layer.out_proj"))


def _others(adapter: SavedAdapter, config: LoraConfig) -> Iterator[str]:
    saved = with_task_heads(config).modules_to_save or ()
    stored = [t.name.removeprefix(_PREFIX) for t in adapter.others]
    owners = [name.rpartition(".")[0] for name in stored]
    asked = config.modules_to_save or ()
    idle = [
        ending for ending in asked if not any(_is_inside(o, ending) for o in owners)
    ]
    if idle:
        yield f"modules_to_save: nothing is stored for {_list(idle)}"
    tokens = any(name.endswith(_TOKENS) for name in stored)
    if config.trainable_token_indices is not None and not tokens:
        yield "trainable_token_indices: nothing is stored for it"
    stray = [
        name
        for name, owner in zip(stored, owners, strict=True)
        if not any(_is_inside(owner, ending) for ending in saved)
        and not _explained(name, config)
    ]
    if stray:
        yield f"{_list(stray)} is stored, but nothing in the config asks for it"


def _is_inside(owner: str, ending: str) -> bool:
    """Return whether a module or one that it is in ends in a text, as PEFT looks."""
    parts = owner.split(".")
    return any(
        ".".join(parts[:length]).endswith(ending) for length in range(1, len(parts) + 1)
    )


def _explained(name: str, config: LoraConfig) -> bool:
    if name.endswith(".bias"):
        return config.bias != "none"
    if name.endswith(_TOKENS):
        return config.trainable_token_indices is not None
    # PEFT stores embeddings whole where they are adapted or were resized.
    return any(f".{part}." in f".{name}" for part in ("embed_tokens", "lm_head"))


def _list(found: Iterable[str]) -> str:
    listed = list(found)
    shown = ", ".join(listed[:_NAMED])
    more = len(listed) - _NAMED
    return shown if more <= 0 else f"{shown} and {more:,} more"
