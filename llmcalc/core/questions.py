"""What the softmax command asks of a row of logits, and what it is answered."""

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

from llmcalc.core.filters import Filters, active
from llmcalc.core.logit_checks import Place
from llmcalc.core.softmax import Softmax

# The order that shows every engine.
ALL_ORDERS = "all"


class Target(NamedTuple):
    """A figure whose temperature is asked for: entropy (nats), choices or top1."""

    figure: str
    value: float


class Settings(NamedTuple):
    """What is asked of every row."""

    temperature: float = 1.0
    filters: Filters = Filters()
    order: str = "hf"
    target: Target | None = None
    sweep: tuple[float, ...] = ()
    compare: float | None = None
    draws: int | None = None
    seed: int = 0

    @property
    def plain(self) -> bool:
        """Whether a temperature is all that is asked for."""
        return self == Settings(self.temperature) and not active(self.filters)


class Other(NamedTuple):
    """A row to compare with, and how to name a place in it."""

    logits: Any
    place: Place


class SweepPoint(NamedTuple):
    """The figures at one temperature of a sweep."""

    temperature: float
    top1: float
    entropy_nats: float
    effective_choices: float


class OrderPoint(NamedTuple):
    """What one engine leaves of a row; ``missing`` filters it does not have."""

    order: str
    missing: tuple[str, ...]
    kept: Sequence[int]
    top1: float
    entropy_nats: float
    effective_choices: float


class Row(NamedTuple):
    """One row with every answer that was asked for, None where it was not.

    ``kept`` are the indices that survive the filters, ``filter_ties`` the filters
    that met equal candidates at their last place and what they do with them,
    ``against`` what the row is compared with, ``kl`` the divergences in nats from
    this to that and back.
    """

    logits: Any
    softmax: Softmax
    kept: Sequence[int] | None = None
    filter_ties: tuple[tuple[str, str], ...] = ()
    orders: tuple[OrderPoint, ...] = ()
    sweep: tuple[SweepPoint, ...] = ()
    against: Softmax | None = None
    kl: tuple[float, float] | None = None
    counts: Sequence[int] | None = None

    @property
    def masked(self) -> list[int]:
        """Indices of the -inf logits."""
        if isinstance(self.logits, list):
            # Nothing is masked as a rule, and counting is quick.
            if not self.logits.count(-math.inf):
                return []
            return [i for i, logit in enumerate(self.logits) if logit == -math.inf]
        indices: list[int] = (self.logits == -math.inf).nonzero()[0].tolist()
        return indices
