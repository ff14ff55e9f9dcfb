"""A saved adapter in a few figures: ranks, layers, types, update norms."""

from collections.abc import Mapping
from typing import Any, NamedTuple

from llmcalc.core.lora.adapter_check import differences
from llmcalc.core.lora.layers import LoraConfig
from llmcalc.core.lora.matrix import lora_scaling
from llmcalc.core.lora.patterns import first_numbers, pattern_of, ranges
from llmcalc.core.lora.saved_adapter import SavedAdapter, SavedLayer, SavedTensor


class AdapterModule(NamedTuple):
    """Adapted layers of one name pattern, shape and rank.

    ``lora_params`` are those of one copy; ``norms`` the Frobenius norm of each copy's
    update, scaling included, in the order of the layers ((), where not computed).
    """

    name: str
    kind: str
    d_in: int
    d_out: int
    rank: int
    alpha: float | None
    scaling: float | None
    copies: int
    lora_params: int
    layers: str
    norms: tuple[float, ...]

    @property
    def mean_norm(self) -> float | None:
        """Return the mean of the update norms."""
        return sum(self.norms) / len(self.norms) if self.norms else None


class AdapterSummary(NamedTuple):
    """What an adapter is; ``parameters`` counts every number in its file.

    ``rank`` is the config's, or that of most layers where there is no config;
    ``differences`` are those between config and tensors.
    """

    rank: int
    alpha: float | None
    scaling: float | None
    largest_rank: int
    layers: str
    modules: tuple[AdapterModule, ...]
    others: tuple[SavedTensor, ...]
    lora_params: int
    parameters: int
    dtypes: dict[str, int]
    differences: tuple[str, ...]


def adapter_summary(
    adapter: SavedAdapter, config: LoraConfig | None, norms: Mapping[str, float]
) -> AdapterSummary:
    """Return what an adapter is; ``norms`` are by layer name, or {}.

    >>> from llmcalc.core.lora.saved_adapter import saved_adapter
    >>> a = SavedTensor("base_model.model.q.lora_A.weight", (8, 64), "BF16")
    >>> b = SavedTensor("base_model.model.q.lora_B.weight", (32, 8), "BF16")
    >>> summary = adapter_summary(saved_adapter([a, b], None, "x"), None, {})
    >>> summary.rank, summary.lora_params, summary.dtypes
    (8, 768, {'BF16': 768})
    """
    rank = adapter.common_rank if config is None else config.r
    alpha = None if config is None else config.lora_alpha
    scaling = None
    if config is not None:
        scaling = lora_scaling(config.lora_alpha, rank, rslora=config.use_rslora)
    tensors = [tensor for layer in adapter.layers for tensor in layer.tensors]
    dtypes: dict[str, int] = {}
    for tensor in [*tensors, *adapter.others]:
        dtypes[tensor.dtype] = dtypes.get(tensor.dtype, 0) + tensor.size
    lora_params = sum(tensor.size for tensor in tensors)
    return AdapterSummary(
        *(rank, alpha, scaling, adapter.largest_rank),
        layers=ranges(first_numbers(layer.name for layer in adapter.layers)),
        modules=tuple(_modules(adapter, norms)),
        others=tuple(adapter.others),
        lora_params=lora_params,
        parameters=lora_params + sum(tensor.size for tensor in adapter.others),
        dtypes=dtypes,
        differences=() if config is None else tuple(differences(adapter, config)),
    )


def _modules(adapter: SavedAdapter, norms: Mapping[str, float]) -> list[AdapterModule]:
    groups: dict[tuple[Any, ...], list[SavedLayer]] = {}
    for layer in adapter.layers:
        sizes = (layer.kind, layer.d_in, layer.d_out, layer.rank, layer.params)
        key = (pattern_of(layer.name), *sizes, layer.alpha, layer.scaling)
        groups.setdefault(key, []).append(layer)
    modules = []
    for (
        pattern,
        kind,
        d_in,
        d_out,
        rank,
        params,
        alpha,
        factor,
    ), same in groups.items():
        names = [layer.name for layer in same]
        known = [norms[name] for name in _in_order(names) if name in norms]
        modules.append(
            AdapterModule(
                *(pattern, kind, d_in, d_out, rank, alpha, factor, len(same), params),
                ranges(first_numbers(names)),
                tuple(known),
            )
        )
    return modules


def _in_order(names: list[str]) -> list[str]:
    return sorted(names, key=lambda name: (first_numbers([name]), name))
