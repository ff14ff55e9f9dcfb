"""Two vectors -> what is written; and what all results of `cossim` share.

Start-up is a feature: rich and numpy load only for what needs them.
"""

import itertools
import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from llmcalc.core.similarity.pair_metric import MetricPair
from llmcalc.output.report import Report
from llmcalc.output.text import tsv_lines

if TYPE_CHECKING:
    from llmcalc.core.similarity.background import Background
    from llmcalc.core.similarity.summary import Summary


# Rows of a table that a person still reads; the other formats list all.
SHOWN = 100
QUERIES = 20


class Names(NamedTuple):
    """What rows are called: their labels, else their indices from 0."""

    labels: Sequence[str | int] | None
    n: int

    def of(self, index: int) -> str | int:
        """Return the name of a row."""
        return index if self.labels is None else self.labels[index]

    def listed(self) -> list[str | int] | None:
        """Return all labels, None where there are none."""
        return None if self.labels is None else list(self.labels)


class Sides(NamedTuple):
    """The names of the rows on the left and on the right of a pair."""

    left: Names
    right: Names


class Deferred(NamedTuple):
    """A list of a result that is made when it is written: it can be long."""

    make: Callable[[], Iterable[Any]]

    def tolist(self) -> list[Any]:
        """Return the list, as an array would."""
        return list(self.make())


class Context(NamedTuple):
    """What stands beside a result: its metric, warnings, and the set's own figures."""

    metric: str
    warnings: list[str]
    summary: "Summary | None" = None
    background: "Background | None" = None

    def fields(self) -> dict[str, Any]:
        """Return the fields that say what a similarity is to be held against."""
        fields: dict[str, Any] = {}
        if self.metric != "cosine":
            fields["metric"] = self.metric
        if self.summary is not None:
            fields["summary"] = self.summary._asdict()
        if self.background is not None and self.background.pairs:
            fields["background"] = {
                "pairs": self.background.pairs,
                "median": self.background.quantile(0.5),
                "p95": self.background.quantile(0.95),
                "p99": self.background.quantile(0.99),
                "edges": self.background.edges,
                "counts": self.background.counts,
            }
        return fields


def score_name(metric: str) -> str:
    """Return the key of a score: euclidean is a distance, the rest similarities.

    >>> score_name("euclidean"), score_name("dot")
    ('distance', 'similarity')
    """
    return "distance" if metric == "euclidean" else "similarity"


def shown_score(metric: str, score: float) -> float:
    """Return a score as it is shown: a distance without its minus."""
    return 0.0 - score if metric == "euclidean" else score


def plain_rows(
    rows: Iterable[Mapping[str, Any]], precision: int | None
) -> Iterator[str]:
    """Yield rows as tab-separated lines without a header."""
    return itertools.islice(tsv_lines(rows, precision), 1, None)


def pair_report(
    result: MetricPair, warnings: Sequence[str], names: Names | None = None
) -> Report:
    """Return the report of two vectors, with their pair where they are rows."""
    key = score_name(result.metric)
    fields = _pair_fields(result)
    if names is not None:
        fields["n"], fields["labels"] = 2, names.listed()
        pair = {"left": names.of(0), "right": names.of(1), key: result.value}
        fields["pairs"] = [pair]

    def view(canvas: Any) -> Any:
        from llmcalc.output.cossim_view import draw_pair

        return draw_pair(canvas, result, names)

    return Report(fields, key, view, warnings=[*warnings, *_range_warnings(result)])


def _pair_fields(result: MetricPair) -> dict[str, Any]:
    figures, (norm_u, norm_v) = result.figures, result.norms
    fields: dict[str, Any] = {}
    if result.metric != "cosine":
        fields["metric"] = result.metric
    if result.metric != "euclidean":
        fields["similarity"] = result.value
    if figures is not None:
        if result.metric != "cosine":
            fields["cosine"] = figures.similarity
        fields["angle_deg"] = figures.angle_deg
        fields["angle_rad"] = figures.angle_rad
    if result.metric == "euclidean":
        fields["distance"] = result.value
    elif result.metric == "angular" and figures is not None:
        fields["distance"] = figures.angle_rad / math.pi
    elif result.metric == "cosine" and figures is not None:
        fields["distance"] = figures.distance
    fields |= {"dot": result.dot, "norm_u": norm_u, "norm_v": norm_v}
    return fields | {"dim": result.dim}


def _range_warnings(result: MetricPair) -> list[str]:
    """Return a warning for each figure that a double can't hold."""
    values = {"dot": result.dot, "norm_u": result.norms[0], "norm_v": result.norms[1]}
    if result.metric == "euclidean":
        values["distance"] = result.value
    beyond = [name for name, value in values.items() if math.isinf(value)]
    warnings = [
        f"{name} is beyond the largest double; the cosine does not need it"
        for name in beyond
    ]
    cosine = result.figures.similarity if result.figures is not None else 0.0
    if cosine != 0 and result.dot == 0:
        warnings.append("dot is below the smallest double and shows as 0")
    return warnings
