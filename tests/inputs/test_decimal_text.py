"""Decimals read many at once are the doubles that float() reads, or are left to it."""

import math
import struct
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from llmcalc.inputs.decimal_text import PAD, read_decimals

FORMATS = ("{!r}", "{:.17g}", "{:.16e}", "{:.4f}", "{:.20f}", "{:g}", "{:+.6E}")
numbers = st.floats(allow_nan=False, allow_infinity=False)
logprobs = st.floats(-60, 0)
digits = st.text("0123456789", min_size=1, max_size=24)
# Anything that looks like a number, and what almost does.
words = st.builds(
    "".join,
    st.tuples(
        st.sampled_from(["", "-", "+"]),
        digits | st.just(""),
        st.sampled_from(["", "."]),
        digits | st.just(""),
        st.sampled_from(["", "e", "E", "e-", "e+"]),
        st.text("0123456789", max_size=4),
    ),
)


def read(*words: str):
    text = b"\n" * PAD + "".join(f"{word}\n" for word in words).encode()
    return read_decimals(np.frombuffer(text, np.uint8))


def same(a: float, b: float) -> bool:
    return struct.pack("d", a) == struct.pack("d", b)


def is_number(word: str) -> bool:
    try:
        float(word)
    except ValueError:
        return False
    return "_" not in word


@given(st.lists(numbers | logprobs, min_size=1), st.sampled_from(FORMATS))
def test_every_way_to_write_a_double_reads_as_float_reads_it(values, form):
    texts = [form.format(value) for value in values]
    got = read(*texts)
    assert got is not None
    assert all(map(same, got.values.tolist(), map(float, texts)))


@given(st.lists(words, min_size=1, max_size=8))
@settings(max_examples=500)
def test_a_block_is_read_right_or_left_alone(texts):
    got = read(*texts)
    filled = [text for text in texts if text]
    if got is None:
        assert not all(map(is_number, filled))
        return
    assert all(map(same, got.values.tolist(), map(float, filled)))
    assert got.gaps == (len(filled) < len(texts))


@given(st.integers(1, 2**53 - 1), st.integers(-60, 0), st.integers(-2, 2))
def test_numbers_next_to_the_middle_of_two_doubles_round_right(whole, power, off):
    # The middle of two neighbours, cut to 18 digits, and the numbers beside it.
    middle = Fraction(2 * whole + 1) * Fraction(2) ** (power - 1)
    scale = 17 - math.floor(math.log10(middle))
    digits = str(int(middle * Fraction(10) ** scale) + off)
    point = len(digits) - scale
    text = (
        digits[:point] + "." + digits[point:]
        if point > 0
        else ("0." + "0" * -point + digits)
    )
    got = read(text, "-" + text)
    assert got.values.tolist() == [float(text), -float(text)]


def test_exact_ties_go_to_even():
    texts = ["9007199254740993.0", "9007199254740995", "0.5", "4503599627370497.5"]
    assert read(*texts).values.tolist() == [float(text) for text in texts]


@pytest.mark.parametrize(
    "word",
    ["abc", "1-2", "--1", "1e", "1e-", "e5", ".", "-", "1.2.3", "1,2", "1 2", "1_0",
     "1e5e5", "1e5.5", "1+2", "1e--5", "0x10", "1e5-3", "+-1", "-.", "1\x00"],
)  # fmt: skip
def test_what_is_no_number_is_left_alone(word):
    assert read("-1.5", word, "-2.5") is None
    assert read(word) is None


def test_infinities_and_words_for_nan_are_read():
    got = read("-inf", "-1.5", "Infinity", "nan").values
    assert got[:3].tolist() == [-math.inf, -1.5, math.inf]
    assert math.isnan(got[3])


def test_ends_say_where_each_number_stood():
    got = read("-1.5", "", "7")
    assert (got.ends - PAD).tolist() == [4, 7]
    assert got.gaps
