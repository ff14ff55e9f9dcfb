"""The extra ``fast`` changes the speed and nothing else."""

import json
import re
import sys
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from inputs.logprobs import shapes
from inputs.logprobs.written import read_text

from llmcalc.errors import LlmcalcError
from llmcalc.inputs.logprobs.document import ReadOptions

pytestmark = pytest.mark.reference
orjson = pytest.importorskip("orjson")
SHAPES = [shape for shape in shapes.SHAPES if shape.family not in ("kenlm", "srilm")]


def outcome(text: bytes) -> Any:
    try:
        found = read_text(text, ReadOptions(want_tokens=True))
    except LlmcalcError as error:
        # A number of thirty digits is shown as each parser takes it.
        return re.sub(r"[\d.e+]{20,}", "N", str(error))
    return found.documents, found.notes, found.reading.format


def both(text: bytes) -> tuple[Any, Any]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(sys.modules, "orjson", None)
        plain = outcome(text)
    return plain, outcome(text)


@settings(max_examples=400, deadline=None)
@given(st.data())
def test_damaged_files_are_read_or_refused_alike(data: st.DataObject) -> None:
    shape = data.draw(st.sampled_from(SHAPES))
    text = shape.write([-1.5, -0.25, -3.0]).encode()
    start = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(start, min(len(text), start + 12)))
    pieces = [b"", b"NaN", b"-Infinity", b"\\ud800", b"\xff", b"1" * 30, b"[" * 2000]
    text = text[:start] + data.draw(st.sampled_from(pieces)) + text[end:]
    plain, fast = both(text)
    assert plain == fast


@given(st.lists(st.floats(-99, 0), min_size=1), st.text())
def test_numbers_and_texts_are_the_same(logprobs: list[float], token: str) -> None:
    rows = [{"token": token, "logprob": value} for value in logprobs]
    for ensure in (True, False):
        text = "\n".join(json.dumps(row, ensure_ascii=ensure) for row in rows)
        plain, fast = both(text.encode("utf-8", "replace"))
        assert plain == fast
        assert plain[0][0].logprobs == logprobs
