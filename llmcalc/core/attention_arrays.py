"""Attention over arrays of any leading axes, a block of scores at a time.

Only the results themselves grow with the input: what a block needs on the way is
bounded, and memory-mapped inputs are widened to double block by block.
"""

import math
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from llmcalc.core.attention import AttentionOptions, AttentionScores
from llmcalc.core.attention_heads import Heads, attention_heads
from llmcalc.core.attention_logits import Rules, attention_rules, weigh
from llmcalc.core.attention_products import Floats
from llmcalc.core.attention_saturation import SaturationSums, saturation_sums
from llmcalc.core.attention_scale import default_scale
from llmcalc.core.attention_shapes import (
    Block,
    GivenScores,
    given_scores,
)
from llmcalc.errors import LlmcalcError

# Scores that a block holds: some tens of megabytes with all that comes of them.
_BLOCK = 1 << 20


class Tables(NamedTuple):
    """The results as they fill: [heads, L, S], output [heads, L, width]."""

    raw: Floats
    scores: Floats
    weights: Floats
    empty: NDArray[np.bool_]
    output: Floats | None


def attend(q: Any, k: Any, v: Any, options: AttentionOptions) -> AttentionScores:
    """Return ``attention_scores`` of arrays; the formula and the errors are there."""
    heads = attention_heads(q, k, v, options.names)
    return _fill(heads, int(heads.queries.shape[-1]), options)


def attend_scores(
    raw: Any, d_k: int | None, options: AttentionOptions
) -> AttentionScores:
    """Return ``saturation_of_scores`` of an array; the errors are there."""
    return _fill(given_scores(raw, options.names[0]), d_k, options)


def _fill(
    source: Heads | GivenScores, d_k: int | None, options: AttentionOptions
) -> AttentionScores:
    default = None if d_k is None else default_scale(d_k)
    scale = default if options.scale is None else options.scale
    if scale is None:
        raise LlmcalcError("the scale of given scores needs d_k or a scale")
    rules = attention_rules(options, source.shape)
    tables = _tables(source)
    sums = SaturationSums(), SaturationSums()
    for block in _blocks(source.shape):
        before, after = _one_block(source, scale, rules, block, tables)
        sums = sums[0].plus(before), sums[1].plus(after)
    choices = source.shape[-1] > 1 or options.sink is not None
    full = (*source.row_shape, *source.key_shape)
    empty = np.argwhere(tables.empty.reshape(source.row_shape))
    return AttentionScores(
        d_k=d_k,
        scale=scale,
        default_scale=default,
        unscaled_std=None if d_k is None else math.sqrt(d_k),
        raw=_shaped(tables.raw, full),
        scores=_shaped(tables.scores, full),
        weights=_shaped(tables.weights, full),
        output=_output(source, tables),
        group=source.group if isinstance(source, Heads) and source.has_heads else None,
        unscaled=sums[0].means() if choices else None,
        scaled=sums[1].means() if choices else None,
        softcap=options.softcap,
        empty_rows=tuple(map(tuple, empty.tolist())),
    )


def _one_block(
    source: Heads | GivenScores,
    scale: float,
    rules: Rules,
    block: Block,
    tables: Tables,
) -> tuple[SaturationSums, SaturationSums]:
    """Fill a block of the tables; return its saturation with scale 1 and as it is."""
    products = source.products(block)
    at = block.heads, block.rows
    tables.raw[at] = products.times(1.0)
    if products.masked is not None:
        tables.raw[at][products.masked] = -np.inf
    weighed = weigh(products, scale, rules, block)
    tables.scores[at] = weighed.scores
    tables.weights[at] = weighed.softmax.probs[..., : source.shape[-1]]
    tables.empty[at] = weighed.empty
    if tables.output is not None and isinstance(source, Heads):
        tables.output[at] = source.weighted(block, tables.weights[at])
    after = saturation_sums(weighed.softmax)
    before = weigh(products, 1.0, rules, block).softmax
    return saturation_sums(before), after


def _tables(source: Heads | GivenScores) -> Tables:
    *lead, n_queries, n_keys = source.shape
    n_heads = math.prod(lead)
    values = source.values if isinstance(source, Heads) else None
    scores = n_heads, n_queries, n_keys
    return Tables(
        np.empty(scores),
        np.empty(scores),
        np.empty(scores),
        np.zeros((n_heads, n_queries), dtype=np.bool_),
        None if values is None else np.empty((n_heads, n_queries, values.shape[-1])),
    )


def _blocks(shape: tuple[int, ...]) -> Iterator[Block]:
    """Yield blocks of whole heads, or of rows of one head where a head is too large."""
    *lead, n_queries, n_keys = shape
    rows = max(1, min(n_queries, _BLOCK // n_keys))
    heads = max(1, _BLOCK // (n_queries * n_keys))
    n_heads = math.prod(lead)
    for head in range(0, n_heads, heads):
        for row in range(0, n_queries, rows):
            taken = slice(head, min(head + heads, n_heads))
            yield Block(taken, slice(row, min(row + rows, n_queries)))


def _shaped(table: Floats, shape: tuple[int, ...]) -> "float | Floats":
    """Return a table with the axes that were given; a float where none was."""
    return table.reshape(shape) if shape else float(table.reshape(()))


def _output(source: Heads | GivenScores, tables: Tables) -> Floats | None:
    if tables.output is None:
        return None
    return tables.output.reshape((*source.row_shape, tables.output.shape[-1]))
