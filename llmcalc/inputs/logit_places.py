"""Words for the place of a logit: (row, index), or (row, None) for the whole row.

Bound to what they need with ``functools.partial``.
"""

from bisect import bisect_right
from collections.abc import Callable, Sequence

from llmcalc.core.logit_checks import Place
from llmcalc.inputs.labelled import Labelled
from llmcalc.inputs.top_logprobs import Position


def line_place(name: str, _: int, index: int | None) -> str:
    """Name a logit of a column by its line."""
    return name if index is None else f"{name}: line {index + 1}"


def array_place(
    name: str,
    words: Callable[[Sequence[int]], str],
    shape: tuple[int, ...],
    row: int,
    index: int | None,
) -> str:
    """Name a logit of an array by its axes."""
    axes = _axes(row, shape)
    if index is not None:
        return f"{name}: {words([*axes, index])}"
    return f"{name}: row {','.join(map(str, axes))}" if axes else name


def _axes(row: int, shape: tuple[int, ...]) -> list[int]:
    """Return the index on each axis of a row counted through them all."""
    axes: list[int] = []
    for length in reversed(shape):
        row, index = divmod(row, length)
        axes.insert(0, index)
    return axes


def labelled_place(
    name: str, found: Labelled, single: bool, row: int, index: int | None
) -> str:
    """Name a labelled logit by its line and label."""
    if index is None:
        return name if single else f"{name}: line {found.lines[row]}"
    line = found.lines[index if single else row]
    label = f", {found.labels[index]!r}" if found.labels else ""
    return f"{name}: line {line}{label}"


def position_place(
    name: str, found: list[Position], row: int, index: int | None
) -> str:
    """Name a listed token by where its position stands in the reply."""
    position = found[row]
    label = "" if index is None else f": {position.labels[index]!r}"
    return f"{name}: {position.path}{label}"


def joined_place(
    places: list[Place], starts: list[int], row: int, index: int | None
) -> str:
    """Name a logit of several files by its own file."""
    part = bisect_right(starts, row) - 1
    return places[part](row - starts[part], index)
