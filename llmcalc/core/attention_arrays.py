"""Attention over arrays of any leading axes, a block of scores at a time.

Only the tables that are kept grow with the input: what a block needs on the way is
bounded, and memory-mapped inputs are widened to double block by block.
"""

import math
from collections.abc import Iterator
from typing import Any

from llmcalc.core.attention import AttentionOptions, AttentionScores, Keep
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
from llmcalc.core.attention_tables import Tables, attention_tables
from llmcalc.errors import LlmcalcError

# Scores that a block holds: some megabytes each of all that comes of them.
_BLOCK = 1 << 18


def attend(
    vectors: tuple[Any, Any, Any], options: AttentionOptions, keep: Keep
) -> AttentionScores:
    """Return ``attention_scores`` of arrays; the formula and the errors are there."""
    heads = attention_heads(*vectors, options.names)
    found = _fill(heads, int(heads.queries.shape[-1]), options, keep)
    return found._replace(group=heads.group if heads.has_heads else None)


def attend_scores(
    raw: Any, d_k: int | None, options: AttentionOptions, keep: Keep
) -> AttentionScores:
    """Return ``saturation_of_scores`` of an array; the errors are there."""
    return _fill(given_scores(raw, options.names[0]), d_k, options, keep)


def _fill(
    source: Heads | GivenScores,
    d_k: int | None,
    options: AttentionOptions,
    keep: Keep,
) -> AttentionScores:
    default = None if d_k is None else default_scale(d_k)
    scale = default if options.scale is None else options.scale
    if scale is None:
        raise LlmcalcError("the scale of given scores needs d_k or a scale")
    rules = attention_rules(options, source.shape)
    tables = attention_tables(source, keep)
    before = after = SaturationSums()
    for block in _blocks(source.shape):
        unscaled, scaled = _one_block(source, scale, rules, block, tables)
        before, after = before.plus(unscaled), after.plus(scaled)
        if keep.advance is not None:
            keep.advance(block.share_of(source.shape))
    choices = source.shape[-1] > 1 or options.sink is not None
    shape = (*source.row_shape, *source.key_shape)
    return AttentionScores(
        d_k=d_k,
        scale=scale,
        default_scale=default,
        unscaled_std=None if d_k is None else math.sqrt(d_k),
        raw=_shaped(tables.raw, shape),
        scores=_shaped(tables.scores, shape),
        weights=_shaped(tables.weights, shape),
        output=_output(source, tables),
        unscaled=before.means() if choices else None,
        scaled=after.means() if choices else None,
        softcap=options.softcap,
        empty_rows=tables.empty_rows(source.row_shape),
        shape=shape,
        head_weights=tables.head,
    )


def _one_block(
    source: Heads | GivenScores,
    scale: float,
    rules: Rules,
    block: Block,
    tables: Tables,
) -> tuple[SaturationSums, SaturationSums]:
    """Fill in a block; return its saturation with scale 1 and with the scale."""
    products = source.products(block)
    weighed = weigh(products, scale, rules, block)
    tables.take(source, block, products, weighed)
    unscaled = weigh(products, 1.0, rules, block)
    return saturation_sums(unscaled.softmax), saturation_sums(weighed.softmax)


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
    if not table.size:
        return table
    return table.reshape(shape) if shape else float(table.reshape(()))


def _output(source: Heads | GivenScores, tables: Tables) -> Floats | None:
    if tables.output is None:
        return None
    return tables.output.reshape((*source.row_shape, tables.output.shape[-1]))
