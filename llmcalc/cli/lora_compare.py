"""The texts of --compare: sets of options beside the first one."""

import shlex
from typing import Any

from llmcalc.cli.lora_words import Setting, parse_alpha_word, positive
from llmcalc.core.lora.matrix import ITEM_BYTES
from llmcalc.core.lora.memory import OPTIMIZERS, PACKINGS
from llmcalc.errors import LlmcalcError

# The options that a text of --compare may hold, and the field each one sets.
_VALUED = {
    "-r": "rank",
    "--rank": "rank",
    "-a": "alpha",
    "--alpha": "alpha",
    "--bias": "bias",
    "--target": "target",
    "--exclude": "exclude",
    "--modules-to-save": "modules_to_save",
    "--layers-to-transform": "layers_to_transform",
    "--rank-pattern": "rank_pattern",
    "--alpha-pattern": "alpha_pattern",
    "--task-type": "task_type",
    "--dtype": "dtype",
    "--base-dtype": "base_dtype",
    "--optimizer": "optimizer",
}
_FLAGS = {"--rslora": "rslora", "--dora": "dora", "--lora-bias": "lora_bias"}
_CHOICES = {
    "bias": ("none", "all", "lora_only"),
    "dtype": tuple(ITEM_BYTES),
    "base_dtype": (*ITEM_BYTES, *PACKINGS),
    "optimizer": tuple(OPTIMIZERS),
}


def setting_text(setting: Setting) -> str:
    """Return the options that make a setting.

    >>> setting_text(Setting(rank=8, dora=True, target="q_proj"))
    '-r 8 --target q_proj --dora'
    """
    names = {field: name for name, field in reversed(_VALUED.items())}
    said = setting._asdict()
    words: list[str] = []
    for field, name in reversed(names.items()):
        if said[field] is not None:
            words += [name, str(said[field])]
    words += [name for name, field in _FLAGS.items() if said[field]]
    return shlex.join(words)


def parse_setting(text: str, first: Setting) -> Setting:
    """Return the first setting with the options of a --compare text in their place.

    >>> parse_setting("-r 64 --target q_proj,v_proj --dora", Setting(rank=8))[:4]
    (64, None, False, True)
    """
    try:
        words = shlex.split(text)
    except ValueError as error:
        raise LlmcalcError(f"--compare {text!r}: {str(error).lower()}") from None
    changes: dict[str, Any] = {}
    while words:
        name, equals, value = words.pop(0).partition("=")
        if name[:2] in ("-r", "-a") and name[2:]:
            # As a shell takes them: -r8.
            name, equals, value = name[:2], "=", name[2:]
        if name in _FLAGS and not equals:
            changes[_FLAGS[name]] = True
            continue
        if name not in _VALUED:
            known = ", ".join([*_VALUED, *_FLAGS])
            raise LlmcalcError(f"--compare {text!r}: {name!r} is none of {known}")
        if not equals and not words:
            raise LlmcalcError(f"--compare {text!r}: {name} needs a value")
        changes[_VALUED[name]] = value if equals else words.pop(0)
    return first._replace(**_typed(changes, text))


def _typed(changes: dict[str, Any], text: str) -> dict[str, Any]:
    what = f"--compare {text!r}"
    if "rank" in changes:
        changes["rank"] = positive(f"{what}: -r", str(changes["rank"]))
    if "alpha" in changes:
        changes["alpha"] = parse_alpha_word(what, changes["alpha"])
    for field, choices in _CHOICES.items():
        value = changes.get(field)
        if value is not None and value not in choices:
            known = ", ".join(choices)
            raise LlmcalcError(f"{what}: {value!r} is none of {known}")
    return changes
