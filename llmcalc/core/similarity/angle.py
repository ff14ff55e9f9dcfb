"""The angle of a right triangle's two sides, as integers, rounded once.

Fixed-point arithmetic on Python's integers: math.atan2 of two rounded sides would be
one or two units in the last place off, and 60 degrees 59.99999999999999.
"""

import math

# Bits behind the binary point; a tangent below 2^-_TINY has the angle's own digits.
_BITS = 200
_TINY = 60
# pi * 2^200, rounded (its digits: OEIS A000796).
_PI = 0x3243F6A8885A308D313198A2E03707344A4093822299F31D008


def angle(sine: int, cosine: int) -> tuple[float, float]:
    """Return atan2(sine, cosine) in radians and in degrees; ``sine`` >= 0.

    Newton's step from math.atan2: with s, c the sides over their hypotenuse,
    theta = t + (s cos t - c sin t) / (c cos t + s sin t), whose error is the cube of
    the correction.

    >>> angle(0, -5), angle(7, 7)
    ((3.141592653589793, 180.0), (0.7853981633974483, 45.0))
    """
    if sine << _TINY < cosine:
        # atan x = x (1 - x^2 / 3 ...): the quotient itself, and its degrees, which
        # keep their digits where the radians are below the smallest normal double.
        return sine / cosine, (sine * 180 << _BITS) / (cosine * _PI)
    if sine == 0:
        return math.pi, 180.0
    # Both sides over one power of two, the larger near 1.
    unit = 1 << max(sine.bit_length(), cosine.bit_length())
    t = _fixed(math.atan2(sine / unit, cosine / unit))
    sin_t, cos_t = _sine_and_cosine(t)
    across = sine * cos_t - cosine * sin_t
    along = cosine * cos_t + sine * sin_t
    theta = t + (across << _BITS) // along
    return theta / (1 << _BITS), theta * 180 / _PI


def _fixed(number: float) -> int:
    top, bottom = number.as_integer_ratio()
    return (top << _BITS) // bottom


def _sine_and_cosine(t: int) -> tuple[int, int]:
    """Return sin t and cos t by their series, for 0 <= t <= pi."""
    sums = [0, 0]
    term, step = 1 << _BITS, 0
    while term:
        # cos takes the even powers, sin the odd ones; signs go + + - -.
        sums[step % 2] += -term if step % 4 > 1 else term
        step += 1
        term = (term * t >> _BITS) // step
    return sums[1], sums[0]
