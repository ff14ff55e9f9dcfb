"""How large an adapter's update of a weight is, without building the update."""

import math
from collections.abc import Iterator, Sequence
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from llmcalc.core.lora.saved_adapter import SavedLayer


def update_norm(a: NDArray[Any], b: NDArray[Any], scaling: float) -> float:
    """Return the Frobenius norm of the update, |scaling| ||B A||.

    a: [r, ...] and b: [d_out, r, ...], further axes (a convolution's kernel) of
    length 1 in b; computed in float64 as ||B R^T|| with A^T = Q R, since Q does not
    change a norm: r (d_in + d_out) numbers are touched, never d_in d_out.

    NaN where a number is NaN or infinite.

    >>> update_norm(np.array([[3.0, 4.0]]), np.array([[1.0], [0.0]]), 2.0)
    10.0
    """
    rank = a.shape[0]
    rows = a.reshape(rank, -1).astype(np.float64)
    columns = b.reshape(b.shape[0], -1).astype(np.float64)
    # Scaled to one, so that no square over- or underflows.
    sizes = [float(np.abs(part).max(initial=0.0)) for part in (rows, columns)]
    if not np.isfinite(sizes).all():
        return math.nan
    if 0.0 in sizes:
        return 0.0
    triangle: Any = np.linalg.qr((rows / sizes[0]).T, mode="r")
    norm = float(np.linalg.norm(columns / sizes[1] @ triangle.T))
    return abs(scaling) * norm * sizes[0] * sizes[1]


class Arrays(Protocol):
    """Tensors by their name."""

    def __getitem__(self, name: str) -> NDArray[Any]:
        """Return the tensor of a name."""


def update_cost(layers: Sequence[SavedLayer]) -> int:
    """Return about how many multiplications the norms of these layers take.

    r^2 (d_in + d_out) for each, the price of Q R and of ||B R^T||.
    """
    return sum(layer.rank * (layer.a.size + layer.b.size) for layer in layers)


def update_norms(
    layers: Sequence[SavedLayer], arrays: Arrays
) -> Iterator[tuple[str, float]]:
    """Yield the name and the norm of the update of each layer with a scaling.

    Stacks of experts are left out: tools disagree in which order their ranks lie.
    """
    for layer in layers:
        if layer.kind != "Parameter" and layer.scaling is not None:
            a, b = arrays[layer.a.name], arrays[layer.b.name]
            yield layer.name, update_norm(a, b, layer.scaling)
