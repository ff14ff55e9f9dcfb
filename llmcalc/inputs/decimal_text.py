"""Decimal numbers in ASCII text -> doubles, many at once, rounded as float() does.

A number is an integer of at most 18 digits over a power of ten. Eight digits are read
from one 64-bit word by three multiplications; the quotient is rounded right or known
to be in doubt, and then (and for everything unusual) float() decides. So every double
is the nearest one.

Imported only where there are many numbers, so numpy may load at the top.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from llmcalc.inputs.decimal_quotients import quotients
from llmcalc.inputs.decimal_tokens import Tokens, tokens_of

# Bytes before the text, line feeds, so that the words of its first number can be read.
PAD = 32
# M stays below 2**63: its digits before the last 16 are at most 921.
_WORDS, _TOP_WORD = 3, 921
# The last c of the 8 bytes of a word.
_LAST = np.array([(1 << 64) - (1 << 8 * (8 - c)) for c in range(1, 9)], "u8")
_LAST = np.concatenate([np.zeros(1, "u8"), _LAST])
_ZEROS = np.uint64(0x3030303030303030)


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
    values, doubt = quotients(whole.view(np.int64), tokens.scale)
    np.negative(values, out=values, where=tokens.negative)
    doubt |= tokens.digits == 0
    doubt |= whole.view(np.int64) < 0
    if doubt.any() and not _finish(text, tokens, values, np.flatnonzero(doubt)):
        return None
    return Decimals(values, tokens.ends, gaps)


def _integers(text: NDArray[np.uint8], tokens: Tokens) -> NDArray[np.uint64]:
    """Return the digits of each number as one integer; 2**63 where that is too large.

    The few that are shorter than a word are read apart, so that the others need no
    look at their last word's length.
    """
    size = 8 * _WORDS
    windows = np.ndarray((len(text) - size + 1,), f"V{size}", text, 0, (1,))
    words = windows[tokens.tails - size].view("<u8").reshape(-1, _WORDS)
    digits, after = tokens.digits, tokens.after
    least, fewest = int(after.min()), int(digits.min())
    short = np.flatnonzero(after < 8) if least < 8 else after[:0]
    if not 0 < 8 * len(short) < len(after):
        return _whole(words, digits, after, (least, fewest))
    whole = _whole(words, digits, after, (8, 8))
    few = words[short], digits[short], after[short]
    whole[short] = _whole(*few, (0, 0))
    return whole


def _whole(
    words: NDArray[np.uint64],
    digits: NDArray[np.int64],
    after: NDArray[np.int64],
    least: tuple[int, int],
) -> NDArray[np.uint64]:
    """Return what the last digits of three words spell, a point among them left out.

    Where a word holds the point, the bytes to the left of it come from one byte
    earlier. ``least`` is below the digits after the point, and below all digits, of
    each number.
    """
    whole = np.zeros(len(digits), np.uint64)
    for word in range(-(-int(digits.max()) // 8)):
        done = 8 * word
        right = words[:, _WORDS - 1 - word] ^ _ZEROS
        if least[0] < done + 8:
            left = right << np.uint64(8)
            if word + 1 < _WORDS:
                left |= (words[:, _WORDS - 2 - word] ^ _ZEROS) >> np.uint64(56)
            mask = _last_bytes(after, done)
            # Bytes of the right word where the mask is, of the left one elsewhere.
            right ^= left
            right &= mask
            right ^= left
        if least[1] < done + 8:
            right &= _last_bytes(digits, done)
        value = _eight_digits(right)
        if word + 1 == _WORDS:
            beyond = value > _TOP_WORD
            value *= np.uint64(10**done)
            value[beyond] = 1 << 63
        elif word:
            value *= np.uint64(10**done)
        whole += value
    return whole


def _last_bytes(count: NDArray[np.int64], done: int) -> NDArray[np.uint64]:
    """Return masks of the last bytes of a word: so many as ``count`` exceeds done."""
    masks: NDArray[np.uint64] = _LAST.take(np.clip(count - done, 0, 8))
    return masks


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
