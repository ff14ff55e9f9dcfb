"""One row of logits under all the questions of the softmax command.

Start-up is a feature: typed numbers with a temperature alone need no numpy, so what
needs it is imported where a filter, a search, a draw or an array asks for it.
"""

import math
from collections.abc import Iterator, Sequence
from typing import Any

from llmcalc.core.filters import Filters, active
from llmcalc.core.logit_checks import Place, index_place
from llmcalc.core.questions import (
    ALL_ORDERS,
    OrderPoint,
    Other,
    Row,
    Settings,
    SweepPoint,
    Target,
)
from llmcalc.core.softmax import Softmax, softmax

# The filters that met equal candidates at their last place, and what they do there.
Ties = tuple[tuple[str, str], ...]


def analyse(
    logits: Any,
    settings: Settings,
    place: Place = index_place,
    row: int = 0,
    other: Other | None = None,
) -> Row:
    """Answer every question of the settings about one row of logits, [n].

    ``other`` is a row over the same tokens to compare with, at the same T and under
    the same filters. Raises LlmcalcError as ``softmax``, ``truncate`` and the
    temperature searches do.

    >>> analyse([2.0, 1.0], Settings(0.5)).softmax.greedy
    0
    """
    if settings.target is not None:
        temperature = _solved(logits, settings.target, place, row)
        settings = settings._replace(temperature=temperature)
    if settings.order == ALL_ORDERS:
        whole = settings._replace(order="hf", filters=Filters())
        found = analyse(logits, whole, place, row, other)
        orders, met = _all_orders(logits, settings)
        return found._replace(orders=orders, filter_ties=met)
    shown, kept, filter_ties = _distribution(logits, settings, place, row)
    if settings.compare is not None:
        other = Other(logits, place)
    against = None if other is None else _against(other, settings, row)
    return Row(
        logits=logits,
        softmax=shown,
        kept=kept,
        filter_ties=filter_ties,
        sweep=tuple(_sweep(logits, settings)),
        against=against,
        kl=None if against is None else _divergences(shown, against),
        counts=None if settings.draws is None else _drawn(shown, settings, row),
    )


def kept_elsewhere(logits: Any, settings: Settings) -> list[tuple[str, int]]:
    """Return how many candidates each other engine that has the filters would keep.

    >>> kept_elsewhere([1.0, 1.0, 0.0], Settings(filters=Filters(top_k=1)))
    [('vllm', 2), ('llama.cpp', 1), ('sglang', 1)]
    """
    from llmcalc.core.engines import ORDERS, missing, truncate

    temperature, filters = settings.temperature, settings.filters
    return [
        (order, len(truncate(logits, temperature, filters, order).kept))
        for order in ORDERS
        if order != settings.order and not missing(order, filters)
    ]


def _sweep(logits: Any, settings: Settings) -> Iterator[SweepPoint]:
    for temperature in settings.sweep:
        at = settings._replace(temperature=temperature)
        yield _figures(_distribution(logits, at)[0])


def _figures(row: Softmax) -> SweepPoint:
    return SweepPoint(
        row.temperature, row.top1, row.entropy_nats, row.effective_choices
    )


def _distribution(
    logits: Any, settings: Settings, place: Place = index_place, row: int = 0
) -> tuple[Softmax, Sequence[int] | None, Ties]:
    """Softmax of what the filters leave, the indices left, and the ties met."""
    if not active(settings.filters) and isinstance(logits, list):
        return softmax(logits, settings.temperature, place, row), None, ()
    import numpy as np

    from llmcalc.core.engines import truncate
    from llmcalc.core.softmax_blocks import check_rows
    from llmcalc.core.softmax_rows import softmax_rows

    wide = np.asarray(logits)
    check_rows(wide[None], row, place)
    if not active(settings.filters):
        return softmax_rows(wide[None], settings.temperature).row(0), None, ()
    left = truncate(wide, settings.temperature, settings.filters, settings.order)
    shown = softmax_rows(left.logits[None], settings.temperature).row(0)
    return shown, left.kept.tolist(), left.ties


def _all_orders(logits: Any, settings: Settings) -> tuple[tuple[OrderPoint, ...], Ties]:
    """What each engine leaves, and the ties that its filters met."""
    from llmcalc.core.engines import ORDERS, missing

    points: list[OrderPoint] = []
    met: list[tuple[str, str]] = []
    for order in ORDERS:
        lacking = tuple(missing(order, settings.filters))
        if lacking:
            points.append(OrderPoint(order, lacking, (), *(math.nan,) * 3))
            continue
        shown, kept, ties = _distribution(logits, settings._replace(order=order))
        left = [i for i, p in enumerate(shown.probs) if p] if kept is None else kept
        points.append(OrderPoint(order, (), left, *_figures(shown)[1:]))
        met += [(field, f"of {order} {words}") for field, words in ties]
    return tuple(points), tuple(met)


def _solved(logits: Any, target: Target, place: Place, row: int) -> float:
    import numpy as np

    from llmcalc.core import temperature as search
    from llmcalc.core.softmax_blocks import check_rows

    wide = np.asarray(logits, dtype=np.float64)
    check_rows(wide[None], row, place)
    find = {
        "entropy": search.temperature_for_entropy,
        "choices": search.temperature_for_choices,
        "top1": search.temperature_for_top1,
    }[target.figure]
    return find(wide, target.value)


def _drawn(distribution: Softmax, settings: Settings, row: int) -> Sequence[int]:
    import numpy as np

    from llmcalc.core.sampling import draw_counts

    probs = np.asarray(distribution.probs)
    counts: list[int] = draw_counts(
        probs, settings.draws or 0, settings.seed + row
    ).tolist()
    return counts


def _against(other: Other, settings: Settings, row: int) -> Softmax:
    """Another row at the same T, or the same one at another T."""
    if settings.compare is not None:
        settings = settings._replace(temperature=settings.compare)
    return _distribution(other.logits, settings, other.place, row)[0]


def _divergences(shown: Softmax, against: Softmax) -> tuple[float, float]:
    import numpy as np

    from llmcalc.core.divergence import kl_divergence

    p, q = np.asarray(shown.logprobs), np.asarray(against.logprobs)
    return float(kl_divergence(p, q)), float(kl_divergence(q, p))
