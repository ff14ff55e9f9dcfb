"""One pair of vectors under any of the metrics, exactly; no numpy."""

from collections.abc import Sequence
from typing import Literal, NamedTuple

from llmcalc.core.similarity.pair import (
    CosineSimilarity,
    angles_of,
    cosine_similarity,
    dot_of,
    euclidean_distance,
    gram_of,
    norms_of,
)

MetricName = Literal["cosine", "angular", "dot", "euclidean"]


class MetricPair(NamedTuple):
    """The ``value`` of a pair under a metric, and the figures of its cosine.

    ``figures`` is None where a vector is zero, which only dot and euclidean allow.
    """

    metric: MetricName
    value: float
    figures: CosineSimilarity | None
    dot: float
    norms: tuple[float, float]
    dim: int


def has_direction(metric: MetricName) -> bool:
    """Return whether a zero vector has no value under the metric.

    >>> has_direction("angular"), has_direction("dot")
    (True, False)
    """
    return metric in ("cosine", "angular")


def compare(
    u: Sequence[float], v: Sequence[float], metric: MetricName, names: tuple[str, str]
) -> MetricPair:
    """Return how alike two vectors of shape (d,) are under a metric.

    cosine u.v / (|u| |v|), angular 1 - angle / pi, dot u.v, euclidean |u - v|. Raises
    what ``cosine_similarity`` raises; zero vectors only without a direction.

    >>> compare([1, 0], [0, 1], "angular", ("u", "v")).value
    0.5
    >>> compare([1, 0], [4, 4], "euclidean", ("u", "v")).value
    5.0
    """
    gram = gram_of(u, v, names)
    figures = None
    if has_direction(metric) or (gram.uu and gram.vv):
        figures = cosine_similarity(u, v, names)
    if metric == "euclidean":
        value = euclidean_distance(gram)
    elif metric == "angular":
        # The angle with -v: no cancellation near 180 degrees.
        value = angles_of(gram._replace(uv=-gram.uv))[1] / 180
    elif metric == "cosine" and figures is not None:
        value = figures.similarity
    else:
        value = dot_of(gram)
    return MetricPair(metric, value, figures, dot_of(gram), norms_of(gram), len(u))
