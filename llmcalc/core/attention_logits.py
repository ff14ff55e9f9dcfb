"""Products of queries and keys -> scores, and the softmax over what is not masked."""

from typing import NamedTuple, cast

import numpy as np
from numpy.typing import NDArray

from llmcalc.core.attention import AttentionOptions
from llmcalc.core.attention_masks import CAUSAL, Mask, causal_mask, checked_mask
from llmcalc.core.attention_products import Floats, Products
from llmcalc.core.attention_shapes import Block
from llmcalc.core.softmax_rows import SoftmaxRows, softmax_rows
from llmcalc.errors import LlmcalcError

# A row whose scores leave the doubles is carried at 2^900 at most.
_HIGHEST = 900


class Rules(NamedTuple):
    """The options in the form in which blocks use them; ``shape`` is [*lead, L, S]."""

    options: AttentionOptions
    mask: Mask | None
    sink: Floats | None
    shape: tuple[int, ...]

    def hidden(self, block: Block) -> NDArray[np.bool_] | None:
        """Return what causal and boolean masks hide: [heads or 1, rows, S]."""
        hidden = None
        if self.options.causal is not None:
            *_, n_queries, n_keys = self.shape
            seen = causal_mask(self.options.causal, n_queries, n_keys, block.rows)
            hidden = ~seen[None]
        if self.mask is not None and self.mask.dtype.kind == "b":
            masked = ~self._mask_block(block)
            hidden = masked if hidden is None else hidden | masked
        return hidden

    def bias(self, block: Block) -> Floats | None:
        """Return what an additive mask adds: [heads, rows, S]."""
        if self.mask is None or self.mask.dtype.kind == "b":
            return None
        return self._mask_block(block).astype(np.float64)

    def sinks(self, block: Block) -> Floats | None:
        """Return the sink of each head: [heads, 1, 1]."""
        if self.sink is None:
            return None
        heads = block.indices(self.shape[:-2])[-1]
        return np.asarray(self.sink[heads][:, None, None])

    def _mask_block(self, block: Block) -> Mask:
        mask = cast(Mask, self.mask)
        return mask[block.indices(self.shape[:-2])][:, block.rows]


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

    Scores beyond a double still have the weights of their exact values: such a row
    is carried with fewer powers of two until its maximum is taken off.
    """
    cap = rules.options.softcap
    scores = logits = products.times(scale)
    halvings = np.zeros((1, 1, 1), dtype=np.int32)
    if cap is not None:
        with np.errstate(over="ignore", under="ignore"):
            scores = logits = cap * np.tanh(scores / cap)
    beyond = np.isinf(logits).any(axis=-1, keepdims=True)
    if beyond.any():
        highest = products.magnitude().max(axis=-1, keepdims=True)
        over = highest + np.frexp(scale)[1] - _HIGHEST
        halvings = np.where(beyond, over, 0).astype(np.int32)
        logits = products.times(scale, halvings)
    if products.masked is not None:
        scores = np.where(products.masked, -np.inf, scores)
        logits = np.where(products.masked, -np.inf, logits)
    with np.errstate(all="ignore"):
        logits = _masked(logits, halvings, rules, block)
        empty = logits.max(axis=-1) == -np.inf
        sinks = rules.sinks(block)
        if sinks is not None:
            column = np.ldexp(sinks, -halvings) + np.zeros((*empty.shape, 1))
            logits = np.concatenate([logits, column], axis=-1)
        if halvings.any():
            best = np.maximum(logits.max(axis=-1, keepdims=True), np.finfo(float).min)
            logits = np.ldexp(logits - best, halvings)
    return Weighed(scores, softmax_rows(logits, rules.options.temperature), empty)


def _masked(
    logits: Floats, halvings: NDArray[np.int32], rules: Rules, block: Block
) -> Floats:
    """Return logits with the bias added and what is hidden at -inf."""
    bias, hidden = rules.bias(block), rules.hidden(block)
    if bias is not None:
        logits = logits + np.ldexp(bias, -halvings)
    return logits if hidden is None else np.where(hidden, -np.inf, logits)
