"""What `lora` is asked, and the one way in which shapes and models answer it."""

from collections.abc import Callable, Sequence
from typing import NamedTuple

from llmcalc.cli.lora_words import Setting, parse_ranks
from llmcalc.core.lora.estimate import Answer, Estimate, Storage
from llmcalc.errors import LlmcalcError


class Asked(NamedTuple):
    """The options of one run, words not read yet where None is no value."""

    setting: Setting
    sweep: str | None = None
    budget: str | None = None
    compare: Sequence[str] = ()


def answer(
    asked: Asked, estimate: Callable[[Setting], Estimate], step: int = 1
) -> Answer:
    """Return the answer to all that was asked, through one function of a setting.

    ``step`` is what ranks must be multiples of. Raises LlmcalcError where no rank is
    given nor asked for, or both.
    """
    setting, budget = asked.setting, asked.budget
    ranks = () if asked.sweep is None else parse_ranks(asked.sweep)

    def at_rank(rank: int) -> Estimate:
        return estimate(setting._replace(rank=rank))

    if budget is not None:
        from llmcalc.cli.lora_budget import parse_budget
        from llmcalc.core.lora.budget import within_budget

        found = within_budget(parse_budget(budget), at_rank, step)
    elif setting.rank is not None:
        found = Answer(estimate(setting))
    elif ranks or asked.compare:
        found = Answer(None)
    else:
        raise LlmcalcError("the rank is missing; give -r R, --sweep or --budget")
    found = found._replace(sweep=tuple(at_rank(rank) for rank in ranks))
    return _compared(found, asked, estimate) if asked.compare else found


def _compared(
    found: Answer, asked: Asked, estimate: Callable[[Setting], Estimate]
) -> Answer:
    from llmcalc.cli.lora_compare import parse_setting, setting_text

    first, sets = asked.setting, []
    if found.main is not None:
        # The rank that a budget led to is the first set's, and so the others'.
        first = first._replace(rank=found.main.rank)
        sets.append((setting_text(first), found.main))
    for text in asked.compare:
        sets.append((text, estimate(parse_setting(text, first))))
    return found._replace(compare=tuple(sets))


def storage_of(setting: Setting) -> Storage:
    """Return the element types and the optimizer of a setting."""
    optimizer = setting.optimizer or "adamw"
    return Storage(setting.dtype or "", setting.base_dtype or "", optimizer)
