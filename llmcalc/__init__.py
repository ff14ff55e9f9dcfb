"""Perplexity, softmax, attention scaling, cosine similarity and LoRA budgets.

The functions load on first use, so that importing the package costs nothing:

>>> from llmcalc import lora_parameters
>>> lora_parameters(4096, 4096, 8).lora_params
65536
"""

# Type checkers know the name; typing would load before Ctrl-C is caught.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from llmcalc.core.attention import (
        AttentionOptions,
        AttentionScores,
        attention_scores,
    )
    from llmcalc.core.lora.matrix import LoraMatrix, lora_parameters
    from llmcalc.core.perplexity import Perplexity, perplexity
    from llmcalc.core.similarity.pair import CosineSimilarity, cosine_similarity
    from llmcalc.core.softmax import Softmax, softmax
    from llmcalc.errors import LlmcalcError

__version__ = "0.1.0"

__all__ = [
    "AttentionOptions",
    "AttentionScores",
    "CosineSimilarity",
    "LlmcalcError",
    "LoraMatrix",
    "Perplexity",
    "Softmax",
    "attention_scores",
    "cosine_similarity",
    "lora_parameters",
    "perplexity",
    "softmax",
]

_HOMES = {
    "attention_scores": "llmcalc.core.attention",
    "AttentionOptions": "llmcalc.core.attention",
    "AttentionScores": "llmcalc.core.attention",
    "cosine_similarity": "llmcalc.core.similarity.pair",
    "CosineSimilarity": "llmcalc.core.similarity.pair",
    "LlmcalcError": "llmcalc.errors",
    "lora_parameters": "llmcalc.core.lora.matrix",
    "LoraMatrix": "llmcalc.core.lora.matrix",
    "perplexity": "llmcalc.core.perplexity",
    "Perplexity": "llmcalc.core.perplexity",
    "softmax": "llmcalc.core.softmax",
    "Softmax": "llmcalc.core.softmax",
}


def __getattr__(name: str) -> object:
    """Load a public function or its result type when it is first asked for."""
    if name not in _HOMES:
        raise AttributeError(f"module 'llmcalc' has no attribute {name!r}")
    import importlib

    return getattr(importlib.import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
