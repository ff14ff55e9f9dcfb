"""What a saved adapter is, and how its tensors are held against its config."""

import json
from pathlib import Path

import pytest

from llmcalc.core.lora.adapter_check import differences
from llmcalc.core.lora.layers import LoraConfig
from llmcalc.core.lora.saved_adapter import SavedTensor, saved_adapter
from llmcalc.errors import LlmcalcError
from llmcalc.inputs.models.lora_config import read_lora_fields

CASES = Path(__file__).parents[1] / "cases" / "lora"
SAVED = sorted(CASES.glob("adapters/*.expected.json"))
START = "base_model.model."
LAYERS = [f"model.layers.{i}.self_attn.{p}_proj" for i in range(5) for p in "qv"]


def adapter_of(tensors, config):
    found = [SavedTensor(name, shape, "F32") for name, shape in tensors.items()]
    return saved_adapter(found, config, "adapter.safetensors")


def stored(names=LAYERS, rank=8, **more):
    tensors = {}
    for name in names:
        tensors[f"{START}{name}.lora_A.weight"] = (rank, 64)
        tensors[f"{START}{name}.lora_B.weight"] = (32, rank)
    return tensors | {START + name: shape for name, shape in more.items()}


CONFIG = LoraConfig(r=8, target_modules=("q_proj", "v_proj"))


@pytest.mark.parametrize("path", SAVED, ids=lambda p: p.name.split(".")[0])
def test_saved_folders_are_described_and_agree_with_their_config(path):
    want = json.loads(path.read_text())
    folder = path.parent / path.name.split(".")[0]
    config = read_lora_fields(
        json.loads((folder / "adapter_config.json").read_text()), folder.name
    )
    tensors = [
        SavedTensor(name, tuple(t["shape"]), t["dtype"])
        for name, t in want["tensors"].items()
    ]
    adapter = saved_adapter(tensors, config, folder.name)
    found = {x.name: (x.rank, x.alpha, x.scaling) for x in adapter.layers}
    assert found == {
        name: (m["r"], m["alpha"], pytest.approx(m["scaling"]))
        for name, m in want["modules"].items()
    }
    numbers = sum(t.size for t in tensors)
    assert numbers == want["file"]["numel"]
    kept = sum(x.params for x in adapter.layers) + sum(t.size for t in adapter.others)
    assert kept == numbers
    assert adapter.largest_rank == max(want["ranks"])
    assert differences(adapter, config) == []


@pytest.mark.parametrize(
    ("tensors", "config", "named"),
    [
        (stored(rank=4), CONFIG, "rank 8 in the config, 4 in the tensors of"),
        (stored(), CONFIG._replace(use_dora=True), "use_dora is true, but none"),
        (stored(), CONFIG._replace(lora_bias=True), "lora_bias is true, but none"),
        (
            stored(**{f"{LAYERS[0]}.lora_magnitude_vector": (32,)}),
            CONFIG,
            "use_dora is false, but one is stored for " + LAYERS[0],
        ),
        (
            stored(),
            CONFIG._replace(target_modules=("q_proj",)),
            "model.layers.2.self_attn.v_proj and 2 more is stored, but is no target",
        ),
        (
            stored(),
            CONFIG._replace(target_modules=("q_proj", "v_proj", "up_proj")),
            "nothing is stored for up_proj",
        ),
        (
            stored(),
            CONFIG._replace(layers_to_transform=(0, 1, 2, 3)),
            "model.layers.4.self_attn.q_proj",
        ),
        (
            stored(),
            CONFIG._replace(rank_pattern=(("layers.3.self_attn.q_proj", 2),)),
            "rank 2 in the config, 8 in the tensors of model.layers.3.self_attn.q_proj",
        ),
        (
            stored(),
            CONFIG._replace(modules_to_save=("classifier",)),
            "modules_to_save: nothing is stored for classifier",
        ),
        (
            stored(),
            CONFIG._replace(trainable_token_indices=(("", (1,)),)),
            "trainable_token_indices: nothing is stored",
        ),
        (
            stored(**{"score.weight": (2, 64)}),
            CONFIG,
            "score.weight is stored, but nothing in the config asks for it",
        ),
        (
            stored(**{"model.norm.bias": (64,)}),
            CONFIG,
            "model.norm.bias is stored, but nothing in the config",
        ),
        (
            {**stored(), f"{START}{LAYERS[0]}.lora_B.weight": (32, 4)},
            CONFIG,
            "A and B have different ranks in " + LAYERS[0],
        ),
    ],
)
def test_a_difference_is_said(tensors, config, named):
    said = differences(adapter_of(tensors, config), config)
    assert len(said) == 1
    assert named in said[0]


@pytest.mark.parametrize(
    ("more", "changes"),
    [
        ({"score.weight": (2, 64)}, {"task_type": "SEQ_CLS"}),
        ({"model.norm.bias": (64,)}, {"bias": "all"}),
        ({"lm_head.weight": (99, 64)}, {"modules_to_save": ("lm_head",)}),
        ({"model.embed_tokens.weight": (99, 64)}, {}),
    ],
)
def test_what_the_config_asks_for_is_no_difference(more, changes):
    config = CONFIG._replace(**changes)
    assert differences(adapter_of(stored(**more), config), config) == []


def test_stack_of_experts_has_the_rank_of_one_expert():
    name = f"{START}model.layers.0.mlp.experts"
    tensors = {
        f"{name}.lora_A.weight": (16, 64),
        f"{name}.lora_B.weight": (32, 16),
        f"{name}.base_layer.lora_A.weight": (16, 32),
        f"{name}.base_layer.lora_B.weight": (64, 16),
    }
    config = LoraConfig(r=2, target_parameters=("experts.up", "experts.down"))
    adapter = adapter_of(tensors, config)
    assert [layer.rank for layer in adapter.layers] == [2, 2]
    assert differences(adapter, config) == []


def test_without_a_config_ranks_are_read_and_scaling_is_not_guessed():
    adapter = adapter_of(stored(), None)
    assert adapter.common_rank == 8
    assert adapter.layers[0].scaling is None


@pytest.mark.parametrize(
    ("tensors", "named"),
    [
        ({"model.norm.weight": (64,)}, "no tensor is named as PEFT names"),
        ({f"{START}q.lora_A.weight": (8, 64)}, "q: lora_B is missing"),
        ({f"{START}q.lora_embedding_B": (8, 64)}, "q: lora_embedding_A is missing"),
        (
            {f"{START}q.lora_A.weight": (8,), f"{START}q.lora_B.weight": (4, 8)},
            r"shapes \[8\] and \[4, 8\] are no A and B",
        ),
    ],
)
def test_what_is_no_adapter_is_an_error(tensors, named):
    with pytest.raises(LlmcalcError, match=named):
        adapter_of(tensors, CONFIG)
