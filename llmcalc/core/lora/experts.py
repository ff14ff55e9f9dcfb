"""PEFT's rewriting of targets for stacked experts (transformers 5).

Experts were Linear layers once and are two stacked tensors now. For the types of
EXPERT_NAMES PEFT turns the old names into the new ones: gate and up become one tensor
at twice the rank, the router's layer a bare matrix. Source: PEFT 0.21.2,
transformers_weight_conversion.py.
"""

from typing import NamedTuple, TypeVar

from llmcalc.core.lora.defaults import EXPERT_NAMES, FUSED, FUSED_KEY
from llmcalc.core.lora.layers import LoraConfig, Model
from llmcalc.core.lora.matching import targets
from llmcalc.core.lora.tree import Tree
from llmcalc.errors import LlmcalcError

ALL_LINEAR = "all-linear"
LINEAR_KINDS = ("Linear", "Conv1D")
# How many old layers the fused tensor holds: its rank and alpha are so much larger.
_FUSED_LAYERS = 2
_Value = TypeVar("_Value", int, float)


class Rewritten(NamedTuple):
    """A config after the rewriting.

    ``sources`` maps each new target to the names that the user gave, ``fused`` says
    that gate and up became one tensor of twice the rank.
    """

    config: LoraConfig
    sources: dict[str, list[str]]
    fused: bool


def rewrite_experts(model: Model, tree: Tree, config: LoraConfig) -> Rewritten:
    """Return the config with the names of experts that the model has now.

    Raises LlmcalcError where only one of gate and up is targeted.
    """
    renamed = EXPERT_NAMES.get(model.model_type)
    if renamed is None:
        return Rewritten(config, {}, fused=False)
    wanted = config.target_modules or ()
    if isinstance(wanted, str):
        resolved = _resolve(model, tree, config, renamed)
        if not resolved:
            return Rewritten(config, {}, fused=False)
        wanted = tuple(sorted(resolved))
    kept: list[str] = []
    sources: dict[str, list[str]] = {}
    fused: dict[str, str] = {}
    for target in wanted:
        old = next((n for n in renamed if f".{target}".endswith(f".{n}")), None)
        if old is None:
            kept.append(target)
            continue
        sources.setdefault(renamed[old], []).append(target)
        if renamed[old] == FUSED:
            fused[old] = target
    _check_fused(fused, [old for old, new in renamed.items() if new == FUSED])
    parameters = tuple(dict.fromkeys([*(config.target_parameters or ()), *sources]))
    changed = config._replace(target_modules=tuple(kept), target_parameters=parameters)
    if fused:
        rank, alpha = _FUSED_LAYERS * config.r, _FUSED_LAYERS * config.lora_alpha
        changed = changed._replace(
            rank_pattern=_with(changed.rank_pattern, FUSED_KEY, rank),
            alpha_pattern=_with(changed.alpha_pattern, FUSED_KEY, alpha),
        )
    return Rewritten(changed, sources, fused=bool(fused))


def linear_targets(model: Model, tree: Tree, config: LoraConfig) -> set[str]:
    """Return the names that ``all-linear`` stands for: all but the output layer.

    A classifier has no output layer; its head is left out for SEQ_CLS only.
    """
    found = {layer.name for layer in model.layers if layer.kind in LINEAR_KINDS}
    if model.output:
        found.discard(model.output)
    elif config.task_type == "SEQ_CLS":
        head = next(
            (name for name in ("score", "classifier") if name in tree.modules), ""
        )
        found.discard(head)
    return found


def _resolve(
    model: Model, tree: Tree, config: LoraConfig, renamed: dict[str, str]
) -> set[str]:
    """Return the last words of the names that a text targets, old experts' included."""
    text = str(config.target_modules)
    if text.lower() == ALL_LINEAR:
        linear = linear_targets(model, tree, config)
        return {name.rpartition(".")[2] for name in linear} | set(renamed)
    match = targets(config).match
    found = {
        name.rpartition(".")[2]
        for group in (tree.modules, tree.tensors)
        for name in group
        if match(name) is not None
    }
    for old, new in renamed.items():
        # An old name is tried where the tensor that holds its weights is.
        old_names = (
            f"{name.removesuffix(new)}{old}"
            for name in tree.tensors
            if name.endswith(f".{new}")
        )
        if any(match(name) is not None for name in old_names):
            found.add(old)
    return found


def _check_fused(given: dict[str, str], needed: list[str]) -> None:
    missing = [old for old in needed if old not in given]
    if given and missing:
        raise LlmcalcError(
            f"target_modules: {', '.join(sorted(given))} without {', '.join(missing)}: "
            f"PEFT cannot adapt one of them alone, both are one tensor, {FUSED}"
        )


def _with(
    pattern: tuple[tuple[str, _Value], ...], key: str, value: _Value
) -> tuple[tuple[str, _Value], ...]:
    """Return a pattern with an entry set: in its place, or at the end."""
    return tuple({**dict(pattern), key: value}.items())
