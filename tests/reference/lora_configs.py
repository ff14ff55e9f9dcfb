"""LoraConfigs, drawn from the names of a model."""

import random
import re
from collections.abc import Sequence
from typing import Any

_WORDS = ("nothing_here", "proj", "q", "embed_tokens", "wte", "shared", "lm_head")
_SAVED = (
    *("lm_head", "embed_tokens", "classifier", "score", "norm", "head", "wte", "cls"),
    *("pooler", "LayerNorm", "word_embeddings", "not_there"),
)
_EXPRESSIONS = (
    r".*(attn|attention)\..*proj",
    r".*\.(q|v)_proj",
    r".*\.(query|value)",
    r".*\.(gate|up|down)_proj",
    r".*\.mlp\..*",
    r".*\.c_.*",
    r".*\.experts.*",
)


def draw_lora(
    rng: random.Random, linear: Sequence[str], modules: Sequence[str], generates: bool
) -> dict[str, Any]:
    """Return the fields of a LoraConfig; most draws set few of them."""
    config: dict[str, Any] = {"r": rng.choice([1, 2, 4, 8])}
    targets = _targets(rng, linear)
    if targets is not None:
        config["target_modules"] = targets
    last = sorted({name.rpartition(".")[2] for name in linear})
    words = {name.rpartition(".")[2] for name in modules}
    every = sorted(word for word in words if word and not word.isdigit())
    tasks = ["SEQ_CLS", "TOKEN_CLS", "FEATURE_EXTRACTION", "QUESTION_ANS"]
    chances: dict[str, tuple[float, list[Any]]] = {
        "lora_alpha": (0.3, [4, 16, 3]),
        "bias": (0.25, ["all", "lora_only"]),
        "use_dora": (0.15, [True]),
        "lora_bias": (0.1, [True]),
        "use_rslora": (0.1, [True]),
        "modules_to_save": (0.25, [[rng.choice(_SAVED)], [rng.choice(every)]]),
        "exclude_modules": (0.15, [[rng.choice(last)], r".*\.0\..*"]),
        "rank_pattern": (0.15, [{rng.choice(last): 3}, {rng.choice(linear): 6}]),
        "alpha_pattern": (0.1, [{rng.choice(last): 5}]),
        "trainable_token_indices": (0.06, [[0, 1, 2], {"embed_tokens": [1, 2]}]),
        "ensure_weight_tying": (0.08, [True]),
        "task_type": (0.15, [*tasks, *(["CAUSAL_LM"] if generates else [])]),
        "layer_replication": (0.05, [[[0, 1], [0, 1]], [[0, 2], [1, 2]]]),
        "target_parameters": (
            0.1,
            [["gate.weight"], ["experts.down_proj"], [f"{rng.choice(last)}.weight"]],
        ),
        "fan_in_fan_out": (0.03, [True]),
    }
    for field, (chance, values) in chances.items():
        if rng.random() < chance:
            config[field] = rng.choice(values)
    if not isinstance(targets, str) and rng.random() < 0.15:
        config["layers_to_transform"] = rng.choice([0, [0], [0, 1]])
        if rng.random() < 0.4:
            config["layers_pattern"] = rng.choice(["layers", "layer", ["h", "block"]])
    return config


def _targets(rng: random.Random, linear: Sequence[str]) -> Any:
    last = sorted({name.rpartition(".")[2] for name in linear})
    kind = rng.random()
    if kind < 0.12:
        return None
    if kind < 0.3:
        return "all-linear"
    if kind < 0.75:
        chosen = rng.sample(last, min(len(last), rng.randint(1, 4)))
        if rng.random() < 0.25:
            chosen.append(rng.choice(_WORDS))
        if rng.random() < 0.1:
            chosen.append(rng.choice(linear))
        return chosen
    whole = re.sub(r"\d+", r"\\d+", rng.choice(linear).replace(".", r"\."))
    return rng.choice([whole, rf".*\.{rng.choice(last)}", *_EXPRESSIONS])
