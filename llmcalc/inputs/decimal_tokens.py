"""Where the numbers of a block of ASCII text stand, and the shape of each.

Imported only where there are many numbers, so numpy may load at the top.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

_Bools = NDArray[np.bool_]
_Index = NDArray[np.int64]

END, POINT, MINUS, PLUS, ZERO, E = b"\n.-+0e"
# More digits than this do not fit the words that are read.
MOST_DIGITS = 23
# Powers of ten that are read: outside of these a number is unusual.
LEAST_SCALE, MOST_SCALE = -20, 60


class Tokens(NamedTuple):
    """Numbers as [-]digits[.digits][e[-]digits]; M / 10**scale is their size."""

    starts: _Index
    ends: _Index  # index of the byte after each
    tails: _Index  # index of the byte after its digits, before an exponent
    negative: _Bools
    digits: _Index  # how many before an exponent; 0 where the shape is unusual
    after: _Index  # how many of these after the point; all where there is no point
    scale: _Index


def tokens_of(text: NDArray[np.uint8], start: int) -> Tokens | None:
    """Return the words of text that are ended by line feeds, empty ones too.

    The byte before ``start`` is a line feed too, as is the last one. ``digits`` is 0
    where a word has another shape, whatever it is. None where a minus stands inside
    of a word.
    """
    strange = (text - np.uint8(ZERO)) > 9
    strange &= text != MINUS
    strange[:start] = False
    at = strange.nonzero()[0]
    marks = text.take(at)
    usual = len(at) % 2 == 0 and bool((marks[1::2] == END).all())
    if usual and bool((marks[::2] == POINT).all()):
        tokens = _pointed(text, at[::2], at[1::2], start)
        minuses = 0
    else:
        tokens, minuses = _mixed(text, at, marks, start)
    minuses += np.count_nonzero(tokens.negative)
    if minuses != np.count_nonzero(text == MINUS) and not _signed_well(text):
        return None
    digits, scale = tokens.digits, tokens.scale
    if len(digits) and not (
        digits.min() >= 1
        and digits.max() <= MOST_DIGITS
        and scale.min() >= LEAST_SCALE
        and scale.max() <= MOST_SCALE
    ):
        wrong = (digits < 1) | (digits > MOST_DIGITS)
        wrong |= (scale < LEAST_SCALE) | (scale > MOST_SCALE)
        digits[wrong] = 0
        scale[wrong] = 0
    return tokens


def _pointed(
    text: NDArray[np.uint8], points: _Index, ends: _Index, start: int
) -> Tokens:
    """Read every word as digits with one point."""
    starts = np.empty_like(ends)
    starts[:1] = start
    np.add(ends[:-1], 1, out=starts[1:])
    negative = text.take(starts) == MINUS
    after = ends - points
    after -= 1
    digits = ends - starts
    digits -= 1
    digits -= negative
    return Tokens(starts, ends, ends, negative, digits, after, after.copy())


def _mixed(
    text: NDArray[np.uint8], at: _Index, marks: NDArray[np.uint8], start: int
) -> tuple[Tokens, int]:
    """Read words of any shape; return them and how many exponents are negative."""
    closing = np.flatnonzero(marks == END)
    count = np.diff(closing, prepend=-1)
    count -= 1
    before = np.maximum(closing - 1, 0)
    tokens = _pointed(text, at.take(before), at.take(closing), start)
    rest = np.flatnonzero((count != 1) | (marks.take(before) != POINT))
    if not rest.size:
        return tokens, 0
    # Of the other words, the marks that each has, from its end to its start.
    tokens = tokens._replace(tails=tokens.tails.copy())
    last, left = closing.take(rest), count.take(rest)
    ends = tokens.ends.take(rest)
    plus = (left > 1) & (marks.take(last - 1) == PLUS)
    having = (left > plus) & ((marks.take(last - 1 - plus) | 0x20) == E)
    tails = np.where(having, at.take(last - 1 - plus), ends)
    odd = plus & ~(having & (at.take(last - 1) == tails + 1))
    exponent = np.zeros(len(rest), np.int64)
    some = np.flatnonzero(having)
    exponent[some], wrong, minuses = _exponents(text, tails[some], ends[some])
    odd[some] |= wrong
    left -= plus
    left -= having
    point = at.take(last - 1 - plus - having)
    pointed = left == 1
    odd |= (left > 1) | (pointed & (text.take(point) != POINT))
    digits = tails - tokens.starts.take(rest) - tokens.negative.take(rest) - pointed
    after = np.where(pointed, tails - point - 1, digits)
    digits[odd] = 0
    tokens.tails[rest] = tails
    tokens.digits[rest] = digits
    tokens.after[rest] = after
    tokens.scale[rest] = np.where(pointed, after, 0) - exponent
    return tokens, minuses


def _exponents(
    text: NDArray[np.uint8], marks: _Index, ends: _Index
) -> tuple[_Index, _Bools, int]:
    """Return the exponents after e, which are none or too long, how many negative."""
    signs = text.take(marks + 1)
    minus = signs == MINUS
    width = ends - marks
    width -= 1
    width -= minus | (signs == PLUS)
    value: Any = np.zeros(len(ends), np.int64)
    for place in range(3):
        digit = text.take(ends - 1 - place).astype(np.int64) - ZERO
        value += np.where(width > place, digit * 10**place, 0)
    wrong = (width < 1) | (width > 3)
    return np.where(minus, -value, value), wrong, int(np.count_nonzero(minus))


def _signed_well(text: NDArray[np.uint8]) -> bool:
    """Return whether each minus begins a word or an exponent."""
    before = text.take(np.flatnonzero(text == MINUS) - 1)
    return bool(((before == END) | ((before | 0x20) == E)).all())
