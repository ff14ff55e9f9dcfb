"""The tables of an attention as they fill, block by block."""

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from llmcalc.core.attention import Keep
from llmcalc.core.attention_heads import Heads
from llmcalc.core.attention_logits import Weighed
from llmcalc.core.attention_products import Floats, Products
from llmcalc.core.attention_shapes import Block, GivenScores


class Tables(NamedTuple):
    """Tables [heads, L, S], empty where they are not kept.

    ``output`` is [heads, L, width], ``empty`` marks the rows [heads, L] that no key is
    left for, ``head`` is the [L, S] of the head that ``keep`` names.
    """

    keep: Keep
    raw: Floats
    scores: Floats
    weights: Floats
    output: Floats | None
    empty: NDArray[np.bool_]
    head: Floats | None

    def take(
        self,
        source: Heads | GivenScores,
        block: Block,
        products: Products,
        weighed: Weighed,
    ) -> None:
        """Fill in what a block brings."""
        at = block.heads, block.rows
        weights = weighed.softmax.probs[..., : source.shape[-1]]
        self.empty[at] = weighed.empty
        if self.keep.raw:
            self.raw[at] = products.times(1.0)
            if products.masked is not None:
                self.raw[at][products.masked] = -np.inf
        if self.keep.scores:
            self.scores[at] = weighed.scores
        if self.keep.weights:
            self.weights[at] = weights
        if self.output is not None and isinstance(source, Heads):
            self.output[at] = source.weighted(block, weights)
        if self.head is not None and self.keep.head is not None:
            place = self.keep.head - block.heads.start
            if 0 <= place < len(weights):
                self.head[block.rows] = weights[place]

    def empty_rows(self, row_shape: tuple[int, ...]) -> tuple[tuple[int, ...], ...]:
        """Return the indices of the rows without keys, in the axes that were given."""
        return tuple(map(tuple, np.argwhere(self.empty.reshape(row_shape)).tolist()))


def attention_tables(source: Heads | GivenScores, keep: Keep) -> Tables:
    """Return the tables to fill for what is to be kept."""
    *lead, n_queries, n_keys = source.shape
    n_heads = math.prod(lead)
    values = source.values if isinstance(source, Heads) and keep.output else None
    has_head = keep.head is not None and 0 <= keep.head < n_heads
    scores, nothing = (n_heads, n_queries, n_keys), (0,)
    return Tables(
        keep,
        np.empty(scores if keep.raw else nothing),
        np.empty(scores if keep.scores else nothing),
        np.empty(scores if keep.weights else nothing),
        None if values is None else np.empty((n_heads, n_queries, values.shape[-1])),
        np.zeros((n_heads, n_queries), dtype=np.bool_),
        np.empty((n_queries, n_keys)) if has_head else None,
    )
