"""One pair of vectors, exactly: a double is an integer times a power of two.

u.u, v.v, u.v and the Gram determinant u.u v.v - (u.v)^2 are integers then and have no
rounding at all; only the figures made of them are rounded, once. No numpy: a typed
pair starts without it.
"""

import math
from collections.abc import Sequence
from operator import mul
from typing import NamedTuple

from llmcalc.core.similarity.angle import angle
from llmcalc.errors import LlmcalcError

# Bits of a root or quotient before it is rounded to the 53 of a double.
_BITS = 128


class CosineSimilarity(NamedTuple):
    """The figures of a pair, each rounded once.

    ``similarity`` is the cosine, ``distance`` 1 - cosine; ``dot`` and the norms are
    infinite where they exceed the largest double.
    """

    similarity: float
    angle_deg: float
    angle_rad: float
    distance: float
    dot: float
    norm_u: float
    norm_v: float
    dim: int


class Gram(NamedTuple):
    """Exact integers u.u, v.v, u.v, and the powers of two that u and v leave out."""

    uu: int
    vv: int
    uv: int
    exponent_u: int
    exponent_v: int


def cosine_similarity(
    u: Sequence[float],
    v: Sequence[float],
    names: tuple[str, str] = ("the first vector", "the second vector"),
) -> CosineSimilarity:
    """Return cosine, angle, distance, dot product and norms of two vectors.

    similarity = u.v / sqrt(u.u v.v), angle = atan2(sqrt(u.u v.v - (u.v)^2), u.v),
    distance = 1 - similarity. ``u`` and ``v`` have shape (d,), of any numbers that
    are exact in binary. A vector and itself give exactly 1, 0 and 0, opposite ones
    -1, 180 degrees and 2; nothing overflows, and no length counts as zero but 0.

    Raises LlmcalcError, calling the vectors by ``names``, for unequal lengths, a zero
    vector, NaN and infinities. The angle's formula: W. Kahan, "How Futile are Mindless
    Assessments of Roundoff", 2006, section 12, here on exact integers.

    >>> pair = cosine_similarity([1, 2, 3], [4, 5, 6])
    >>> pair.similarity, pair.dot
    (0.9746318461970763, 32.0)
    >>> cosine_similarity([1e200, 0], [1e-300, 1e-300]).angle_deg
    45.0
    """
    gram = gram_of(u, v, names)
    for name, square in zip(names, (gram.uu, gram.vv), strict=True):
        if square == 0:
            raise LlmcalcError(f"{name}: is a zero vector, without a direction")
    radians, degrees = angles_of(gram)
    norm_u, norm_v = norms_of(gram)
    return CosineSimilarity(
        similarity=cosine_of(gram),
        angle_deg=degrees,
        angle_rad=radians,
        distance=distance_of(gram),
        dot=dot_of(gram),
        norm_u=norm_u,
        norm_v=norm_v,
        dim=len(u),
    )


def gram_of(
    u: Sequence[float], v: Sequence[float], names: tuple[str, str] = ("u", "v")
) -> Gram:
    """Return the exact products of two vectors, zero vectors allowed.

    >>> gram_of([0.5, 1.0], [3, 0])
    Gram(uu=5, vv=9, uv=3, exponent_u=-1, exponent_v=0)
    """
    if len(u) != len(v):
        raise LlmcalcError(
            f"{names[0]} has {len(u)} components, {names[1]} has {len(v)}"
        )
    if not len(u):
        raise LlmcalcError(f"{names[0]} has no components")
    a, exponent_u = _integers(u, names[0])
    b, exponent_v = _integers(v, names[1])
    return Gram(
        sum(map(mul, a, a)), sum(map(mul, b, b)), sum(map(mul, a, b)),
        exponent_u, exponent_v,
    )  # fmt: skip


def dot_of(gram: Gram) -> float:
    """Return u.v, rounded once."""
    return _scaled(gram.uv, gram.exponent_u + gram.exponent_v)


def norms_of(gram: Gram) -> tuple[float, float]:
    """Return |u| and |v|, rounded once."""
    return _root(gram.uu, gram.exponent_u), _root(gram.vv, gram.exponent_v)


def cosine_of(gram: Gram) -> float:
    """Return u.v / sqrt(u.u v.v), rounded once."""
    shift, product = _root_of_product(gram)
    return (gram.uv << shift) / product


def distance_of(gram: Gram) -> float:
    """Return 1 - cosine without cancellation: g / (r (r + u.v)), r^2 = u.u v.v."""
    shift, product = _root_of_product(gram)
    dot = gram.uv << shift
    if gram.uv <= 0:
        return (product - dot) / product
    determinant = gram.uu * gram.vv - gram.uv * gram.uv
    return (determinant << 2 * shift) / (product * (product + dot))


def angles_of(gram: Gram) -> tuple[float, float]:
    """Return the angle in radians and degrees: atan2(sqrt(u.u v.v - (u.v)^2), u.v)."""
    determinant = gram.uu * gram.vv - gram.uv * gram.uv
    shift = _spare_bits(determinant)
    return angle(math.isqrt(determinant << 2 * shift), gram.uv << shift)


def euclidean_distance(gram: Gram) -> float:
    """Return |u - v| = sqrt(u.u + v.v - 2 u.v), rounded once."""
    low = min(gram.exponent_u, gram.exponent_v)
    up_u, up_v = gram.exponent_u - low, gram.exponent_v - low
    square = (
        (gram.uu << 2 * up_u) + (gram.vv << 2 * up_v) - (gram.uv << 1 + up_u + up_v)
    )
    return _root(square, low)


def _integers(vector: Sequence[float], name: str) -> tuple[list[int], int]:
    """Return integers and the exponent e with vector = integers * 2^e."""
    if hasattr(vector, "tolist"):
        vector = vector.tolist()
    try:
        ratios = [component.as_integer_ratio() for component in vector]
    except (ValueError, OverflowError):
        index = next(i for i, x in enumerate(vector) if not math.isfinite(x))
        raise LlmcalcError(
            f"{name}: component {index} is {vector[index]}, which gives no direction"
        ) from None
    # A double's denominator is a power of two.
    down = max(ratio[1] for ratio in ratios).bit_length() - 1
    whole = [top << down + 1 - low.bit_length() for top, low in ratios]
    # What all of them can be divided by would make the products longer.
    spare = min(((n & -n).bit_length() - 1 for n in whole if n), default=0)
    return [n >> spare for n in whole] if spare else whole, spare - down


def _spare_bits(number: int) -> int:
    """Return by how many bits to shift a root so that it has enough of them."""
    return max(0, _BITS - number.bit_length() // 2)


def _root_of_product(gram: Gram) -> tuple[int, int]:
    """Return s and 2^s sqrt(u.u v.v), exact where that is an integer."""
    product = gram.uu * gram.vv
    shift = _spare_bits(product)
    return shift, math.isqrt(product << 2 * shift)


def _root(square: int, exponent: int) -> float:
    """Return sqrt(square) 2^exponent."""
    shift = _spare_bits(square)
    return _scaled(math.isqrt(square << 2 * shift), exponent - shift)


def _scaled(number: int, exponent: int) -> float:
    """Return number * 2^exponent rounded once, infinite where a double ends."""
    try:
        if exponent >= 0:
            return float(number << exponent)
        return number / (1 << -exponent)
    except OverflowError:
        return -math.inf if number < 0 else math.inf
