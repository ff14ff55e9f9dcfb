"""Blocks of lines and single lines give the same vectors, places and errors."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from llmcalc.errors import LlmcalcError
from llmcalc.inputs.vectors import number_blocks

NUMBERS = st.one_of(
    st.floats(allow_nan=False, allow_infinity=False).map(repr),
    st.integers(-(10**20), 10**20).map(str),
    st.from_regex(r"-?[0-9]{1,4}\.[0-9]{1,18}(e-?[0-9]{1,2})?", fullmatch=True),
    st.sampled_from([".5", "+1", "1.", "-0", "1e400", "nan", "x", "1_0", "0x1", "--1"]),
)
LINES = st.lists(st.lists(NUMBERS, min_size=2, max_size=5), min_size=1, max_size=6)


def outcome(read, content):
    try:
        found = read(content, "same.txt")
    except LlmcalcError as error:
        return str(error)
    places = [found.place(row) for row in range(len(found.rows))]
    return found.rows.tolist(), found.rows.dtype, found.labels, places, found.format


@settings(max_examples=150, deadline=None)
@given(LINES, st.sampled_from([" ", "\t", ",", ", ", ";", "  "]), st.booleans())
def test_blocks_and_lines_agree(read, lines, mark, labelled):
    body = [mark.join(line) for line in lines]
    if labelled:
        body = [f"w{row} {' '.join(line)}" for row, line in enumerate(lines)]
    content = "\n".join([*body[:1], "", *body[1:]])
    blocks = outcome(read, content)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(number_blocks, "read_rows", lambda lines: None)
        assert outcome(read, content) == blocks


def test_a_fault_after_many_blocks_is_named_by_its_line(read):
    line = " ".join(["0.125"] * 300)
    good = [line] * 500
    for fault, words in [
        (line + " 1", ["301 components", "300"]),
        (line[:-5] + "x", ["'x'"]),
        (line[:-5] + "nan", ["component 299", "nan"]),
    ]:
        with pytest.raises(LlmcalcError) as caught:
            read("\n".join([*good, fault, *good]))
        assert str(caught.value).startswith("a.txt: line 501: ")
        assert all(word in str(caught.value) for word in words)
    assert read("\n".join(good)).rows.shape == (500, 300)
