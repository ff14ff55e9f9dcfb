"""What a person sees of one softmax row: a bar a token, a sweep, the engines.

Imported only for tables and pictures, so rich may load at the top.
"""

from collections.abc import Iterator, Sequence
from typing import Any

from rich.console import RenderableType
from rich.text import Text

from llmcalc.core.distribution import kept_elsewhere
from llmcalc.core.filters import active, option_name
from llmcalc.core.questions import ALL_ORDERS, Row, Settings
from llmcalc.output.canvas import Canvas, facts
from llmcalc.output.softmax_fields import Shown, logs
from llmcalc.output.softmax_tables import (
    Column,
    Line,
    Share,
    fitted,
    fitted_grid,
    order_table,
    sweep_table,
)

_CUT = "dim"


def view(row: Row, shown: Shown, canvas: Canvas) -> Iterator[RenderableType]:
    """Yield the renderables of one row."""
    canvas = fitted(canvas)
    if shown.settings.order == ALL_ORDERS:
        yield order_table(row, canvas)
        yield facts(canvas, [*_asked(row, shown)])
    elif row.sweep:
        yield from sweep_table(row, canvas)
        yield facts(canvas, [*_asked(row, shown)][:-1])
    else:
        yield from token_table(row, shown, canvas)
        yield facts(canvas, [*_asked(row, shown), *_figures(row, shown)])


def token_table(row: Row, shown: Shown, canvas: Canvas) -> Iterator[RenderableType]:
    """Yield one line a token, best first, cut ones dim, and the rest in one line."""
    order = best_first(row, shown.show)
    kept = None if row.kept is None else set(row.kept)
    lines = []
    for rank, index in enumerate(order, 1):
        cut = kept is not None and index not in kept
        share = Share(float(row.softmax.probs[index]))
        cells = [rank, *_cells(row, shown, index, cut), share]
        lines.append(Line(cells, _CUT if cut else ""))
    yield fitted_grid(canvas, _columns(row, shown), lines)
    if len(order) < row.softmax.n:
        yield _rest(row, order, canvas)
    if row.kept is not None:
        yield Text(kept_words(row, shown.settings), "bold")


def _columns(row: Row, shown: Shown) -> list[Column]:
    named = shown.labels is not None
    columns = [("rank", "right", 9), ("index", "right", 2 if named else 0)]
    if named:
        columns.append(("label", "left", 0))
    asked = row.against is not None or row.counts is not None
    columns += [("logit", "right", 5 if asked else 0), ("prob", "right", 0)]
    if shown.log:
        name = "logprob" if shown.base == "e" else "log2 prob"
        columns.append((name, "right", 0))
    if row.against is not None:
        columns.append(("other", "right", 0))
    if row.counts is not None:
        columns += [("drawn", "right", 0), ("expected", "right", 4)]
    return [*columns, ("", "left", 3)]


def _cells(row: Row, shown: Shown, index: int, cut: bool) -> Iterator[Any]:
    """Yield the cells of one token between its rank and its bar."""
    prob = float(row.softmax.probs[index])
    yield index
    labels = shown.row_labels(0)
    if labels is not None:
        yield visible(labels[index])
    yield float(row.logits[index])
    yield "cut" if cut else prob
    if shown.log:
        yield float(logs(row, shown.base)[index])
    if row.against is not None:
        yield float(row.against.probs[index])
    if row.counts is not None:
        yield row.counts[index]
        yield f"{prob * (shown.settings.draws or 0):,.1f}"


def _rest(row: Row, order: Sequence[int], canvas: Canvas) -> Text:
    """Say how many tokens are not listed, and their mass."""
    listed = set(order)
    mass = sum(float(p) for i, p in enumerate(row.softmax.probs) if i not in listed)
    text = f"{row.softmax.n - len(order):,} more tokens, mass {canvas.number(mass)}"
    if row.kept is not None:
        left = len(row.kept) - len(listed.intersection(row.kept))
        text += f"; {left:,} of them are kept"
    return Text(text, _CUT)


def best_first(row: Row, count: int) -> list[int]:
    """Return the indices of the largest logits, best first, ties by index."""
    logits = row.logits
    if isinstance(logits, list):
        return sorted(range(len(logits)), key=lambda i: -logits[i])[:count]
    import numpy as np

    return np.argsort(-logits.astype(np.float64), kind="stable")[:count].tolist()  # type: ignore[no-any-return]


def visible(label: str) -> str:
    """Return a label in quotes, so that blanks and line ends can be seen.

    >>> visible(" the")
    "' the'"
    """
    return repr(label)


def kept_words(row: Row, settings: Settings) -> str:
    """Say how many are kept in this order and how many other engines would keep."""
    kept = 0 if row.kept is None else len(row.kept)
    said = f"{kept:,} of {row.softmax.n:,} kept in the order of {settings.order}"
    elsewhere = kept_elsewhere(row.logits, settings)
    others = ", ".join(f"{name} {count:,}" for name, count in elsewhere)
    return f"{said}; would keep: {others}" if others else said


def _asked(row: Row, shown: Shown) -> Iterator[tuple[str, Any, str]]:
    """Yield the facts of the question, the temperature last."""
    yield "n", row.softmax.n, "tokens"
    if row.masked:
        yield "masked", len(row.masked), "logits of -inf"
    steps = active(shown.settings.filters).items()
    for field, value in steps:
        yield option_name(field).removeprefix("--"), value, ""
    yield "temperature T", row.softmax.temperature, ""


def _figures(row: Row, shown: Shown) -> Iterator[tuple[str, Any, str]]:
    """Yield the facts of the distribution."""
    found = row.softmax
    yield "entropy", found.entropy_nats, "nats"
    yield "", found.entropy_bits, "bits"
    yield "choices exp(H)", found.effective_choices, f"of {found.n:,}"
    yield "best", found.top1, f"index {found.greedy}"
    if found.gap is not None:
        yield "gap to second", found.gap, ""
    if found.ties > 1:
        yield "ties at the best", found.ties, ""
    yield "logsumexp", found.logsumexp, "of logits / T"
    if shown.listed_mass is not None:
        yield "listed mass", shown.listed_mass[0], "that the listed tokens cover"
    if row.kl is not None and row.against is not None:
        yield "other T", row.against.temperature, ""
        yield "KL", row.kl[0], "nats, to the other"
        yield "KL reverse", row.kl[1], "nats, from it"
    if row.counts is not None:
        yield "draws", shown.settings.draws, f"seed {shown.settings.seed}"
