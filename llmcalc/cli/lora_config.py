"""The options of `lora` as fields of PEFT's LoraConfig."""

import re
from collections.abc import Callable
from typing import Any

from llmcalc.cli.lora_words import Setting, parse_alpha_word, positive
from llmcalc.core.lora.layers import LoraConfig
from llmcalc.errors import LlmcalcError

# Beyond the layers of any model; a range that long is a slip.
_MAX_LAYER = 100_000
# What no plain module name holds and a regular expression does.
_REGEX = r"[*+?\[\](){}|^$\\]"


def lora_config(setting: Setting, first: LoraConfig) -> LoraConfig:
    """Return a config with the options of a setting in the place of its fields.

    >>> lora_config(Setting(rank=4, target="q_proj,v_proj"), LoraConfig())[:3]
    (4, 8, ('q_proj', 'v_proj'))
    """
    changes: dict[str, Any] = {
        "r": setting.rank,
        "lora_alpha": setting.alpha,
        "use_rslora": setting.rslora or None,
        "use_dora": setting.dora or None,
        "lora_bias": setting.lora_bias or None,
        "bias": setting.bias,
        "task_type": setting.task_type,
    }
    for field, (name, read) in _READERS.items():
        text = getattr(setting, name)
        option = "--" + name.replace("_", "-")
        changes[field] = None if text is None else read(option, text)
    config = first._replace(**{k: v for k, v in changes.items() if v is not None})
    if setting.target is None:
        return config
    # None is a value here: PEFT's default, whatever the config says.
    return config._replace(target_modules=parse_target("--target", setting.target))


def parse_target(option: str, text: str) -> tuple[str, ...] | str | None:
    """Return PEFT's target_modules: names, an expression, all-linear, or its default.

    >>> [parse_target("--target", x) for x in ("all-linear", "default", "q_proj")]
    ['all-linear', None, ('q_proj',)]
    """
    word = text.strip().lower()
    if word in ("all-linear", "default"):
        return None if word == "default" else word
    return parse_names(option, text)


def parse_names(option: str, text: str) -> tuple[str, ...] | str:
    """Return a comma list of names, or the text itself where it is an expression.

    >>> parse_names("--target", "q_proj,v_proj")
    ('q_proj', 'v_proj')
    >>> parse_names("--target", ".*[qv]_proj")
    '.*[qv]_proj'
    """
    if not re.search(_REGEX, text):
        return comma_list(option, text)
    try:
        re.compile(text)
    except (re.error, RecursionError, OverflowError) as error:
        raise LlmcalcError(
            f"{option}: {text!r:.80} is no regular expression: {error}"
        ) from None
    return text


def comma_list(option: str, text: str) -> tuple[str, ...]:
    """Return the parts of a comma list, blanks around them removed.

    Raises LlmcalcError where there are none.

    >>> comma_list("--modules-to-save", "lm_head, norm")
    ('lm_head', 'norm')
    """
    parts = tuple(part.strip() for part in text.split(",") if part.strip())
    if not parts:
        raise LlmcalcError(f"{option}: {text!r} names nothing")
    return parts


def parse_layers(option: str, text: str) -> tuple[int, ...]:
    """Return the layer numbers of a list of numbers and ranges.

    >>> parse_layers("--layers-to-transform", "0-2,7")
    (0, 1, 2, 7)
    """
    numbers: list[int] = []
    for piece in comma_list(option, text):
        first, dash, last = (part.strip() for part in piece.partition("-"))
        ends = [first, last] if dash else [first, first]
        if not all(end.isascii() and end.isdigit() and len(end) < 7 for end in ends):
            raise LlmcalcError(f"{option}: {piece!r} is no number or range")
        low, high = map(int, ends)
        if high < low or high > _MAX_LAYER:
            raise LlmcalcError(f"{option}: {piece!r} is no range of layers")
        numbers += range(low, high + 1)
    return tuple(dict.fromkeys(numbers))


def parse_rank_pattern(option: str, text: str) -> tuple[tuple[str, int], ...]:
    """Return names with ranks of their own.

    >>> parse_rank_pattern("--rank-pattern", "o_proj=64, down_proj=32")
    (('o_proj', 64), ('down_proj', 32))
    """
    return tuple(
        (name, positive(f"{option} {name}", value))
        for name, value in _pairs(option, text)
    )


def parse_alpha_pattern(option: str, text: str) -> tuple[tuple[str, float], ...]:
    """Return names with alphas of their own.

    >>> parse_alpha_pattern("--alpha-pattern", "o_proj=64,down_proj=0.5")
    (('o_proj', 64), ('down_proj', 0.5))
    """
    return tuple(
        (name, parse_alpha_word(f"{option} {name}", value))
        for name, value in _pairs(option, text)
    )


def _pairs(option: str, text: str) -> list[tuple[str, str]]:
    pairs = []
    for piece in comma_list(option, text):
        name, equals, value = (part.strip() for part in piece.rpartition("="))
        if not equals or not name:
            raise LlmcalcError(f"{option}: {piece!r} is not NAME=NUMBER")
        pairs.append((name, value))
    return pairs


# Fields of LoraConfig -> the setting that fills them, and what reads its text.
_READERS: dict[str, tuple[str, Callable[[str, str], Any]]] = {
    "exclude_modules": ("exclude", parse_names),
    "modules_to_save": ("modules_to_save", comma_list),
    "layers_to_transform": ("layers_to_transform", parse_layers),
    "rank_pattern": ("rank_pattern", parse_rank_pattern),
    "alpha_pattern": ("alpha_pattern", parse_alpha_pattern),
}
