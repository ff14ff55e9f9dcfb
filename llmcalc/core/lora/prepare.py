"""What PEFT does to a model and a config before it looks for targets."""

from typing import NamedTuple

from llmcalc.core.lora.experts import Rewritten, rewrite_experts
from llmcalc.core.lora.layers import LoraConfig, Model
from llmcalc.core.lora.replication import replicated
from llmcalc.core.lora.settings import checked_config, with_default_targets
from llmcalc.core.lora.ties import with_tied_modules
from llmcalc.core.lora.tree import Tree


class Prepared(NamedTuple):
    """A model and a config as PEFT has them when it begins to look for targets.

    Under ensure_weight_tying ``sharing`` are the modules that share the saved copy of
    the embedding, ``tied_targets`` those that get an adapter with it.
    """

    model: Model
    tree: Tree
    config: LoraConfig
    rewritten: Rewritten
    sharing: tuple[str, ...] = ()
    tied_targets: tuple[str, ...] = ()


def prepare(model: Model, config: LoraConfig) -> Prepared:
    """Return model and config after everything that PEFT does before it matches."""
    checked = checked_config(config)
    tree = Tree(model)
    rewritten = rewrite_experts(model, tree, checked)
    tied = with_tied_modules(model, rewritten.config)
    final = with_default_targets(model, tied.config)
    if final.layer_replication:
        model = replicated(model, final.layer_replication)
        tree = Tree(model)
    return Prepared(model, tree, final, rewritten, tied.sharing, tied.targets)
