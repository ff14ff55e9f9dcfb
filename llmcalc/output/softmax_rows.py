"""The results of softmax on many rows -> one report, the rows worked out as needed.

Start-up is a feature: rich loads only for a table or a picture.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any

from llmcalc.core.questions import ALL_ORDERS, Row
from llmcalc.output.report import Report
from llmcalc.output.softmax import headline
from llmcalc.output.softmax_fields import (
    EachRow,
    Shown,
    as_list,
    logs,
    nested,
    order_objects,
    row_fields,
)
from llmcalc.output.softmax_lines import order_line, order_row, token_rows
from llmcalc.output.softmax_summary import Summary
from llmcalc.output.text import value_text

if TYPE_CHECKING:
    from llmcalc.output.canvas import Canvas

# So many warnings about single rows are printed, the others counted.
_WARNINGS = 4


def report_rows(
    again: Callable[[], Iterator[Row]],
    summary: Summary,
    shown: Shown,
    notes: Iterable[str],
    objects: bool,
) -> Report:
    """Return the report of many rows; ``objects`` makes jsonl a whole object a row.

    ``again`` works the rows out once more for what prints them.
    """
    warnings = [*notes, *summary.warnings[:_WARNINGS]]
    if (more := len(summary.warnings) - _WARNINGS) > 0:
        warnings.append(f"{more:,} more warnings of this kind about other rows")
    return Report(
        fields=_fields(again, summary, shown),
        headline=headline(shown) if not summary.kl else "kl_nats",
        view=partial(_view, summary, shown),
        rows=partial(_objects if objects else _table, again, summary, shown),
        warnings=warnings,
        plain=partial(_plain, again, summary, shown),
    )


def _fields(
    again: Callable[[], Iterator[Row]], summary: Summary, shown: Shown
) -> dict[str, Any]:
    shape = shown.shape
    each = partial(EachRow, again, shape=shape)
    same = len(set(summary.n)) == 1
    solved = shown.settings.target is not None
    fields: dict[str, Any] = {
        "n": summary.n[0] if same else nested(summary.n, shape),
        "rows": len(summary.n),
        "temperature": nested(summary.temperature, shape)
        if solved
        else summary.temperature[0],
        "order": shown.settings.order,
    }
    if shown.base != "e":
        fields["base"] = shown.base
    if shown.labels is not None:
        one = len(shown.labels) == 1
        fields["labels"] = shown.labels[0] if one else nested(shown.labels, shape)
    fields["logits"] = each(lambda row: row.logits)
    if shown.settings.order == ALL_ORDERS:
        return {**fields, "orders": each(order_objects)}
    fields["probs"] = each(lambda row: row.softmax.probs)
    fields["logprobs"] = each(lambda row: logs(row, shown.base))
    for key, values in summary.figures.items():
        fields[key] = nested(values, shape)
    fields["masked"] = each(lambda row: row.masked)
    if summary.kept:
        fields["kept"] = each(lambda row: row.kept)
    if shown.listed_mass is not None:
        fields["listed_mass"] = nested(shown.listed_mass, shape)
    if shown.settings.draws is not None:
        fields["counts"] = each(lambda row: row.counts)
        fields["seed"] = shown.settings.seed
    return fields | _answers(summary, shown)


def _answers(summary: Summary, shown: Shown) -> dict[str, Any]:
    fields: dict[str, Any] = {}
    shape = shown.shape
    if summary.sweep:
        fields["sweep"] = list(sweep_points(summary, shown))
    if summary.kl:
        fields["kl_nats"] = nested([forth for forth, _ in summary.kl], shape)
        fields["kl_reverse_nats"] = nested([back for _, back in summary.kl], shape)
    return fields


def sweep_points(summary: Summary, shown: Shown) -> Iterator[dict[str, Any]]:
    """Yield each temperature of a sweep with its figures of every row."""
    for points in zip(*summary.sweep, strict=True):
        names = [name for name in points[0]._fields if name != "temperature"]
        by_row = {
            name: nested([getattr(point, name) for point in points], shown.shape)
            for name in names
        }
        yield {"temperature": points[0].temperature, **by_row}


def _plain(
    again: Callable[[], Iterator[Row]],
    summary: Summary,
    shown: Shown,
    precision: int | None,
) -> Iterator[str]:
    name = headline(shown)
    if name in ("probs", "logprobs"):
        if shown.settings.target is not None:
            lines: Iterable[Any] = summary.temperature
        elif summary.kl:
            lines = summary.kl
        else:
            yield from _printed(again, shown, precision)
            return
    elif name == "sweep":
        lines = ([n, *point] for n, row in enumerate(summary.sweep) for point in row)
    elif name == "orders":
        for number, points in enumerate(summary.orders):
            for point in points:
                yield f"{number}\t{order_line(point, precision)}"
        return
    else:
        # Whole numbers have no digits to leave out.
        yield from ("\t".join(map(str, row.counts or ())) for row in again())
        return
    yield from (value_text(line, precision) for line in lines)


def _printed(
    again: Callable[[], Iterator[Row]], shown: Shown, precision: int | None
) -> Iterator[str]:
    for row in again():
        values = as_list(logs(row, shown.base) if shown.log else row.softmax.probs)
        if precision is None:
            yield "\t".join(map(repr, values))
        else:
            yield value_text(values, precision)


def _objects(
    again: Callable[[], Iterator[Row]], summary: Summary, shown: Shown
) -> Iterator[Mapping[str, Any]]:
    for number, row in enumerate(again()):
        yield {"row": number, **row_fields(row, shown, number)}


def _table(
    again: Callable[[], Iterator[Row]], summary: Summary, shown: Shown
) -> Iterator[Mapping[str, Any]]:
    """Yield the rows of tsv and csv: the figures of each row, or its drawn tokens."""
    if summary.sweep:
        for number, points in enumerate(summary.sweep):
            yield from ({"row": number, **point._asdict()} for point in points)
        return
    if summary.orders:
        for number, points in enumerate(summary.orders):
            yield from ({"row": number, **order_row(point)} for point in points)
        return
    if shown.settings.draws is not None:
        for number, row in enumerate(again()):
            tokens = token_rows(row, shown, number)
            yield from ({"row": number, **token} for token in tokens)
        return
    for number, n in enumerate(summary.n):
        line = {"row": number, "n": n, "temperature": summary.temperature[number]}
        line |= {key: values[number] for key, values in summary.figures.items()}
        if summary.kept:
            line["kept"] = summary.kept[number]
        if shown.listed_mass is not None:
            line["listed_mass"] = shown.listed_mass[number]
        if summary.kl:
            line["kl_nats"], line["kl_reverse_nats"] = summary.kl[number]
        yield line


def _view(summary: Summary, shown: Shown, canvas: "Canvas") -> Any:
    from llmcalc.output.softmax_rows_view import view_rows

    return view_rows(summary, shown, canvas)
