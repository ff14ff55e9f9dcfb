"""Element types: names, widths, 8-bit floats and bfloat16 by their bits."""

import numpy as np
import pytest

from llmcalc.errors import LlmcalcError
from llmcalc.inputs.vectors.element_types import raw_type
from llmcalc.inputs.vectors.encodings import as_type, from_base64, from_bytes
from llmcalc.inputs.vectors.widening import float8_table, widened


@pytest.mark.parametrize(
    ("name", "wanted"),
    [
        ("F32", "float32"), ("float", "float32"),
        ("double", "float64"), ("half", "float16"),
        ("BF16", "bfloat16"), ("fp8", "float8_e4m3"), ("fp8_e5m2", "float8_e5m2"),
        ("bits", "ubinary"), ("uint8", "uint8"),
    ],
)  # fmt: skip
def test_types_go_by_many_names(name, wanted):
    assert raw_type(name).name == wanted
    assert raw_type(f"{name}x12").width == 12


@pytest.mark.parametrize("name", ["", "float33", "float32x", "f32x0", "x8"])
def test_other_names_are_refused(name):
    with pytest.raises(
        LlmcalcError, match="not an element type; choose one of float64"
    ):
        raw_type(name)


def test_8_bit_floats():
    # OCP 8-bit floating point specification, table 2: largest and smallest values.
    e4m3, e5m2 = float8_table("float8_e4m3"), float8_table("float8_e5m2")
    assert np.nanmax(e4m3) == 448
    assert e4m3[[0x08, 0x07, 0x01]].tolist() == [2.0**-6, 0.875 * 2.0**-6, 2.0**-9]
    assert np.isnan(e4m3).nonzero()[0].tolist() == [0x7F, 0xFF]
    assert e5m2[[0x7B, 0x04, 0x01]].tolist() == [57344, 2.0**-14, 2.0**-16]
    assert np.isinf(e5m2).nonzero()[0].tolist() == [0x7C, 0xFC]
    for table in (e4m3, e5m2):
        np.testing.assert_array_equal(table[128:], -table[:128])


def test_bfloat16_rounds_to_nearest_ties_to_even():
    raw = raw_type("bfloat16")
    bits = np.array([0x3F808000, 0x3F818000, 0x3F808001, 0xBF807FFF], np.uint32)
    rounded = as_type(bits.view(np.float32)[None], raw, str)
    upper = rounded.view(np.uint32)[0] >> 16
    assert upper.tolist() == [0x3F80, 0x3F82, 0x3F81, 0xBF80]
    np.testing.assert_array_equal(as_type(rounded, raw, str), rounded)


def test_every_half_goes_through_unchanged():
    halves = np.arange(1 << 16, dtype=np.uint16)
    wide = widened(halves, raw_type("bfloat16"))
    np.testing.assert_array_equal(wide.view(np.uint32), halves.astype(np.uint32) << 16)


def test_binary_and_ubinary_name_the_same_bits():
    every = bytes(range(256))
    ubinary = from_bytes(every, raw_type("ubinary"))
    binary = from_bytes(every, raw_type("binary"))
    np.testing.assert_array_equal(ubinary, np.arange(256))
    signed = np.arange(256, dtype=np.uint8).view(np.int8).astype(int)
    np.testing.assert_array_equal(binary, signed + 128)


def test_bytes_that_do_not_fit():
    for text in ("AAAA", "AAAAAAA", "AAAA AAAA", "ÄAAA", ""):
        with pytest.raises(ValueError, match="bytes|base64"):
            from_base64(text, raw_type("float32"))
