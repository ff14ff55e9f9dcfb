"""What `lora` is asked, and the one way in which shapes and models answer it."""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from llmcalc.cli.lora_words import (
    Setting,
    parse_alpha,
    parse_budget,
    parse_ranks,
    positive,
)
from llmcalc.core.lora.estimate import Answer, Estimate, Storage
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
}
_FLAGS = {"--rslora": "rslora", "--dora": "dora", "--lora-bias": "lora_bias"}


class Asked(NamedTuple):
    """The options of one run, words not read yet where None is no value."""

    setting: Setting
    storage: Storage
    sweep: str | None = None
    budget: str | None = None
    compare: Sequence[str] = ()


def answer(asked: Asked, estimate: Callable[[Setting], Estimate]) -> Answer:
    """Return the answer to all that was asked, through one function of a setting.

    Raises LlmcalcError where no rank is given nor asked for, or both.
    """
    setting, budget = asked.setting, asked.budget
    ranks = () if asked.sweep is None else parse_ranks(asked.sweep)
    others = [(text, parse_setting(text, setting)) for text in asked.compare]

    def at_rank(rank: int) -> Estimate:
        return estimate(setting._replace(rank=rank))

    if budget is not None:
        from llmcalc.core.lora.budget import within_budget

        found = within_budget(parse_budget(budget), at_rank)
    elif setting.rank is not None:
        found = Answer(estimate(setting))
    elif ranks or others:
        found = Answer(None)
    else:
        raise LlmcalcError("the rank is missing; give -r R, --sweep or --budget")
    found = found._replace(sweep=tuple(at_rank(rank) for rank in ranks))
    if not others:
        return found
    first = [(setting_text(setting), found.main)] if found.main is not None else []
    beside = [(text, estimate(other)) for text, other in others]
    return found._replace(compare=(*first, *beside))


def setting_text(setting: Setting) -> str:
    """Return the options that make a setting.

    >>> setting_text(Setting(rank=8, dora=True, target="q_proj"))
    '-r 8 --target q_proj --dora'
    """
    import shlex

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
    import shlex

    try:
        words = shlex.split(text)
    except ValueError as error:
        raise LlmcalcError(f"--compare {text!r}: {str(error).lower()}") from None
    changes: dict[str, Any] = {}
    while words:
        name, equals, value = words.pop(0).partition("=")
        if name in _FLAGS and not equals:
            changes[_FLAGS[name]] = True
            continue
        if name not in _VALUED or not (equals or words):
            known = ", ".join([*_VALUED, *_FLAGS])
            raise LlmcalcError(f"--compare {text!r}: {name!r} is none of {known}")
        changes[_VALUED[name]] = value if equals else words.pop(0)
    return first._replace(**_typed(changes, text))


def _typed(changes: dict[str, Any], text: str) -> dict[str, Any]:
    if "rank" in changes:
        changes["rank"] = positive(f"--compare {text!r}: -r", str(changes["rank"]))
    if "alpha" in changes:
        try:
            changes["alpha"] = parse_alpha(float(str(changes["alpha"])))
        except ValueError:
            raise LlmcalcError(
                f"--compare {text!r}: {changes['alpha']!r} is not a number"
            ) from None
    return changes
