"""The options of `lora` as fields of PEFT's LoraConfig."""

from typing import Any

from llmcalc.cli.lora_words import Setting, comma_list, parse_names, positive
from llmcalc.core.lora.layers import LoraConfig
from llmcalc.errors import LlmcalcError

# Beyond the layers of any model; a range that long is a slip.
_MAX_LAYER = 100_000


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
    for field, text, read in (
        ("exclude_modules", setting.exclude, parse_names),
        ("modules_to_save", setting.modules_to_save, comma_list),
        ("layers_to_transform", setting.layers_to_transform, parse_layers),
        ("rank_pattern", setting.rank_pattern, parse_rank_pattern),
        ("alpha_pattern", setting.alpha_pattern, parse_alpha_pattern),
    ):
        changes[field] = None if text is None else read(text)
    config = first._replace(**{k: v for k, v in changes.items() if v is not None})
    if setting.target is None:
        return config
    return config._replace(target_modules=parse_target(setting.target))


def parse_target(text: str) -> tuple[str, ...] | str | None:
    """Return PEFT's target_modules: names, an expression, all-linear, or its default.

    >>> parse_target("all-linear"), parse_target("default"), parse_target("q_proj")
    ('all-linear', None, ('q_proj',))
    """
    if text in ("all-linear", "default"):
        return None if text == "default" else text
    return parse_names(text)


def parse_layers(text: str) -> tuple[int, ...]:
    """Return the layer numbers of a list of numbers and ranges.

    >>> parse_layers("0-2,7")
    (0, 1, 2, 7)
    """
    numbers: list[int] = []
    for piece in comma_list(text):
        first, dash, last = (part.strip() for part in piece.partition("-"))
        ends = [first, last] if dash else [first, first]
        if not all(end.isascii() and end.isdigit() and len(end) < 7 for end in ends):
            raise LlmcalcError(
                f"--layers-to-transform: {piece!r} is no number or range"
            )
        low, high = map(int, ends)
        if high < low or high > _MAX_LAYER:
            raise LlmcalcError(
                f"--layers-to-transform: {piece!r} is no range of layers"
            )
        numbers += range(low, high + 1)
    return tuple(dict.fromkeys(numbers))


def parse_rank_pattern(text: str) -> tuple[tuple[str, int], ...]:
    """Return names with ranks of their own: o_proj=64,down_proj=32."""
    return tuple(
        (name, positive(f"--rank-pattern {name}", value))
        for name, value in _pairs("--rank-pattern", text)
    )


def parse_alpha_pattern(text: str) -> tuple[tuple[str, float], ...]:
    """Return names with alphas of their own: o_proj=64,down_proj=32."""
    found = []
    for name, value in _pairs("--alpha-pattern", text):
        try:
            found.append((name, float(value)))
        except ValueError:
            raise LlmcalcError(
                f"--alpha-pattern {name}: {value!r} is not a number"
            ) from None
    return tuple(found)


def _pairs(option: str, text: str) -> list[tuple[str, str]]:
    pairs = []
    for piece in comma_list(text):
        name, equals, value = piece.rpartition("=")
        if not equals or not name:
            raise LlmcalcError(f"{option}: {piece!r} is not NAME=NUMBER")
        pairs.append((name, value))
    return pairs
