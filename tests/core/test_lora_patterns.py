"""Names of layers as patterns and ranges."""

from hypothesis import given
from hypothesis import strategies as st

from llmcalc.core.lora.patterns import first_numbers, pattern_of, ranges


@given(st.lists(st.integers(0, 400)))
def test_ranges_name_every_number_once(numbers):
    named = []
    for piece in filter(None, ranges(numbers).split(",")):
        first, _, last = piece.partition("-")
        named += range(int(first), int(last or first) + 1)
    assert named == sorted(set(numbers))


def test_only_whole_parts_are_numbers():
    assert pattern_of("layers.3.fc1") == "layers.*.fc1"
    assert pattern_of("0.w1.7") == "*.w1.*"
    assert pattern_of("fc1") == "fc1"
    assert first_numbers(["blocks.2.experts.5.w1", "fc1", "9.x"]) == [2, 9]
