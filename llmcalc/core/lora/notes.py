"""What to tell of a match: what a config names in vain, and what surprises.

PEFT is silent about most of it.
"""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from llmcalc.core.lora.defaults import EXPERT_NAMES, FUSED
from llmcalc.core.lora.layers import AdaptedLayer, LoraConfig, SavedModule
from llmcalc.core.lora.matching import excluded, patterns
from llmcalc.core.lora.prepare import Prepared
from llmcalc.core.lora.settings import target_names
from llmcalc.core.lora.ties import tied_modules
from llmcalc.errors import LlmcalcError

# Experts are stacked along the first of three axes.
_STACK = 3


class Matched(NamedTuple):
    """The adapted layers and the entries of the config that made them targets."""

    layers: list[AdaptedLayer]
    entries: set[str]


def unmatched(prepared: Prepared, matched: Matched) -> tuple[str, ...]:
    """Return the names of the config that made nothing a target, as they were given."""
    config = prepared.config
    asked: list[str] = []
    if isinstance(config.target_modules, tuple):
        asked += config.target_modules
    asked += config.target_parameters or ()
    sources = prepared.rewritten.sources
    missing = [name for name in asked if name not in matched.entries]
    return tuple(
        dict.fromkeys(given for name in missing for given in sources.get(name, [name]))
    )


def nothing_matched(prepared: Prepared, config: LoraConfig) -> LlmcalcError:
    """Return the error for targets that match no layer: it names what there is."""
    wanted = config.target_modules
    if wanted is None:
        # PEFT's default for the model type.
        wanted = prepared.config.target_modules
    shown = wanted if isinstance(wanted, str) else ", ".join(wanted or ())
    shown = shown or ", ".join(prepared.config.target_parameters or ()) or "nothing"
    hint = ""
    if isinstance(wanted, str) and "," in wanted:
        hint = " (PEFT takes one text as a regular expression; give a list)"
    elif config.layers_to_transform:
        hint = f" in layers {', '.join(map(str, config.layers_to_transform))}"
    elif config.exclude_modules or config.modules_to_save:
        hint = " that is not excluded or saved in full"
    known = ", ".join(target_names(prepared.model))
    what = prepared.model.model_type or "model"
    names = f"the names of this {what} are {known}"
    return LlmcalcError(
        f"target_modules: {shown:.200} matches no layer{hint}; "
        + (names if known else f"this {what} has no Linear layer")
    )


def notes(
    prepared: Prepared, matched: Matched, saved: Sequence[SavedModule]
) -> Iterator[str]:
    """Yield warnings: settings without effect, experts, copies of tied layers."""
    yield from _idle_settings(prepared, matched, saved)
    yield from _experts(prepared, matched)
    model, config = prepared.model, prepared.config
    shared = {model.embedding, *tied_modules(model)}
    copies = [module.name for module in saved if module.name in shared]
    if len(copies) > 1 and not prepared.sharing:
        yield (
            f"modules_to_save: {' and '.join(copies)} are one tensor in the model and "
            "become copies of their own; ensure_weight_tying keeps them one"
        )
    for module in saved:
        if module.frozen:
            yield (
                f"modules_to_save: what is saved inside {module.name} is copied again; "
                "the adapter's file is larger than its size here says"
            )
            break
    if config.init_lora_weights == "eva":
        yield "init_lora_weights: eva moves ranks between layers; counted as given"


def _idle_settings(
    prepared: Prepared, matched: Matched, saved: Sequence[SavedModule]
) -> Iterator[str]:
    config, tree = prepared.config, prepared.tree
    names = [layer.name for layer in matched.layers]
    for option, entries in (
        ("rank_pattern", config.rank_pattern),
        ("alpha_pattern", config.alpha_pattern),
    ):
        for pattern, key, _ in patterns(option, entries).entries:
            if not any(pattern.match(name) for name in names):
                yield f"{option}: {key!r} fits no adapted layer"
    for ending in config.modules_to_save or ():
        if not any(module.name.endswith(ending) for module in saved):
            yield f"modules_to_save: no module ends in {ending!r}"
    if config.exclude_modules:
        rule = excluded(config._replace(modules_to_save=None))
        if not any(rule.holds(name) for name in tree.modules):
            yield "exclude_modules: excludes nothing"


def _experts(prepared: Prepared, matched: Matched) -> Iterator[str]:
    """Yield how stacked experts were counted: transformers 5 has no layers of them."""
    model = prepared.model
    stacks = [
        p.name
        for p in model.parameters
        if len(p.shape) == _STACK and ".experts." in p.name
    ]
    if not stacks:
        return
    adapted = {layer.name for layer in matched.layers}
    if not adapted.intersection(stacks):
        remedy = "gate_proj, up_proj and down_proj"
        if "w1" in EXPERT_NAMES.get(model.model_type, {}):
            remedy = "w1, w2 and w3"
        elif model.model_type not in EXPERT_NAMES:
            remedy = f"experts.{FUSED} and experts.down_proj of target_parameters"
        yield f"no expert is adapted; {remedy} would adapt them (transformers 5)"
    elif prepared.rewritten.fused:
        yield (
            f"experts are counted as transformers 5 stacks them: {FUSED} at rank "
            f"2 r, down_proj at rank r"
        )
