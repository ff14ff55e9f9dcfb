"""The reverse question: the largest rank whose cost stays within a budget."""

from collections.abc import Callable
from functools import lru_cache
from typing import NamedTuple

from llmcalc.core.lora.estimate import Answer, Estimate
from llmcalc.errors import LlmcalcError

# The second line corrects what the digits of the first two ranks hid.
_REFINEMENTS = 3


class Cost(NamedTuple):
    """What one rank costs: parameters trained and in all, bytes of file and memory.

    ``total`` is what a percentage is taken of: base and adapters of a model, as PEFT
    prints it, or the full matrices where only their shapes are known.
    """

    rank: int
    trainable: int
    total: int
    file_bytes: int
    memory_bytes: int


class Budget(NamedTuple):
    """A limit: at most numerator / denominator of ``kind``, and the text that said so.

    ``kind`` is parameters, percent, file or memory (bytes).
    """

    kind: str
    numerator: int
    denominator: int = 1
    text: str = ""


class Fit(NamedTuple):
    """The largest rank within a budget: its cost, and that of the next rank."""

    budget: Budget
    at: Cost
    above: Cost


def excess(budget: Budget, cost: Cost) -> int:
    """Return by how much a cost is over the budget, in exact integers; 0 or less fits.

    For a percentage p = n / d: 100 d trainable - n total.

    >>> excess(Budget("percent", 1), Cost(8, 10, 1000, 40, 160))
    0
    """
    if budget.kind == "percent":
        trained = 100 * budget.denominator * cost.trainable
        return trained - budget.numerator * cost.total
    spent = {
        "parameters": cost.trainable,
        "file": cost.file_bytes,
        "memory": cost.memory_bytes,
    }[budget.kind]
    return budget.denominator * spent - budget.numerator


def largest_rank(budget: Budget, cost: Callable[[int], Cost], step: int = 1) -> Fit:
    """Return the largest rank within the budget, with the cost of the next rank.

    Ranks are the multiples of ``step``. The excess is affine in the rank but for the
    digits of a file's header, so a straight line from the first rank, drawn anew
    through each guess, leads to a rank that a search then proves: it fits and the
    next one does not.

    Raises LlmcalcError where the first rank is over the budget, and where none is.

    >>> square = lambda r: Cost(r, r * 8192, 4096 * 4096, 0, 0)
    >>> largest_rank(Budget("parameters", 10**6), square).at.rank
    122
    >>> largest_rank(Budget("parameters", 10**6), square, 8).above.rank
    128
    """
    known = lru_cache(maxsize=None)(lambda count: cost(count * step))
    base = excess(budget, known(1))
    if base > 0:
        raise LlmcalcError(f"--budget {budget.text}: {_too_small(budget, known(1))}")
    guess = 2
    for _ in range(_REFINEMENTS):
        slope = excess(budget, known(guess)) - base
        if slope <= 0:
            raise LlmcalcError(f"--budget {budget.text}: every rank fits")
        guess = max(2, 1 - base * (guess - 1) // slope)
    count = _last_within(lambda c: excess(budget, known(c)) <= 0, guess)
    return Fit(budget, known(count), known(count + 1))


def cost_of(estimate: Estimate) -> Cost:
    """Return what a budget looks at; without names the file is its tensors' bytes."""
    file_bytes = estimate.file_bytes
    return Cost(
        estimate.rank,
        estimate.trainable,
        estimate.total,
        estimate.adapter_bytes if file_bytes is None else file_bytes,
        estimate.memory.total,
    )


def within_budget(
    budget: Budget, at_rank: Callable[[int], Estimate], step: int = 1
) -> Answer:
    """Return the estimate at the largest rank within a budget and at the next one.

    ``step`` is what ranks must be multiples of. Raises LlmcalcError as
    `largest_rank` does.

    >>> from llmcalc.core.lora.estimate import Storage, estimate_matrices
    >>> from llmcalc.core.lora.matrix import lora_parameters
    >>> square = lambda r: [lora_parameters(4096, 4096, r)]
    >>> at_rank = lambda r: estimate_matrices(square(r), Storage())
    >>> within_budget(Budget("parameters", 10**6), at_rank).main.rank
    122
    """
    fit = largest_rank(budget, lambda rank: cost_of(at_rank(rank)), step)
    return Answer(at_rank(fit.at.rank), budget, at_rank(fit.above.rank))


def _too_small(budget: Budget, first: Cost) -> str:
    needs = {
        "parameters": f"{first.trainable:,} parameters",
        "percent": f"{first.trainable:,} of {first.total:,} parameters",
        "file": f"a file of {first.file_bytes:,} bytes",
        "memory": f"{first.memory_bytes:,} bytes of memory",
    }[budget.kind]
    return f"no rank fits; rank {first.rank} already needs {needs}"


def _last_within(fits: Callable[[int], bool], guess: int) -> int:
    """Return the last number that fits, looking outwards from a guess; 1 fits."""
    low, high, step = 1, guess, 1
    while fits(high):
        low, high, step = high, high + step, 2 * step
    while high - low > 1:
        middle = max(high - step, (low + high) // 2)
        step *= 2
        low, high = (middle, high) if fits(middle) else (low, middle)
    return low
