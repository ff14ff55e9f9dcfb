"""The lines of plain, tsv and csv that one softmax row and many have in common.

Start-up is a feature: no numpy, no rich.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from llmcalc.core.filters import option_name
from llmcalc.core.questions import Row
from llmcalc.output.softmax_fields import Shown, as_list, logs, order_objects
from llmcalc.output.text import value_text

_FIGURES = ("kept", "top1", "entropy_nats", "effective_choices")


def order_counts(row: Row) -> list[dict[str, Any]]:
    """Return what each engine leaves, with the number of candidates for a list."""
    objects = order_objects(row)
    for point in objects:
        if "kept" in point:
            point["kept"] = len(point["kept"])
    return objects


def order_line(point: Mapping[str, Any], precision: int | None) -> str:
    """Return the plain line of one engine, whose ``kept`` is a count.

    >>> order_line({"order": "vllm", "missing": ["top_h"]}, None)
    'vllm\\thas no --top-h'
    """
    if "missing" in point:
        lacking = ", ".join(map(option_name, point["missing"]))
        return f"{point['order']}\thas no {lacking}"
    numbers = [point[name] for name in _FIGURES]
    return f"{point['order']}\t{value_text(numbers, precision)}"


def order_row(point: Mapping[str, Any]) -> dict[str, Any]:
    """Return one engine as a row of tsv and csv; what it does not have is empty.

    >>> order_row({"order": "vllm", "missing": ["top_h"]})["missing"]
    '--top-h'
    """
    missing = ", ".join(map(option_name, point.get("missing", ())))
    figures = {name: point.get(name) for name in _FIGURES}
    return {"order": point["order"], "missing": missing, **figures}


def token_rows(row: Row, shown: Shown, number: int = 0) -> Iterator[dict[str, Any]]:
    """Yield a row a token: its logit, its probability, and what was asked of it."""
    columns: dict[str, Any] = {}
    labels = shown.row_labels(number)
    if labels is not None:
        columns["label"] = labels
    columns["logit"] = as_list(row.logits)
    columns["prob"] = as_list(row.softmax.probs)
    columns["logprob"] = as_list(logs(row, shown.base))
    if row.kept is not None:
        alive = set(row.kept)
        columns["kept"] = [index in alive for index in range(row.softmax.n)]
    if row.against is not None:
        columns["other_prob"] = as_list(row.against.probs)
    if row.counts is not None:
        columns["count"] = row.counts
    for index, values in enumerate(zip(*columns.values(), strict=True)):
        yield {"index": index, **dict(zip(columns, values, strict=True))}
