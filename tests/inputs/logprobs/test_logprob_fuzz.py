"""Damaged files of every shape end in a result or in one line, never in a traceback."""

import json
import math
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st
from inputs.logprobs.shapes import SHAPES
from inputs.logprobs.written import read_text

from llmcalc.errors import LlmcalcError
from llmcalc.inputs.logprobs.document import ReadOptions

SEQUENCE = [-1.5, -0.25, -3.0, 0.0, -2.0]
TEXTS = [shape.write(SEQUENCE).encode() for shape in SHAPES]
OPTIONS = st.builds(
    ReadOptions,
    part=st.sampled_from(["auto", "prompt", "output", "all"]),
    base=st.none(),
    nll=st.booleans(),
    probs=st.just(False),
    column=st.none(),
    mask=st.none(),
    sentinel=st.sampled_from(["error", "skip", "inf"]),
    input_format=st.none(),
    want_tokens=st.booleans(),
)
STRANGE: Any = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-(10**400), 10**400) | st.integers(-3, 3),
    st.floats(),
    st.text(max_size=3),
    st.just([]),
    st.just({}),
    st.just([None]),
    st.just([{}]),
    st.just([[]]),
    st.just({"a": {}}),
    st.just({"logprob": -1.0}),
)


def read_or_refuse(content: bytes, options: ReadOptions) -> None:
    """Whatever comes: possible log-probs, or one line that names the file."""
    try:
        found = read_text(content, options)
    except LlmcalcError as error:
        assert str(error).startswith("x")
        assert "\n" not in str(error)
        return
    for value in found.logprobs:
        assert not math.isnan(value)
        assert value <= 2.4e-6  # 1e-6, which counts as rounding, in base 10
    for document in found.documents:
        for known in (document.tokens, document.token_ids):
            assert known is None or len(known) == len(document.logprobs)
    assert all("\n" not in note for note in found.notes)


@settings(max_examples=300, deadline=None)
@given(st.data())
def test_bytes_that_were_changed_lost_or_repeated(data: st.DataObject) -> None:
    content = data.draw(st.sampled_from(TEXTS))
    for _ in range(data.draw(st.integers(1, 3))):
        start = data.draw(st.integers(0, len(content)))
        end = data.draw(st.integers(start, min(len(content), start + 60)))
        there = content[start:end]
        new = data.draw(
            st.binary(max_size=4) | st.sampled_from([b"", there, there * 2])
        )
        content = content[:start] + new + content[end:]
    read_or_refuse(content, data.draw(OPTIONS))


@settings(max_examples=200, deadline=None)
@given(st.sampled_from(TEXTS), st.floats(0, 1), OPTIONS)
def test_files_that_end_early(
    content: bytes, kept: float, options: ReadOptions
) -> None:
    read_or_refuse(content[: int(kept * len(content))], options)


def _paths(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    items: Any = ()
    if isinstance(value, dict):
        items = value.items()
    elif isinstance(value, list):
        items = enumerate(value)
    below = [found for key, item in items for found in _paths(item, (*path, key))]
    return [path, *below]


def _changed(value: Any, path: tuple[Any, ...], new: Any) -> Any:
    if not path:
        return new
    copied = dict(value) if isinstance(value, dict) else list(value)
    copied[path[0]] = _changed(value[path[0]], path[1:], new)
    return copied


def _as_json(content: bytes) -> list[Any] | None:
    lines = content.decode().replace("data: ", "").splitlines()
    try:
        return [json.loads(line) for line in lines if line.startswith(("{", "["))]
    except ValueError:
        return None


JSON = [found for text in TEXTS if (found := _as_json(text))]


@settings(max_examples=400, deadline=None)
@given(st.data())
def test_fields_that_are_not_what_they_should_be(data: st.DataObject) -> None:
    records = data.draw(st.sampled_from(JSON))
    for _ in range(data.draw(st.integers(1, 2))):
        path = data.draw(st.sampled_from(_paths(records)))
        records = _changed(records, path, data.draw(STRANGE))
        if not isinstance(records, list):
            records = [records]
    text = "".join(json.dumps(record) + "\n" for record in records)
    if data.draw(st.booleans()):
        text = "".join(f"data: {json.dumps(record)}\n\n" for record in records)
    read_or_refuse(text.encode(), data.draw(OPTIONS))
