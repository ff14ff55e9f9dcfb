"""Q, K, V of any leading axes -> query heads, each with its key head."""

from typing import Any, NamedTuple, cast

import numpy as np

from llmcalc.core.attention_products import Floats, Products, dot_products
from llmcalc.core.attention_scale import group_size
from llmcalc.core.attention_shapes import (
    Array,
    Block,
    number_array,
    positions,
    widened,
)
from llmcalc.core.attention_words import shape_words, unequal_widths
from llmcalc.errors import LlmcalcError


class Heads(NamedTuple):
    """Q [*lead, L, d], K [*lead, S, d] and V [*lead, S, width] with equal batches.

    The last axis of ``lead`` counts heads: ``group`` query heads share a key head.
    ``has_heads`` says whether Q or K came with that axis.
    ``row_shape`` and ``key_shape`` are those of the scores as the user sees them:
    no axis that was not given.
    """

    queries: Array
    keys: Array
    values: Array | None
    lead: tuple[int, ...]
    group: int
    has_heads: bool
    row_shape: tuple[int, ...]
    key_shape: tuple[int, ...]

    @property
    def shape(self) -> tuple[int, ...]:
        """Shape of the scores with every axis: [*lead, L, S]."""
        return (*self.lead, self.queries.shape[-2], self.keys.shape[-2])

    def products(self, block: Block) -> Products:
        """Return q.k of a block, [heads, rows, S]."""
        queries = self.queries[block.indices(self.lead)][:, block.rows]
        return dot_products(widened(queries), widened(self._shared(self.keys, block)))

    def weighted(self, block: Block, weights: Floats) -> Floats:
        """Return weights @ V of a block, [heads, rows, width].

        The weights are rounded, so sums more exact than these would gain nothing.
        """
        with np.errstate(all="ignore"):
            return weights @ widened(self._shared(cast(Array, self.values), block))

    def _shared(self, array: Array, block: Block) -> Array:
        """Return the keys or values of a block's heads: h // group for head h."""
        *batch, head = block.indices(self.lead)
        at = (*batch, head // self.group)
        return np.asarray(array[at])


def attention_heads(
    queries: Any, keys: Any, values: Any, names: tuple[str, str, str, str]
) -> Heads:
    """Return Q, K, V as heads; one vector is one position.

    Raises LlmcalcError where widths, positions, batches or heads do not fit, naming
    both sides.
    """
    q, k = number_array(queries, names[0]), number_array(keys, names[1])
    if q.shape[-1] != k.shape[-1]:
        raise unequal_widths(names, q.shape[-1], k.shape[-1])
    q_rows, k_rows = positions(q), positions(k)
    v_rows = None
    if values is not None:
        v_rows = _value_rows(number_array(values, names[2]), k, names)
    batch = _common_batch(q_rows, k_rows, names)
    n_heads, n_kv_heads = q_rows.shape[-3], k_rows.shape[-3]
    try:
        group = group_size(n_heads, n_kv_heads)
    except LlmcalcError as error:
        raise LlmcalcError(f"{names[0]}, {names[1]}: {error}") from None
    head_axis = (n_heads,) if q.ndim > 2 or k.ndim > 2 else ()
    return Heads(
        _with_batch(q_rows, batch),
        _with_batch(k_rows, batch),
        None if v_rows is None else _with_batch(v_rows, batch),
        (*batch, n_heads),
        group,
        bool(head_axis),
        (*batch, *head_axis, *q.shape[-2:-1]),
        k.shape[-2:-1],
    )


def _value_rows(v: Array, k: Array, names: tuple[str, str, str, str]) -> Array:
    """Return V as [..., heads, S, width]; a vector is the value of a single key."""
    if v.ndim < 2 and k.ndim > 1:
        raise LlmcalcError(
            f"{names[2]} is one vector, {names[1]} has shape {shape_words(k.shape)}: "
            "every key has a value of its own"
        )
    k_rows, v_rows = positions(k), positions(v)
    if v_rows.shape[-2] != k_rows.shape[-2]:
        raise LlmcalcError(
            f"{names[1]} has {k_rows.shape[-2]} positions, {names[2]} has "
            f"{v_rows.shape[-2]}: every key has a value"
        )
    if v_rows.shape[:-2] != k_rows.shape[:-2]:
        raise LlmcalcError(
            f"{names[1]} has leading axes {shape_words(k_rows.shape[:-2])}, "
            f"{names[2]} {shape_words(v_rows.shape[:-2])}: keys and values share them"
        )
    return v_rows


def _common_batch(
    q: Array, k: Array, names: tuple[str, str, str, str]
) -> tuple[int, ...]:
    try:
        return np.broadcast_shapes(q.shape[:-3], k.shape[:-3])
    except ValueError:
        raise LlmcalcError(
            f"{names[0]} has batch axes {shape_words(q.shape[:-3])}, "
            f"{names[1]} {shape_words(k.shape[:-3])}: they are equal or 1"
        ) from None


def _with_batch(array: Array, batch: tuple[int, ...]) -> Array:
    return np.broadcast_to(array, (*batch, *array.shape[-3:]))
