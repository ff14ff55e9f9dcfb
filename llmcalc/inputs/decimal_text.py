"""Decimal numbers in ASCII text -> doubles, many at once, rounded as float() does.

A number is an integer M of at most 18 digits over a power of ten. Eight digits are
read from one 64-bit word by three multiplications; M / 10**k is a division in doubles
and its remainder, which is exact; where the remainder leaves the rounding in doubt
(and for everything unusual) float() decides. So every double is the nearest one.

Imported only where there are many numbers, so numpy may load at the top.
"""

from fractions import Fraction
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from llmcalc.inputs.decimal_tokens import LEAST_SCALE, MOST_SCALE, Tokens, tokens_of

# Bytes before the text, line feeds, so that the words of its first number can be read.
PAD = 32
# M stays below 2**63: its digits before the last 16 are at most 921.
_WORDS, _TOP_WORD = 3, 921
_POWERS = [Fraction(10) ** k for k in range(LEAST_SCALE, MOST_SCALE + 1)]
_POWER = np.array([float(power) for power in _POWERS])
# What the double lacks of the power; nothing for 10**0 to 10**22.
_REST = np.array([float(power - Fraction(float(power))) for power in _POWERS])
_EXACT = 22
# The last c of the 8 bytes of a word.
_LAST = np.array([(1 << 64) - (1 << 8 * (8 - c)) for c in range(1, 9)], "u8")
_LAST = np.concatenate([np.zeros(1, "u8"), _LAST])
_ZEROS = np.uint64(0x3030303030303030)
# Veltkamp: parts a double into halves whose products are exact.
_SPLITTER = 134217729.0
# The remainder is right to 2**-50 of itself: where so much more or less of it gives
# another double, the rounding is in doubt.
_DOUBT = 2.0**-47


class Decimals(NamedTuple):
    """The doubles of a block in order, and the index of the byte after each."""

    values: NDArray[np.float64]
    ends: NDArray[np.int64]
    gaps: bool  # a line feed follows another


def read_decimals(text: NDArray[np.uint8]) -> Decimals | None:
    """Return the doubles of ASCII text: PAD line feeds, then words ended by these.

    None where a word is no number or may be none: the slow way has words for that.
    """
    tokens = tokens_of(text, PAD)
    if tokens is None:
        return None
    filled = tokens.ends != tokens.starts
    gaps = not filled.all()
    if gaps:
        tokens = Tokens(*(each[filled] for each in tokens))
    if not tokens.ends.size:
        return Decimals(np.zeros(0), tokens.ends, gaps)
    whole = _integers(text, tokens)
    values, doubt = _quotients(whole.view(np.int64), tokens.scale)
    np.negative(values, out=values, where=tokens.negative)
    doubt |= tokens.digits == 0
    doubt |= whole.view(np.int64) < 0
    if doubt.any() and not _finish(text, tokens, values, np.flatnonzero(doubt)):
        return None
    return Decimals(values, tokens.ends, gaps)


def _integers(text: NDArray[np.uint8], tokens: Tokens) -> NDArray[np.uint64]:
    """Return the digits of each number as one integer; 2**63 where that is too large.

    The 24 bytes before its end hold them all. Where a word holds the point, the bytes
    to the left of it come from one byte earlier.
    """
    size = 8 * _WORDS
    windows = np.ndarray((len(text) - size + 1,), f"V{size}", text, 0, (1,))
    words = windows[tokens.tails - size].view("<u8").reshape(-1, _WORDS)
    digits, after = tokens.digits, tokens.after
    least, fewest = int(after.min()), int(digits.min())
    whole = np.zeros(len(digits), np.uint64)
    for word in range(-(-int(digits.max()) // 8)):
        done = 8 * word
        right = words[:, _WORDS - 1 - word] ^ _ZEROS
        if least < done + 8:
            left = right << np.uint64(8)
            if word + 1 < _WORDS:
                left |= (words[:, _WORDS - 2 - word] ^ _ZEROS) >> np.uint64(56)
            mask = _LAST.take(np.clip(after - done, 0, 8))
            right &= mask
            left &= ~mask
            right |= left
        if fewest < done + 8:
            right &= _LAST.take(np.clip(digits - done, 0, 8))
        value = _eight_digits(right)
        if word + 1 == _WORDS:
            beyond = value > _TOP_WORD
            value *= np.uint64(10**done)
            value[beyond] = 1 << 63
        elif word:
            value *= np.uint64(10**done)
        whole += value
    return whole


def _eight_digits(word: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Return the number that eight bytes of digits 0-9 spell, first byte first."""
    for times, by, keep in (
        (10 * 2**8 + 1, 8, 0x00FF00FF00FF00FF),
        (100 * 2**16 + 1, 16, 0x0000FFFF0000FFFF),
        (10000 * 2**32 + 1, 32, 0x00000000FFFFFFFF),
    ):
        word *= np.uint64(times)
        word >>= np.uint64(by)
        if by < 32:
            word &= np.uint64(keep)
    return word


def _quotients(
    whole: NDArray[np.int64], scale: NDArray[np.int64]
) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """Return whole / 10**scale, and where the last digit of it is in doubt."""
    exact = int(scale.max()) <= _EXACT and int(scale.min()) >= 0
    power = _POWER.take(scale - LEAST_SCALE)
    quotient = whole.astype(np.float64)
    if exact and int(whole.max()) <= 1 << 53:
        # Both are doubles, so one division rounds once (Clinger 1990).
        quotient /= power
        return quotient, np.zeros(len(quotient), np.bool_)
    rest = quotient.copy()
    tail = (whole - rest.astype(np.int64)).astype(np.float64)
    quotient /= power
    product, error = _product(quotient, power)
    rest -= product
    rest -= error
    rest += tail
    if not exact:
        rest -= quotient * _REST.take(scale - LEAST_SCALE)
    rest /= power
    more = rest * (1 + _DOUBT)
    more += quotient
    rest *= 1 - _DOUBT
    quotient += rest
    return quotient, more != quotient


def _product(
    x: NDArray[np.float64], y: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return x * y rounded, and what the rounding took (Dekker 1971)."""
    product = x * y
    x_high, x_low = _halves(x)
    y_high, y_low = _halves(y)
    error = x_high * y_high
    error -= product
    x_high *= y_low
    error += x_high
    y_high *= x_low
    error += y_high
    x_low *= y_low
    error += x_low
    return product, error


def _halves(
    x: NDArray[np.float64],
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    high = x * _SPLITTER
    high -= high - x
    return high, x - high


def _finish(
    text: NDArray[np.uint8],
    tokens: Tokens,
    values: NDArray[np.float64],
    left: NDArray[np.int64],
) -> bool:
    """Read the words that are left with float(); return whether all are numbers."""
    for index in left.tolist():
        word = text[tokens.starts[index] : tokens.ends[index]].tobytes()
        if b"_" in word:
            return False  # float() takes 1_000, we do not
        try:
            values[index] = float(word)
        except ValueError:
            return False
    return True
