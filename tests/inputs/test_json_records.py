"""JSON documents of a stream, however lines part them."""

import io
import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from llmcalc.errors import LlmcalcError
from llmcalc.inputs import json_records
from llmcalc.inputs.json_records import Record, records


def read(text):
    return list(records(io.BufferedReader(io.BytesIO(text.encode())), "f"))


class Lines(io.RawIOBase):
    """A long stream that counts what was read of it."""

    def __init__(self, text, times):
        self.left, self.text = times, text
        self.size = 0

    def readable(self):
        return True

    def readinto(self, buffer):
        if not self.left:
            return 0
        self.left -= 1
        self.size += len(self.text)
        buffer[: len(self.text)] = self.text
        return len(self.text)


@pytest.mark.parametrize("between", ["\n", "", " ", "\n\n", "\r\n", "\x1e"])
@pytest.mark.parametrize("indent", [None, 0, 2])
def test_documents_are_told_apart_whatever_stands_between_them(between, indent):
    values = [{"a": [1, 2]}, [], [{"b": "}\\n"}], {}, {"c": {"d": -1.5}}]
    text = between.join(json.dumps(value, indent=indent) for value in values)
    assert [record.value for record in read(text)] == values
    assert [record.number for record in read(text)] == [1, 2, 3, 4, 5]


def test_a_line_is_that_on_which_the_document_starts():
    found = read('\n{"a":\n1} {"b":\n2}\n\n{"c": 3}\n[\n4]')
    assert [record.line for record in found] == [2, 3, 6, 7]


@settings(max_examples=60, deadline=None)
@given(
    st.lists(
        st.tuples(
            st.recursive(
                st.none() | st.integers(-9, 9) | st.text(max_size=3),
                lambda inner: st.lists(inner, max_size=3),
                max_leaves=6,
            ),
            st.sampled_from([None, 0, 1]),
        ),
        max_size=8,
    ),
    st.integers(1, 40),
)
def test_where_trials_fall_changes_nothing(documents, held):
    values = [[value] for value, _ in documents]
    text = "\n".join(
        json.dumps(value, indent=indent)
        for value, (_, indent) in zip(values, documents, strict=True)
    )
    usual = json_records._HELD
    json_records._HELD = held
    try:
        found = read(text)
    finally:
        json_records._HELD = usual
    assert [record.value for record in found] == values


@pytest.mark.parametrize(
    "broken",
    ['{"a": [1, 2', '{"a": [1,', '{"a": ', "[", '{"a": "x', "oops", '{"a": 1}]', "]"],
)
def test_a_broken_line_is_found_long_before_the_end(broken):
    good = b'{"a": 1}\n' * 4000
    stream = Lines(good, 2000)
    first = io.BytesIO(good + broken.encode() + b"\n")
    both = io.BufferedReader(_Chained(first, stream), 1 << 16)
    found = records(both, "f")
    for number in range(1, 4001):
        assert next(found) == Record({"a": 1}, number, number)
    with pytest.raises(LlmcalcError, match=r"f: line 400[1-3]: (the JSON|not JSON)"):
        list(found)
    assert stream.size < 1 << 20


class _Chained(io.RawIOBase):
    """One stream, then the other."""

    def __init__(self, first, second):
        self.first, self.second = first, second

    def readable(self):
        return True

    def readinto(self, buffer):
        size = self.first.readinto(buffer)
        return size or self.second.readinto(buffer)


def test_documents_over_several_lines_are_not_gathered():
    one = (json.dumps({"a": list(range(200))}, indent=1) + "\n").encode()
    stream = Lines(one, 4000)
    found = records(io.BufferedReader(stream, 1 << 16), "f")
    assert next(found).value == {"a": list(range(200))}
    assert stream.size < 1 << 20


@pytest.mark.parametrize(
    "cut", ['{"a": [-1.', '{"a": nul', '{"a": "x', '{"a"', "[[1], "]
)
def test_an_end_within_a_document_is_called_cut_off(cut):
    with pytest.raises(LlmcalcError, match="line 2: the JSON that starts on line 2"):
        read(f'{{"b": 1}}\n{cut}')


def test_a_fault_names_where_its_document_starts():
    with pytest.raises(LlmcalcError, match=r"line 3: .* \(in what starts on line 1\)"):
        read('{"a": [1,\n2\n{"b": 3}\n')
