"""What a person sees of one softmax row: bars, a sweep, the engines side by side.

Imported only for tables and pictures, so rich may load at the top.
"""

from collections.abc import Iterator, Sequence
from typing import Any

from rich.console import RenderableType
from rich.text import Text

from llmcalc.core.filters import active, option_name
from llmcalc.core.questions import ALL_ORDERS, Row
from llmcalc.output.canvas import Canvas, facts, grid
from llmcalc.output.charts import bar, curve
from llmcalc.output.softmax_fields import Shown, logs

# Columns of 80 that a bar takes.
_BAR = 30
_CUT = "dim"


def view(row: Row, shown: Shown, canvas: Canvas) -> Iterator[RenderableType]:
    """Yield the renderables of one row."""
    if shown.settings.order == ALL_ORDERS:
        yield order_table(row, canvas)
        yield facts(canvas, [("temperature T", row.softmax.temperature, "")])
        return
    if row.sweep:
        yield from sweep_table(row, canvas)
    else:
        yield token_table(row, shown, canvas)
    yield facts(canvas, _facts(row, shown))


def token_table(row: Row, shown: Shown, canvas: Canvas) -> RenderableType:
    """Return one line a token, likeliest first, the rest summed in the last line."""
    order = best_first(row, shown.show)
    labels = shown.row_labels(0)
    kept = None if row.kept is None else set(row.kept)
    logprobs = logs(row, shown.base) if shown.log else None
    columns = _columns(row, shown)
    width = canvas.share(_BAR, 6)
    rows: list[list[Any]] = []
    for rank, index in enumerate(order, 1):
        prob = float(row.softmax.probs[index])
        cut = kept is not None and index not in kept
        cells: list[Any] = [rank, index]
        if labels is not None:
            cells.append(visible(labels[index]))
        cells.append(canvas.number(float(row.logits[index])))
        cells.append("cut" if cut else canvas.number(prob))
        if logprobs is not None:
            cells.append(canvas.number(float(logprobs[index])))
        if row.counts is not None:
            cells.append(canvas.number(row.counts[index]))
            cells.append(canvas.number(prob * (shown.settings.draws or 0)))
        styled = [Text(canvas.number(c), _CUT if cut else "") for c in cells]
        rows.append([*styled, bar(canvas, prob, width)])
    if len(order) < row.softmax.n:
        rows.append(_tail(row, order, len(columns), canvas))
    return grid(canvas, columns, rows)


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


def _columns(row: Row, shown: Shown) -> list[tuple[str, str]]:
    columns = [("rank", "right"), ("index", "right")]
    if shown.labels is not None:
        columns.append(("label", "left"))
    columns += [("logit", "right"), ("prob", "right")]
    if shown.log:
        name = "logprob" if shown.base == "e" else "log2 prob"
        columns.append((name, "right"))
    if row.counts is not None:
        columns += [("drawn", "right"), ("expected", "right")]
    return [*columns, ("", "left")]


def _tail(row: Row, order: Sequence[int], width: int, canvas: Canvas) -> list[Any]:
    rest = row.softmax.n - len(order)
    mass = max(0.0, 1 - sum(float(row.softmax.probs[index]) for index in order))
    text = f"{rest:,} more, mass {canvas.number(mass)}"
    cells: list[Any] = [""] * width
    cells[-1] = Text(text, _CUT)
    return cells


def sweep_table(row: Row, canvas: Canvas) -> Iterator[RenderableType]:
    """Yield a line a temperature with a bar of exp(H) / n, and the curve."""
    n = row.softmax.n - len(row.masked)
    width = canvas.share(_BAR, 6)
    columns = [
        ("T", "right"), ("top1", "right"), ("entropy nats", "right"),
        ("choices exp(H)", "right"), ("", "left"),
    ]  # fmt: skip
    yield grid(
        canvas,
        columns,
        (
            [*(canvas.number(value) for value in point),
             bar(canvas, point.effective_choices / n, width)]
            for point in row.sweep
        ),
    )  # fmt: skip
    if len(row.sweep) > 1:
        yield Text("effective choices over the temperatures", _CUT)
        yield curve(canvas, [point.effective_choices for point in row.sweep])


def order_table(row: Row, canvas: Canvas) -> RenderableType:
    """Return the engines side by side: what they keep, best, effective choices."""
    n = row.softmax.n
    width = canvas.share(20, 6)
    rows: list[list[Any]] = []
    for point in row.orders:
        if point.missing:
            names = ", ".join(option_name(field) for field in point.missing)
            rows.append([point.order, Text(f"has no {names}", _CUT), "", "", "", ""])
            continue
        rows.append(
            [
                point.order,
                f"{len(point.kept):,} of {n:,}",
                canvas.number(point.top1),
                canvas.number(point.effective_choices),
                bar(canvas, len(point.kept) / n, width),
                ranges(point.kept),
            ]
        )
    columns = [
        ("order", "left"), ("kept", "right"), ("top1", "right"),
        ("choices exp(H)", "right"), ("", "left"), ("candidates", "left"),
    ]  # fmt: skip
    return grid(canvas, columns, rows)


def ranges(indices: Sequence[int], most: int = 8) -> str:
    """Return ascending indices as ranges, the later ones counted.

    >>> ranges([0, 1, 2, 5, 7, 8])
    '0-2, 5, 7-8'
    """
    found: list[list[int]] = []
    for index in indices:
        if found and index == found[-1][1] + 1:
            found[-1][1] = index
        else:
            found.append([index, index])
    words = [f"{a}" if a == b else f"{a}-{b}" for a, b in found[:most]]
    more = [f"{len(found) - most} more ranges"] if len(found) > most else []
    return ", ".join(words + more)


def kept_words(row: Row, order: str) -> str:
    """Say how many are kept in this order, and what the other engines would keep."""
    kept = len(row.kept or ())
    others = ", ".join(f"{name} {count:,}" for name, count in row.elsewhere)
    said = f"{kept:,} of {row.softmax.n:,} kept in the order of {order}"
    return f"{said}; elsewhere: {others}" if others else said


def _facts(row: Row, shown: Shown) -> Iterator[tuple[str, Any, str]]:
    found = row.softmax
    yield "n", found.n, "tokens"
    if row.kept is not None:
        yield "kept", len(row.kept), kept_words(row, shown.settings.order)
        steps = (
            f"{option_name(f)} {v:g}" for f, v in active(shown.settings.filters).items()
        )
        yield "filters", len(active(shown.settings.filters)), ", ".join(steps)
    if row.masked:
        yield "masked", len(row.masked), "logits of -inf"
    yield "temperature T", found.temperature, ""
    yield "entropy", found.entropy_nats, "nats"
    yield "", found.entropy_bits, "bits"
    yield "choices exp(H)", found.effective_choices, f"of {found.n:,}"
    yield "best", found.top1, f"index {found.greedy}"
    if found.gap is not None:
        yield "gap to the second", found.gap, ""
    if found.ties > 1:
        yield "ties at the best", found.ties, ""
    yield "logsumexp", found.logsumexp, "of logits / T"
    if shown.listed_mass is not None:
        yield "listed mass", shown.listed_mass[0], "that the listed tokens cover"
    if row.kl is not None:
        yield "KL", row.kl[0], "nats, from this to the other"
        yield "KL reverse", row.kl[1], "nats"
    if row.counts is not None:
        yield "draws", shown.settings.draws, f"seed {shown.settings.seed}"
