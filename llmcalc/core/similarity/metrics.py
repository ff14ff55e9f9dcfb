"""The four metrics: which candidates float32 leaves, and their exact scores.

A score is larger for vectors that are more alike; that of ``euclidean`` is minus the
distance.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from llmcalc.core.similarity import exact
from llmcalc.core.similarity.buffers import Buffers
from llmcalc.core.similarity.pair_metric import MetricName, has_direction
from llmcalc.core.similarity.rows import Rows, widened, zero_rows
from llmcalc.core.similarity.unit import UnitBlock, double_units, margin, row_dots

# Beyond this cosine arccos loses digits.
_NEAR = 0.9
# A few roundings of a double.
_FEW = 4 * 2.0**-52

Array = NDArray[np.float64]
Chosen = tuple[Rows, NDArray[np.intp]]


class Estimate(NamedTuple):
    """Scores on a scale of their own, at most ``slack`` away from the right ones."""

    matrix: NDArray[Any]
    slack: float


def estimate(
    metric: MetricName, blocks: tuple[UnitBlock, UnitBlock], buffers: Buffers
) -> Estimate:
    """Return the estimated scores of every left row with every right row.

    Cosine and angular are estimated by the cosine, euclidean by -distance^2. The
    matrix lives until the thread estimates again.
    """
    left, right = blocks
    shape = len(left.vectors), len(right.vectors)
    matrix: NDArray[Any] = buffers.take("estimate", shape, np.float32)
    if len(left.vectors) == 1:
        matrix[0] = row_dots(right.vectors, left.vectors[0])
    else:
        np.matmul(left.vectors, right.vectors.T, out=matrix)
    if right.scale is not None:
        matrix *= right.scale
    slack = margin(left.vectors.shape[1])
    if not has_direction(metric):
        a, b = left.lengths[:, None], right.lengths
        largest = float(a.max()) + float(b.max())
        matrix = matrix * a
        matrix *= b
        slack *= largest**2
        if metric == "euclidean":
            matrix *= 2
            matrix -= a * a
            matrix -= b * b
            slack = 2 * slack + _FEW * largest**2
        return Estimate(matrix, slack)
    for index in left.zero:
        matrix[index] = -np.inf
    if len(right.zero):
        matrix[:, right.zero] = -np.inf
    return Estimate(matrix, slack)


def estimate_scale(metric: MetricName, scores: Any) -> Any:
    """Return scores on the scale of the estimates, rounded downwards."""
    if metric == "angular":
        turned = np.cos(np.pi * (1 - np.clip(scores, 0.0, 1.0))) - _FEW
        return np.where(scores > 0, turned, np.where(scores == 0, -1.0 - _FEW, -np.inf))
    if metric == "euclidean":
        return np.where(scores > 0, np.inf, -np.square(scores) * (1 + _FEW))
    return scores


def row_scores(metric: MetricName, left: Chosen, right: Chosen) -> Array:
    """Return the exact score of each chosen left row with the right one beside it."""
    count = len(left[1])
    scores = np.empty(count)
    for part in exact.chunks(count, left[0].dim):
        a, b = (left[0], left[1][part]), (right[0], right[1][part])
        if metric == "euclidean":
            scores[part] = -_distances(a, b)
            continue
        u, v = exact.sliced(*a), exact.sliced(*b)
        uv = exact.dots(u, v, exact.row_products)
        if metric == "dot":
            scores[part] = _unscaled(uv.high, u.exponents + v.exponents)
            continue
        cosine = exact.cosines(uv, exact.self_products(u), exact.self_products(v))
        scores[part] = cosine if metric == "cosine" else _angular(cosine, a, b)
    return scores


def block_scores(
    metric: MetricName, left: tuple[Rows, slice], right: tuple[Rows, slice]
) -> Array:
    """Return the exact scores of every left row with every right row.

    To the bit those of ``row_scores``. Zero rows give -inf where they have no value.
    """
    if metric == "euclidean":
        a, b = _every_pair(left, right)
        return row_scores(metric, a, b).reshape(_count(left), _count(right))
    u, v = exact.sliced(*left), exact.sliced(*right)
    uv = exact.dots(u, v, exact.all_products)
    if metric == "dot":
        return _unscaled(uv.high, u.exponents[:, None] + v.exponents)
    uu, vv = exact.self_products(u), exact.self_products(v)
    cosine = exact.cosines(uv, exact.Sum(uu.high[:, None], uu.low[:, None]), vv)
    if metric == "angular":
        a, b = _every_pair(left, right)
        flat = cosine.ravel()
        near = np.flatnonzero(np.abs(flat) > _NEAR)
        angular = _from_angle(np.arccos(flat))
        for part in exact.chunks(len(near), left[0].dim):
            some = near[part]
            chosen = (a[0], a[1][some]), (b[0], b[1][some])
            angular[some] = _from_angle(_near_angles(*chosen))
        cosine = angular.reshape(cosine.shape)
    cosine[uu.high == 0] = -np.inf
    cosine[:, vv.high == 0] = -np.inf
    return cosine


def admitted(metric: MetricName, rows: Rows) -> Rows:
    """Return the rows, zero ones among them where the metric has a value for them."""
    return rows if has_direction(metric) else rows._replace(skip_zero=True)


def counted(metric: MetricName, rows: Rows) -> int:
    """Return how many rows have a value under the metric."""
    left_out = rows.skip_zero and has_direction(metric)
    return rows.n - len(zero_rows(rows)) if left_out else rows.n


def _every_pair(
    left: tuple[Rows, slice], right: tuple[Rows, slice]
) -> tuple[Chosen, Chosen]:
    a, b = np.arange(left[0].n)[left[1]], np.arange(right[0].n)[right[1]]
    return (left[0], np.repeat(a, len(b))), (right[0], np.tile(b, len(a)))


def _count(chosen: tuple[Rows, slice]) -> int:
    return len(range(*chosen[1].indices(chosen[0].n)))


def _angular(cosine: Array, left: Chosen, right: Chosen) -> Array:
    angular = _from_angle(np.arccos(cosine))
    near = np.flatnonzero(np.abs(cosine) > _NEAR)
    if len(near):
        chosen = (left[0], left[1][near]), (right[0], right[1][near])
        angular[near] = _from_angle(_near_angles(*chosen))
    return angular


def _near_angles(left: Chosen, right: Chosen) -> Array:
    """Return angles as 2 atan2(|a - b|, |a + b|) of unit vectors a and b.

    W. Kahan, "How Futile are Mindless Assessments of Roundoff", 2006, section 12: a
    few roundings wrong at any angle, where arccos loses half of the digits.
    """
    a, b = (double_units(*chosen).vectors for chosen in (left, right))
    apart, along = np.square(a - b).sum(axis=1), np.square(a + b).sum(axis=1)
    angles: Array = 2 * np.arctan2(np.sqrt(apart), np.sqrt(along))
    return angles


def _from_angle(angles: Array) -> Array:
    angular: Array = 1 - angles / np.pi
    return angular


def _distances(left: Chosen, right: Chosen) -> Array:
    apart = widened(*left)
    apart -= widened(*right)
    exponents = np.frexp(np.abs(apart).max(axis=1))[1]
    np.ldexp(apart, -exponents[:, None], out=apart)
    distances: Array = np.ldexp(np.sqrt(np.square(apart).sum(axis=1)), exponents)
    return distances


def _unscaled(values: Array, exponents: NDArray[np.int32]) -> Array:
    with np.errstate(over="ignore", under="ignore"):
        unscaled: Array = np.ldexp(values, exponents)
    return unscaled
