"""Every shape of log-probs reads back what was written."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from inputs.logprobs.shapes import SHAPES, Shape
from inputs.logprobs.written import read_text

from llmcalc.inputs.logprobs.document import LOGS
from llmcalc.inputs.logprobs.families import FAMILIES

LOGPROBS = st.floats(-99.0, 0.0, allow_nan=False)
SEQUENCES = st.lists(LOGPROBS, min_size=1, max_size=24)
every_shape = pytest.mark.parametrize("shape", SHAPES, ids=lambda shape: shape.name)


@every_shape
@settings(max_examples=40)
@given(SEQUENCES)
def test_what_is_written_is_read(shape: Shape, logprobs: list[float]) -> None:
    found = read_text(shape.write(logprobs))
    factor = LOGS[shape.base]
    assert found.logprobs == [value * factor for value in logprobs]
    assert found.skipped == shape.skipped
    assert found.reading.format == shape.family
    assert found.reading.part == shape.part
    assert found.reading.base == shape.base
    assert not shape.documents or len(found.documents) == 1


@every_shape
def test_what_is_written_is_read_without_a_word(shape: Shape) -> None:
    assert read_text(shape.write([-1.5, -0.25, -3.0, -2.0])).notes == []


@every_shape
def test_zero_is_a_certain_token(shape: Shape) -> None:
    assert read_text(shape.write([0.0, -1.5, -0.0])).logprobs[0] == 0.0


@every_shape
def test_tokens_are_parallel_to_their_log_probs(shape: Shape) -> None:
    from llmcalc.inputs.logprobs.document import ReadOptions

    options = ReadOptions(want_tokens=True)
    for document in read_text(shape.write([-1.5, -0.25, -3.0]), options).documents:
        for known in (document.tokens, document.token_ids):
            assert known is None or len(known) == len(document.logprobs)


def test_every_family_has_a_shape() -> None:
    arrays = {"npy", "parquet"}
    assert {shape.family for shape in SHAPES} == {f.name for f in FAMILIES} - arrays


@every_shape
def test_places_name_the_file(shape: Shape) -> None:
    for document in read_text(shape.write([-1.5, -0.25])).documents:
        for index in range(len(document.logprobs)):
            assert document.where.place(index).startswith("x")


@settings(max_examples=40)
@given(SEQUENCES)
def test_documents_of_several_lines_keep_their_ids(logprobs: list[float]) -> None:
    rows = [{"id": f"d{i}", "logprobs": [v]} for i, v in enumerate(logprobs)]
    found = read_text("".join(json.dumps(row) + "\n" for row in rows))
    assert [document.id for document in found.documents] == [row["id"] for row in rows]
    assert found.logprobs == logprobs
