"""The size of a safetensors file, against files that PEFT saved."""

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from llmcalc.core.lora.adapter_file import StoredTensor, safetensors_size
from llmcalc.errors import LlmcalcError

CASES = Path(__file__).parents[1] / "cases" / "lora"
DTYPES = {"F32": "float32", "BF16": "bfloat16", "F16": "float16"}
SAVED = sorted(CASES.glob("adapters/*.expected.json"))


@pytest.mark.parametrize("path", SAVED, ids=lambda p: p.name.split(".")[0])
def test_size_is_that_of_the_saved_file(path):
    saved = json.loads(path.read_text())
    size = safetensors_size(
        StoredTensor(name, tuple(tensor["shape"]), DTYPES[tensor["dtype"]])
        for name, tensor in saved["tensors"].items()
    )
    assert size.file_bytes == saved["file"]["bytes"]
    assert size.header_bytes == saved["file"]["header_bytes"]
    assert size.payload_bytes == saved["file"]["payload_bytes"]
    assert size.tensors == saved["file"]["tensors"]


def _header(tensors):
    """The header as the format describes it, written with json itself."""
    order = ["float32", "bfloat16", "float16"]
    code = {name: short for short, name in DTYPES.items()}
    header, offset = {"__metadata__": {"format": "pt"}}, 0
    for t in sorted(tensors, key=lambda t: (order.index(t.dtype), t.name.encode())):
        width = 4 if t.dtype == "float32" else 2
        offsets = [offset, offset + width * t.size]
        header[t.name] = {
            "dtype": code[t.dtype],
            "shape": list(t.shape),
            "data_offsets": offsets,
        }
        offset = offsets[1]
    text = json.dumps(header, separators=(",", ":"), ensure_ascii=False).encode()
    return text + b" " * (-len(text) % 8), offset


@given(
    st.lists(
        st.builds(
            StoredTensor,
            st.text(st.characters(exclude_categories=["Cs"]), min_size=1),
            st.lists(st.integers(0, 10**6), max_size=3).map(tuple),
            st.sampled_from(sorted(DTYPES.values())),
        ),
        unique_by=lambda t: t.name,
        max_size=6,
    )
)
def test_header_is_counted_as_json_writes_it(tensors):
    header, payload = _header(tensors)
    size = safetensors_size(tensors)
    assert size.header_bytes == 8 + len(header)
    assert size.payload_bytes == payload
    assert size.file_bytes == 8 + len(header) + payload


def test_two_tensors_of_one_name_are_an_error():
    twice = [StoredTensor("w", (2,), "float32"), StoredTensor("w", (3,), "float32")]
    with pytest.raises(LlmcalcError, match="w: two tensors"):
        safetensors_size(twice)
