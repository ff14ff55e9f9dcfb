"""The variance theorem on drawn vectors, and what it does to a softmax.

For independent entries of mean 0 and variance 1, q.k has mean 0 and variance d_k, so
q.k / sqrt(d_k) has variance 1 (Vaswani et al. 2017, footnote 4).
"""

import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from llmcalc.core.attention import Saturation
from llmcalc.core.attention_saturation import SaturationSums, saturation_sums
from llmcalc.core.attention_scale import default_scale, finite_scale
from llmcalc.core.softmax_rows import softmax_rows
from llmcalc.errors import LlmcalcError

# Doubles drawn at a time.
_BLOCK = 1 << 20
# No machine has the memory for a vector that long.
_LONGEST = 1 << 48


class Simulation(NamedTuple):
    """What to draw: pairs of vectors, and keys for each query's softmax."""

    trials: int = 20000
    keys: int = 64
    seed: int = 0
    scale: float | None = None
    temperature: float = 1.0


class VarianceTheorem(NamedTuple):
    """The sample mean and variance of q.k over ``trials`` independent pairs.

    ``std_error`` is that of unscaled_variance / d_k and of scaled_variance:
    sqrt((2 + 6/d_k) / trials), since q.k of normal entries has kurtosis 3 + 6/d_k.
    ``unscaled`` and ``scaled`` are the saturation of a softmax over ``keys`` scores
    of each query, with scale 1 and with ``scale``.
    """

    d_k: int
    scale: float
    default_scale: float
    unscaled_std: float
    trials: int
    keys: int
    seed: int
    unscaled_variance: float
    scaled_variance: float
    scaled_mean: float
    std_error: float
    unscaled: Saturation | None
    scaled: Saturation | None


class Drawn(NamedTuple):
    """Sums over drawn trials: of q.k, of its square, and of both softmaxes."""

    total: float = 0.0
    squares: float = 0.0
    before: SaturationSums = SaturationSums()
    after: SaturationSums = SaturationSums()

    def plus(self, other: "Drawn") -> "Drawn":
        """Return the sums of both."""
        return Drawn(
            self.total + other.total,
            self.squares + other.squares,
            self.before.plus(other.before),
            self.after.plus(other.after),
        )


_PLAIN = Simulation()


def simulate_variance(
    d_k: int,
    plan: Simulation = _PLAIN,
    advance: Callable[[float], None] | None = None,
) -> VarianceTheorem:
    """Draw pairs of standard normal vectors and hold q.k against the theorem.

    Each trial draws its own q and its own k: many keys against one query would
    measure |q|^2, not d_k. The softmax of a trial is over ``keys`` scores of its
    query; given q, the product with a normal key is normal with variance |q|^2,
    so those scores are drawn as such. One seed gives the same draws everywhere that
    numpy's generator does; memory does not grow with the trials. ``advance`` is told
    the entries of q that were drawn.

    Raises LlmcalcError for fewer than 2 trials or keys, and for a vector that no
    memory holds.

    >>> found = simulate_variance(64, Simulation(trials=2000, seed=1))
    >>> abs(found.scaled_variance - 1) < 5 * found.std_error
    True
    """
    if plan.trials < 2 or plan.keys < 2:
        raise LlmcalcError(
            f"trials {plan.trials}, keys {plan.keys}: a simulation needs 2 of each"
        )
    if max(d_k, plan.keys) > _LONGEST:
        raise LlmcalcError(f"d_k {d_k}, keys {plan.keys}: at most {_LONGEST} are drawn")
    scale = default_scale(d_k) if plan.scale is None else finite_scale(plan.scale)
    drawn = Drawn()
    generator = np.random.default_rng(plan.seed)
    step = max(1, _BLOCK // max(d_k, plan.keys))
    for start in range(0, plan.trials, step):
        pairs = min(step, plan.trials - start)
        drawn = drawn.plus(_draw(generator, pairs, d_k, plan, scale))
        if advance is not None:
            advance(pairs * d_k)
    return _theorem(d_k, plan, scale, drawn)


def _theorem(d_k: int, plan: Simulation, scale: float, drawn: Drawn) -> VarianceTheorem:
    # The mean is near 0 by construction, so nothing cancels here.
    shift = drawn.total * drawn.total / plan.trials
    variance = (drawn.squares - shift) / (plan.trials - 1)
    return VarianceTheorem(
        d_k=d_k,
        scale=scale,
        default_scale=default_scale(d_k),
        unscaled_std=math.sqrt(d_k),
        trials=plan.trials,
        keys=plan.keys,
        seed=plan.seed,
        unscaled_variance=variance,
        scaled_variance=scale * scale * variance,
        scaled_mean=scale * drawn.total / plan.trials,
        std_error=math.sqrt((2 + 6 / d_k) / plan.trials),
        unscaled=drawn.before.means(),
        scaled=drawn.after.means(),
    )


def _draw(
    generator: np.random.Generator, pairs: int, d_k: int, plan: Simulation, scale: float
) -> Drawn:
    """Draw some trials; each query has a key of its own, and scores of more keys."""
    q = generator.standard_normal((pairs, d_k))
    products = np.einsum("ij,ij->i", q, generator.standard_normal((pairs, d_k)))
    lengths = np.sqrt(np.einsum("ij,ij->i", q, q))
    scores = lengths[:, None] * generator.standard_normal((pairs, plan.keys))
    return Drawn(
        float(products.sum()),
        float(products @ products),
        saturation_sums(softmax_rows(scores, plan.temperature)),
        saturation_sums(softmax_rows(scores * scale, plan.temperature)),
    )
