"""Record what PEFT says of drawn configs, for tests that need no PEFT.

    python tests/reference/record_lora.py > tests/cases/lora_drawn.jsonl

Run where torch, transformers and peft are installed, with tests on the path.
"""

import copy
import hashlib
import json
import random
import warnings
from collections.abc import Iterator
from typing import Any

import peft
import transformers
from reference.lora_configs import draw_lora
from reference.lora_models import MODELS, draw_model
from reference.test_lora_peft import build, outcome_of_peft

from llmcalc.inputs.models.config import read_config

DRAWS = 4


def tensors_digest(tensors: dict[str, tuple[int, ...]]) -> str:
    """Return a digest of names and shapes, whatever their order."""
    text = json.dumps(sorted((name, list(shape)) for name, shape in tensors.items()))
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def records() -> Iterator[dict[str, Any]]:
    """Yield a config, LoraConfig fields and PEFT's counts, None where it refuses."""
    yield {"peft": peft.__version__, "transformers": transformers.__version__}
    for model_type in MODELS:
        rng = random.Random(model_type + "recorded")
        for _ in range(DRAWS):
            config = draw_model(rng, model_type)
            built = build(config)
            model = read_config(config, "config.json")
            linear = [x.name for x in model.layers if x.kind in ("Linear", "Conv1D")]
            modules = [name for name, _ in built.named_modules()]
            generates = hasattr(built, "prepare_inputs_for_generation")
            fields = draw_lora(rng, linear, modules, generates)
            total = sum(p.numel() for p in built.parameters())
            found = outcome_of_peft(built, copy.deepcopy(fields))
            counts = found and {
                "trainable": found[0],
                "total": found[1],
                "tensors": tensors_digest(found[2]),
            }
            yield {"config": config, "base": total, "lora": fields, "peft": counts}


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    transformers.logging.set_verbosity_error()
    for record in records():
        print(json.dumps(record))
