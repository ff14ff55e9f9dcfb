"""Tied layers and single tokens: what PEFT does with one tensor of several names.

Source: PEFT 0.21.2, utils/other.py (set_additional_trainable_modules) and
tuners/lora/model.py (_add_modules_to_save_to_tie, _add_targets_to_tie).
"""

import re
from collections.abc import Container
from typing import NamedTuple

from llmcalc.core.lora.defaults import EMBEDDING_NAMES
from llmcalc.core.lora.layers import LoraConfig, Model
from llmcalc.core.lora.matching import compiled, inside
from llmcalc.core.lora.tree import Tree
from llmcalc.errors import LlmcalcError


class Tokens(NamedTuple):
    """Tokens of an embedding that train by themselves: tokens x width numbers."""

    module: str
    tokens: int
    width: int


def trained_tokens(
    model: Model, tree: Tree, config: LoraConfig, adapted: Container[str] = ()
) -> list[Tokens]:
    """Return the tokens that train; tied layers follow the embedding's.

    Raises LlmcalcError where there is no such module, where it is saved in full, and
    where it is among the ``adapted``.
    """
    if config.trainable_token_indices is None:
        return []
    asked = {
        module or _embedding(model): tokens
        for module, tokens in config.trainable_token_indices
    }
    saved = config.modules_to_save or ()
    for module in asked:
        if module in saved:
            raise LlmcalcError(
                f"trainable_token_indices: {module} is saved in full by modules_to_save"
            )
    skipped = _tied_tokens(model, asked, config)
    found = []
    for module, tokens in asked.items():
        if module in skipped and module not in adapted:
            continue
        names = [name for name in tree.modules if name.endswith(module)]
        if not names:
            raise LlmcalcError(f"trainable_token_indices: no module {module}")
        found += [_tokens_of(name, tokens, tree, adapted) for name in names]
    return found


def _tokens_of(
    name: str, tokens: tuple[int, ...], tree: Tree, adapted: Container[str]
) -> Tokens:
    if name in adapted:
        raise LlmcalcError(
            f"trainable_token_indices: {name} has an adapter; PEFT refuses both"
        )
    layer = tree.layers.get(name)
    if layer is None or layer.kind not in ("Embedding", "Linear"):
        raise LlmcalcError(f"trainable_token_indices: {name} has no tokens")
    rows, width = layer.d_in, layer.d_out
    if layer.kind == "Linear":
        rows, width = width, rows
    for token in tokens:
        if not -rows <= token < rows:
            raise LlmcalcError(
                f"trainable_token_indices: {token} is not among the {rows} tokens of "
                f"{name}"
            )
    return Tokens(name, len(tokens), width)


def token_modules(model: Model, tokens: list[Tokens]) -> list[str]:
    """Return the modules whose tokens train: those tied to the embedding follow it."""
    found = [each.module for each in tokens]
    return found + (tied_modules(model) if model.embedding in found else [])


def _embedding(model: Model) -> str:
    if not model.embedding:
        raise LlmcalcError("trainable_token_indices: the model has no input embedding")
    return model.embedding


def tied_modules(model: Model) -> list[str]:
    """Return the modules whose weight is the input embedding's."""
    weight = f"{model.embedding}.weight"
    return sorted(
        {
            alias.rpartition(".")[0]
            for alias, owner in model.tied
            if owner == weight and model.embedding
        }
    )


def _tied_tokens(
    model: Model, asked: dict[str, tuple[int, ...]], config: LoraConfig
) -> set[str]:
    """Return the asked modules that only follow the embedding they are tied to."""
    tied = tied_modules(model)
    if len(asked) < 2 or not tied:
        return set()
    keys = [
        module
        for module in asked
        if model.embedding.endswith(module)
        or any(name.endswith(module) or module in name.split(".") for name in tied)
    ]
    if len(keys) < 2:
        return set()
    if any(asked[key] != asked[keys[0]] for key in keys):
        if config.ensure_weight_tying:
            raise LlmcalcError(
                "trainable_token_indices: tied layers need the same tokens with "
                "ensure_weight_tying"
            )
        return set()
    return set(keys) & set(tied)


class Tied(NamedTuple):
    """A config under ensure_weight_tying, and what is done with the tied modules.

    They share the saved copy (``sharing``) or get adapters (``targets``).
    """

    config: LoraConfig
    sharing: tuple[str, ...] = ()
    targets: tuple[str, ...] = ()


def with_tied_modules(model: Model, config: LoraConfig) -> Tied:
    """Return the config under ensure_weight_tying: the embedding stands for its ties.

    Saved modules that share its tensor share its one copy; targets that share it get
    adapters of their own, which PEFT counts apart.
    """
    tied = tied_modules(model)
    if not config.ensure_weight_tying or not tied:
        return Tied(config)
    saved = config.modules_to_save or ()
    if _names_embedding(saved):
        saved = _without(saved, tied, model)
        return Tied(config._replace(modules_to_save=saved), sharing=tuple(tied))
    wanted = config.target_modules
    if isinstance(wanted, str):
        pattern = compiled("target_modules", wanted)
        if any(pattern.fullmatch(name) for name in EMBEDDING_NAMES):
            wanted = rf"(?:{wanted}|^{re.escape(model.embedding)}$)"
            return Tied(config._replace(target_modules=wanted), targets=tuple(tied))
    elif _names_embedding(wanted or ()):
        # PEFT holds targets as a set.
        chosen = _without(tuple(dict.fromkeys(wanted or ())), tied, model)
        return Tied(config._replace(target_modules=chosen), targets=tuple(tied))
    return Tied(config)


def _names_embedding(names: tuple[str, ...]) -> bool:
    return any(name.rpartition(".")[2] in EMBEDDING_NAMES for name in names)


def _without(names: tuple[str, ...], tied: list[str], model: Model) -> tuple[str, ...]:
    """Return the names with the embedding and without the first of each tied one."""
    kept = [*names] if model.embedding in names else [*names, model.embedding]
    for module in tied:
        for name in kept:
            if inside("modules_to_save", name).match(module):
                kept.remove(name)
                break
    return tuple(kept)
