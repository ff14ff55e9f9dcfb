"""The inference engines' chains: in which order each one applies which filters.

Everything that is not asked for is off, whatever the engine's own defaults are
(transformers' top-k 50; llama.cpp's top-k 40, top-p 0.95, min-p 0.05).
"""

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from llmcalc.core import truncation as keep
from llmcalc.core.candidates import Candidates
from llmcalc.core.filters import Filters, active, check_filters, option_name
from llmcalc.core.softmax import check_temperature
from llmcalc.core.softmax_rows import Floats
from llmcalc.errors import LlmcalcError

Step = tuple[str, keep.Filter]
Steps = tuple[Step, ...]


class Chain(NamedTuple):
    """An engine's filters before and after the division by T, in its order.

    ``joint`` filters all judge one distribution; the others each judge what the one
    before left, normalised again. ``greedy_resets``: at T = 0 no filter is applied.
    """

    before: Steps
    after: Steps
    joint: bool = False
    greedy_resets: bool = False


class Truncation(NamedTuple):
    """What is left of a row: ``logits`` with the cut ones -inf, and what happened.

    ``kept`` are the indices that survive, ascending; ``ties`` the filters that met
    equal candidates at their last place, and what they do with them.
    """

    logits: Floats
    kept: NDArray[np.intp]
    ties: tuple[tuple[str, str], ...]


_TOP_K_TIES: Step = ("top_k", keep.top_k_with_ties)
_TOP_K: Step = ("top_k", keep.top_k_exact)
_TOP_P: Step = ("top_p", keep.top_p)
_MIN_P: Step = ("min_p", keep.min_p)

# transformers 5.24 generation/utils.py; vLLM v1 sampler; llama.cpp common sampling;
# SGLang sampler: without min-p top-k and top-p judge the same full distribution, with
# it they follow one another.
ORDERS: dict[str, Chain] = {
    "hf": Chain(
        before=(),
        after=(
            ("top_h", keep.top_h),
            _TOP_K_TIES,
            _TOP_P,
            _MIN_P,
            ("typical_p", keep.typical_with_ties),
            ("epsilon_cutoff", keep.epsilon),
            ("eta_cutoff", keep.eta),
        ),
    ),
    "vllm": Chain((), (_MIN_P, _TOP_K_TIES, _TOP_P), greedy_resets=True),
    "llama.cpp": Chain(
        before=(
            ("top_n_sigma", keep.top_n_sigma),
            _TOP_K,
            ("typical_p", keep.typical_exact),
            _TOP_P,
            _MIN_P,
        ),
        after=(),
    ),
    "sglang": Chain((), (_TOP_K, _TOP_P), joint=True, greedy_resets=True),
}
_SGLANG_MIN_P = Chain((), (_TOP_K, _TOP_P, _MIN_P), greedy_resets=True)


def missing(order: str, filters: Filters) -> list[str]:
    """Return the filters that are asked for and that an engine does not have.

    >>> missing("vllm", Filters(typical_p=0.9))
    ['typical_p']
    """
    chain = _chain(order, filters)
    has = {field for field, _ in chain.before + chain.after}
    return [field for field in active(filters) if field not in has]


def check_order(order: str, filters: Filters) -> None:
    """Raise LlmcalcError where an engine lacks a filter, naming those that have it."""
    for field in missing(order, filters):
        only = Filters(**{field: getattr(filters, field)})
        able = [name for name in ORDERS if not missing(name, only)]
        raise LlmcalcError(
            f"{option_name(field)}: {order} has no such filter; {', '.join(able)} "
            f"{'does' if len(able) == 1 else 'do'}"
        )


def truncate(
    logits: NDArray[Any], temperature: float, filters: Filters, order: str = "hf"
) -> Truncation:
    """Cut a row of logits as an engine does, in the engine's order.

    logits: [n]; -inf is a mask and is never kept. Raises LlmcalcError for a setting
    out of range, a filter that the engine does not have, T < 0 or NaN.

    >>> row = np.log([0.5, 0.3, 0.15, 0.05])
    >>> truncate(row, 1.0, Filters(top_k=2, top_p=0.6)).kept.tolist()
    [0]
    >>> truncate(row, 1.0, Filters(top_k=2, top_p=0.6), "sglang").kept.tolist()
    [0, 1]
    """
    check_temperature(temperature)
    check_filters(filters)
    check_order(order, filters)
    wide = np.asarray(logits, dtype=np.float64)
    alive = np.flatnonzero(wide > -np.inf)
    ties: list[tuple[str, str]] = []
    for group, at in _judgements(order, temperature, filters):
        row = Candidates(wide[alive], at)
        mask = np.ones(len(alive), dtype=np.bool_)
        for field, rule in group:
            kept = rule(row, getattr(filters, field))
            mask &= kept.mask
            ties += [(field, kept.tie)] if kept.tie else []
        alive = alive[mask]
    cut = np.full(len(wide), -np.inf)
    cut[alive] = wide[alive]
    return Truncation(cut, alive, tuple(ties))


def _judgements(
    order: str, temperature: float, filters: Filters
) -> Iterator[tuple[list[Step], float]]:
    """Yield the filters that judge one distribution, and its temperature, in order."""
    chain = _chain(order, filters)
    asked = active(filters)
    if chain.greedy_resets and temperature == 0:
        return
    for steps, at in ((chain.before, 1.0), (chain.after, temperature)):
        wanted = [step for step in steps if step[0] in asked]
        if chain.joint and wanted:
            yield wanted, at
        else:
            yield from (([step], at) for step in wanted)


def _chain(order: str, filters: Filters) -> Chain:
    if order not in ORDERS:
        raise LlmcalcError(f"--order: {order!r} is none of {', '.join(ORDERS)}, all")
    if order == "sglang" and "min_p" in active(filters):
        return _SGLANG_MIN_P
    return ORDERS[order]
