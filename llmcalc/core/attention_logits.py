"""Products of queries and keys -> scores, and the softmax over what is not masked."""

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from llmcalc.core.attention import AttentionOptions
from llmcalc.core.attention_masks import CAUSAL, Mask, causal_mask, checked_mask
from llmcalc.core.attention_products import Floats, Products
from llmcalc.core.attention_scale import LINEAR
from llmcalc.core.attention_shapes import Block
from llmcalc.core.softmax_rows import SoftmaxRows, softmax_rows
from llmcalc.errors import LlmcalcError

# A row whose scores leave the doubles is carried at 2^900 at most.
_HIGHEST = 900
# Below the exponent of any product.
_LOWEST = -(2**20)


class Masked(NamedTuple):
    """What masks do to a block: keys they hide, what they add to the others."""

    hidden: NDArray[np.bool_] | None
    bias: Floats | None


class Rules(NamedTuple):
    """The options in the form in which blocks use them; ``shape`` is [*lead, L, S]."""

    options: AttentionOptions
    mask: Mask | None
    sink: Floats | None
    shape: tuple[int, ...]

    def masked(self, block: Block) -> Masked:
        """Return what causal, boolean and additive masks do to a block."""
        hidden, bias = None, None
        if self.options.causal is not None:
            *_, n_queries, n_keys = self.shape
            seen = causal_mask(self.options.causal, n_queries, n_keys, block.rows)
            hidden = ~seen[None]
        if self.mask is not None:
            part = self.mask[block.indices(self.shape[:-2])][:, block.rows]
            closed = ~part if part.dtype.kind == "b" else part == -np.inf
            hidden = closed if hidden is None else hidden | closed
            if part.dtype.kind != "b":
                bias = np.where(closed, 0.0, part)
        return Masked(hidden, bias)

    def sinks(self, block: Block) -> Floats | None:
        """Return the sink of each head: [heads, 1, 1]."""
        if self.sink is None:
            return None
        heads = block.indices(self.shape[:-2])[-1]
        return np.asarray(self.sink[heads][:, None, None])


def attention_rules(options: AttentionOptions, shape: tuple[int, ...]) -> Rules:
    """Return the options checked against the shape [*lead, L, S] of the scores.

    Raises LlmcalcError for an unknown causal alignment, a mask that does not fit,
    sinks that are neither one nor one a head.
    """
    if options.causal is not None and options.causal not in CAUSAL:
        raise LlmcalcError(f"causal: {options.causal!r} is not {' or '.join(CAUSAL)}")
    mask = None
    if options.mask is not None:
        mask = checked_mask(options.mask, options.names[3], shape)
    sink = None
    if options.sink is not None:
        given = np.atleast_1d(np.asarray(options.sink, dtype=np.float64))
        n_heads = shape[-3]
        if given.shape not in ((1,), (n_heads,)):
            raise LlmcalcError(
                f"sink: {given.size} values for {n_heads} query heads; "
                "give one, or one for each head"
            )
        if np.isnan(given).any() or (given == np.inf).any():
            raise LlmcalcError(f"sink: {options.sink} is not finite")
        sink = np.broadcast_to(given, (n_heads,))
    return Rules(options, mask, sink, shape)


class Weighed(NamedTuple):
    """A block: its scores, its softmax (a sink is the last choice), its empty rows."""

    scores: Floats
    softmax: SoftmaxRows
    empty: NDArray[np.bool_]


def weigh(products: Products, scale: float, rules: Rules, block: Block) -> Weighed:
    """Return scale q.k, capped, and its softmax over the keys that a row may see.

    Scores beyond a double still have the weights of their exact values: a row whose
    best is one is carried with fewer powers of two until that is taken off.
    """
    cap = rules.options.softcap
    scores = products.times(scale)
    masked, sinks = rules.masked(block), rules.sinks(block)
    if products.masked is not None:
        scores = np.where(products.masked, -np.inf, scores)
        others = masked.hidden
        both = products.masked if others is None else products.masked | others
        masked = masked._replace(hidden=both)
    with np.errstate(all="ignore"):
        if cap is not None:
            bent = cap * np.tanh(scores / cap)
            scores = np.where(np.abs(scores) < cap * LINEAR, scores, bent)
        logits = _joined(scores, masked, sinks)
        best = logits.max(axis=-1, keepdims=True)
        empty = _empty(masked, scores.shape[:-1])
        lost = np.isinf(best) & ~empty[..., None]
        if cap is None and lost.any():
            logits = _reduced(products, scale, masked, sinks, lost)
    return Weighed(scores, softmax_rows(logits, rules.options.temperature), empty)


def _empty(masked: Masked, shape: tuple[int, ...]) -> NDArray[np.bool_]:
    """Return which rows see no key, [heads, rows]."""
    if masked.hidden is None:
        return np.zeros(shape, dtype=np.bool_)
    return np.broadcast_to(masked.hidden.all(axis=-1), shape)


def _joined(scores: Floats, masked: Masked, sinks: Floats | None) -> Floats:
    """Return scores plus the bias, -inf where hidden, the sink as a last column."""
    logits = scores if masked.bias is None else scores + masked.bias
    if masked.hidden is not None:
        logits = np.where(masked.hidden, -np.inf, logits)
    if sinks is None:
        return logits
    column = np.broadcast_to(sinks, (*scores.shape[:-1], 1))
    return np.concatenate([logits, column], axis=-1)


def _reduced(
    products: Products,
    scale: float,
    masked: Masked,
    sinks: Floats | None,
    lost: NDArray[np.bool_],
) -> Floats:
    """Return logits less their maximum, where the maximum is beyond a double.

    Before it is taken off, such a row stands at its values over a power of two.
    """
    sizes = products.magnitude()
    if masked.hidden is not None:
        sizes = np.where(masked.hidden, np.int32(_LOWEST), sizes)
    over = sizes.max(axis=-1, keepdims=True) + math.frexp(scale)[1] - _HIGHEST
    halvings = np.where(lost, over, 0).astype(np.int32)
    bias = None if masked.bias is None else np.ldexp(masked.bias, -halvings)
    sinks = None if sinks is None else np.ldexp(sinks, -halvings)
    scores = products.times(scale, halvings)
    logits = _joined(scores, masked._replace(bias=bias), sinks)
    best = np.maximum(logits.max(axis=-1, keepdims=True), np.finfo(np.float64).min)
    return np.asarray(np.ldexp(logits - best, halvings))
