"""How large an adapter's update of a weight is, without building the update."""

from typing import Any

import numpy as np
from numpy.typing import NDArray


def update_norm(a: NDArray[Any], b: NDArray[Any], scaling: float) -> float:
    """Return the Frobenius norm of the update, |scaling| ||B A||.

    a: [r, ...] and b: [d_out, r, ...], further axes (a convolution's kernel) of
    length 1 in b; computed in float64 as ||B R^T|| with A^T = Q R, since Q does not
    change a norm: r (d_in + d_out) numbers are touched, never d_in d_out.

    >>> update_norm(np.array([[3.0, 4.0]]), np.array([[1.0], [0.0]]), 2.0)
    10.0
    """
    rank = a.shape[0]
    rows = a.reshape(rank, -1).astype(np.float64)
    columns = b.reshape(b.shape[0], -1).astype(np.float64)
    # Scaled to one, so that no square over- or underflows.
    sizes = [float(np.abs(part).max(initial=0.0)) for part in (rows, columns)]
    if 0.0 in sizes:
        return 0.0
    triangle: Any = np.linalg.qr((rows / sizes[0]).T, mode="r")
    norm = float(np.linalg.norm(columns / sizes[1] @ triangle.T))
    return abs(scaling) * norm * sizes[0] * sizes[1]
