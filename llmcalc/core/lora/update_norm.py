"""How large an adapter's update of a weight is, without building the update."""

import math
from collections.abc import Iterator, Sequence
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from llmcalc.core.lora.saved_adapter import SavedLayer

# Below this share of its bound the sum of products has lost digits.
_CANCELLED = 1e-3


def update_norm(a: NDArray[Any], b: NDArray[Any], scaling: float) -> float:
    """Return the Frobenius norm of the update, |scaling| ||B A||.

    a: [r, ...] and b: [d_out, r, ...], further axes (a convolution's kernel) of
    length 1 in b. ||B A||^2 = sum(A A^T * B^T B), element by element of two r x r
    matrices in float64: r^2 (d_in + d_out) multiplications, never d_in d_out. Where
    its terms cancel, ||B R^T|| with A^T = Q R keeps the digits.

    NaN where a number is NaN or infinite.

    >>> update_norm(np.array([[3.0, 4.0]]), np.array([[1.0], [0.0]]), 2.0)
    10.0
    """
    rows, row_size = _scaled(a.reshape(a.shape[0], -1))
    columns, column_size = _scaled(b.reshape(b.shape[0], -1))
    with np.errstate(all="ignore"):
        left, right = rows @ rows.T, columns.T @ columns
        square = float(np.vdot(left, right))
        bound = float(np.linalg.norm(left) * np.linalg.norm(right))
    if not math.isfinite(bound):
        return math.nan
    if square < _CANCELLED * bound:
        triangle: Any = np.linalg.qr(rows.T, mode="r")
        norm = float(np.linalg.norm(columns @ triangle.T))
    else:
        norm = math.sqrt(square)
    return abs(scaling) * norm * row_size * column_size


def _scaled(part: NDArray[Any]) -> tuple[NDArray[np.float64], float]:
    """Return float64 numbers and what they were divided by.

    No fourth power of a float32 leaves the range of float64; of a float64 it may.
    """
    wide = part.astype(np.float64)
    if part.dtype != np.float64:
        return wide, 1.0
    size = float(np.abs(wide).max(initial=0.0))
    return (wide / size, size) if 0.0 < size < math.inf else (wide, 1.0)


class Arrays(Protocol):
    """Tensors by their name."""

    def __getitem__(self, name: str) -> NDArray[Any]:
        """Return the tensor of a name."""


def update_cost(layers: Sequence[SavedLayer]) -> int:
    """Return about how many multiplications the norms of these layers take.

    r^2 (d_in + d_out) for each.
    """
    return sum(layer.rank * (layer.a.size + layer.b.size) for layer in layers)


def update_norms(
    layers: Sequence[SavedLayer], arrays: Arrays
) -> Iterator[tuple[str, float]]:
    """Yield the name and the norm of the update of each layer with a scaling.

    Stacks of experts are left out: tools disagree in which order their ranks lie;
    and so are layers whose A and B don't multiply: grouped convolutions, damage.
    """
    for layer in layers:
        multiply = layer.b.size == layer.b.shape[0] * layer.a.shape[0]
        if multiply and layer.kind != "Parameter" and layer.scaling is not None:
            a, b = arrays[layer.a.name], arrays[layer.b.name]
            yield layer.name, update_norm(a, b, layer.scaling)
