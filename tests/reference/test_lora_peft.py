"""Counts of drawn LoraConfigs on drawn models against PEFT itself.

More draws by hand: LLMCALC_DRAWS=40 pytest tests/reference/test_lora_peft.py
(40 of each family, with another LLMCALC_SEED).
"""

import copy
import os
import random
import warnings
from typing import Any

import pytest
from reference.lora_configs import draw_lora
from reference.lora_models import MODELS, draw_model

from llmcalc.core.lora.layers import Model
from llmcalc.core.lora.peft import apply_lora
from llmcalc.core.lora.tensors import adapter_tensors
from llmcalc.errors import LlmcalcError
from llmcalc.inputs.models.config import read_config
from llmcalc.inputs.models.lora_config import read_lora_fields

torch = pytest.importorskip("torch")
transformers = pytest.importorskip("transformers")
peft = pytest.importorskip("peft")

pytestmark = [
    pytest.mark.reference,
    pytest.mark.filterwarnings("ignore"),
    pytest.mark.skipif(
        transformers.__version__.split(".")[0] != "5", reason="names of transformers 5"
    ),
]
DRAWS = int(os.environ.get("LLMCALC_DRAWS", "3"))
SEED = os.environ.get("LLMCALC_SEED", "")
CONVOLUTIONS = (torch.nn.Conv1d, torch.nn.Conv2d, torch.nn.Conv3d)


def build(config: dict[str, Any]) -> Any:
    """Build the model that transformers makes of a config, without weights."""
    settings = transformers.CONFIG_MAPPING[config["model_type"]].from_dict(config)
    with torch.device("meta"):
        return getattr(transformers, config["architectures"][0])(settings)


def described(module: Any) -> tuple[Any, ...] | None:
    """Return kind, d_in, d_out of a layer that PEFT adapts, None for other modules."""
    if isinstance(module, torch.nn.Linear):
        return "Linear", module.in_features, module.out_features
    if isinstance(module, transformers.pytorch_utils.Conv1D):
        return "Conv1D", *module.weight.shape
    if isinstance(module, torch.nn.Embedding):
        return "Embedding", module.num_embeddings, module.embedding_dim
    if isinstance(module, CONVOLUTIONS):
        name = type(module).__name__
        return name, module.in_channels, module.out_channels
    return None


def name_of(model: Any, module: Any) -> str:
    """Return the name of a module of a model, "" for none."""
    return next((n for n, m in model.named_modules() if m is module), "")


def check_structure(built: Any, model: Model) -> None:
    """Hold layers, tensors, modules and ties of the table against a built model."""
    layers = {
        name: what
        for name, module in built.named_modules()
        if (what := described(module)) is not None
    }
    assert {x.name: (x.kind, x.d_in, x.d_out) for x in model.layers} == layers
    assert model.total == sum(p.numel() for p in built.parameters())
    shapes = {n: tuple(p.shape) for n, p in built.named_parameters()}
    bare = {n: s for n, s in shapes.items() if n.rpartition(".")[0] not in layers}
    tied = {alias for alias, _ in model.tied}
    found = {p.name: p.shape for p in model.parameters}
    assert bare.items() <= found.items()
    assert set(found) - set(bare) <= tied
    names = {f"{x.name}.bias" for x in model.layers if x.bias}
    all_names = {n for n, _ in built.named_parameters(remove_duplicate=False)}
    assert names == {n for n in all_names if n.endswith(".bias") and n[:-5] in layers}
    empty = {
        name
        for name, module in built.named_modules()
        if name and not list(module.children()) and not list(module.parameters())
    }
    assert set(model.modules) == empty
    assert model.output == name_of(built, built.get_output_embeddings())


def outcome_of_peft(built: Any, fields: dict[str, Any]) -> Any:
    """Return trainable, total and the saved tensors, or None where PEFT refuses."""
    try:
        adapted = peft.get_peft_model(built, peft.LoraConfig(**fields))
    except (ValueError, TypeError, LookupError, NotImplementedError, AttributeError):
        return None
    saved = peft.get_peft_model_state_dict(adapted)
    tensors = {name: tuple(tensor.shape) for name, tensor in saved.items()}
    return *adapted.get_nb_trainable_parameters(), tensors


def outcome(model: Model, fields: dict[str, Any]) -> Any:
    """Return the same of llmcalc."""
    try:
        config = read_lora_fields(fields, "adapter_config.json")
        adapted = apply_lora(model, config)
    except LlmcalcError:
        return None
    tensors = {t.name: t.shape for t in adapter_tensors(model, config, adapted)}
    return adapted.trainable, adapted.total, tensors


@pytest.mark.parametrize("model_type", MODELS)
def test_counts_are_those_of_peft(model_type: str) -> None:
    rng = random.Random(model_type + SEED)
    for _ in range(DRAWS):
        config = draw_model(rng, model_type)
        built = build(config)
        model = read_config(config, "config.json")
        check_structure(built, model)
        modules = [name for name, _ in built.named_modules()]
        linear = [x.name for x in model.layers if x.kind in ("Linear", "Conv1D")]
        generates = hasattr(built, "prepare_inputs_for_generation")
        fields = draw_lora(rng, linear, modules, generates)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            wanted = outcome_of_peft(built, copy.deepcopy(fields))
        assert outcome(model, fields) == wanted, (config, fields)
