"""The five commands by name: a summary for the help page, the rest when it is called.

Start-up is a feature: one command's options are built, not those of all.
"""

from collections.abc import Callable
from typing import Any

import typer

from llmcalc.cli.command import NumericCommand

# A test holds these to the first lines of the commands' own help.
SUMMARIES = {
    "ppl": "Calculate the perplexity of log-probabilities.",
    "attn-scale": "Show what scaling does to attention scores.",
    "cossim": "Measure how alike vectors are by their cosine similarity.",
    "softmax": "Turn logits into probabilities at a temperature.",
    "lora": "Count what LoRA trains and the rank that fits a budget.",
}
CONTEXT = {"help_option_names": ["-h", "--help"]}


def load(name: str) -> Any:
    """Return the command of that name with its options."""
    single = typer.Typer(
        add_completion=False, rich_markup_mode=None, context_settings=CONTEXT
    )
    single.command(name, cls=NumericCommand)(_function(name))
    return typer.main.get_command(single)


def _function(name: str) -> Callable[..., None]:
    if name == "ppl":
        from llmcalc.cli.ppl import ppl

        return ppl
    if name == "attn-scale":
        from llmcalc.cli.attn_scale import attn_scale

        return attn_scale
    if name == "cossim":
        from llmcalc.cli.cossim import cossim

        return cossim
    if name == "softmax":
        from llmcalc.cli.softmax import softmax

        return softmax
    from llmcalc.cli.lora import lora

    return lora
