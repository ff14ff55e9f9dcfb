"""Indices, damaged files, pickles: what cannot be read is named in one line."""

import json
import re
import struct
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from inputs.written_models import read, write

from llmcalc.errors import LlmcalcError


def shards(folder, **weights):
    for name, tensors in weights.items():
        write(folder / f"{name}.safetensors", tensors)
    listed = {t: f"{n}.safetensors" for n, ts in weights.items() for t in ts}
    index = folder / "model.safetensors.index.json"
    index.write_text(json.dumps({"weight_map": listed}))
    return index


def test_what_is_wrong_with_an_index_is_named(tmp_path):
    index = shards(
        tmp_path, a={"q.weight": ("F32", 2, 2)}, b={"k.weight": ("F32", 2, 2)}
    )
    assert read(index).total == read(tmp_path).total == 8
    (tmp_path / "b.safetensors").unlink()
    with pytest.raises(LlmcalcError, match=r"b\.safetensors: this shard of"):
        read(index)
    write(tmp_path / "b.safetensors", {"v.weight": ("F32", 2, 2)})
    with pytest.raises(LlmcalcError, match=r"k\.weight of the index is not in it"):
        read(index)
    write(tmp_path / "b.safetensors", {"q.weight": ("F32", 2, 2)})
    with pytest.raises(LlmcalcError, match=r"q\.weight is in .*a\.safetensors already"):
        read(index)
    index.write_text(json.dumps({"weight_map": {"q.weight": "../a.safetensors"}}))
    with pytest.raises(LlmcalcError, match="is not a file here"):
        read(index)


def deep(path):
    text = b'{"a":' * 100_000
    path.write_bytes(struct.pack("<Q", len(text)) + text)


def lying(path):
    path.write_bytes(struct.pack("<Q", 50_000_000) + b'{"a"')


def unknown(path):
    write(path, {"q.weight": ("I32", 4, 4)})


def nested(path):
    write(path, {"a." * 200 + "weight": ("F32", 4, 4)})


def named(name, *shape):
    return lambda path: write(path, {name: ("F32", *(shape or (4, 4)))})


def adapter(path):
    write(path, {"q.lora_A.weight": ("F32", 4, 4)})


@pytest.mark.parametrize(
    ("name", "make", "named"),
    [
        ("model.safetensors", deep, "the header is not JSON"),
        ("model.safetensors", lying, "cut off"),
        ("model.safetensors", unknown, "q.weight (I32): this packing is not known"),
        ("model.safetensors", adapter, "holds an adapter, no model"),
        ("model.safetensors", nested, "no model is nested so deeply"),
        ("model.safetensors", named("q.\x1b[31m.weight"), "is no name of a tensor"),
        ("model.safetensors", named("q\n.weight"), "'q\\n.weight' is no name"),
        ("model.safetensors", named(f"l.{'9' * 5000}.q.weight"), "is no name"),
        ("model.safetensors", named("q.weight", 0, 5), "[0, 5] holds nothing"),
        ("model.safetensors", lambda p: write(p, {}), "holds no tensors"),
        ("pytorch_model.bin", lambda p: p.write_bytes(b"\x80\x02}q"), "can run code"),
        (
            "model.pt",
            lambda p: p.write_bytes(b"PK\x03\x04" + bytes(99)),
            "can run code",
        ),
        ("model.gguf", lambda p: p.write_bytes(b"GGUF\x03" + bytes(99)), "holds GGUF"),
        ("config.json", lambda p: p.write_bytes(b"[1]"), "holds no JSON object"),
        ("config.json", lambda p: p.write_bytes(b""), "config.json: is empty"),
        ("config.json", lambda p: p.write_bytes(b"{"), "cut off"),
        ("config.json", lambda p: p.write_bytes(b'{"a":1,"a":2}'), "names 'a' twice"),
        ("config.json", lambda p: p.write_bytes(b'{"a":{"b":1,"b":1}}'), "'b' twice"),
        ("config.json", lambda p: p.write_bytes(b'{"a":' * 99_999), "too deeply"),
        ("model-00001-of-00003.safetensors", unknown, "is one of 3 shards"),
    ],
)
def test_damage_and_other_files_are_one_line(tmp_path, name, make, named):
    make(tmp_path / name)
    with pytest.raises(LlmcalcError, match=re.escape(named)) as caught:
        read(tmp_path / name)
    assert "\n" not in str(caught.value)


def test_folders_without_a_model_say_what_they_hold(tmp_path):
    with pytest.raises(LlmcalcError, match="neither a config"):
        read(tmp_path)
    (tmp_path / "pytorch_model.bin").write_bytes(b"\x80\x02}q")
    with pytest.raises(LlmcalcError, match="can run code"):
        read(tmp_path)
    for name in ("a", "b"):
        write(tmp_path / f"{name}.safetensors", {"q.weight": ("F32", 2, 2)})
    with pytest.raises(LlmcalcError, match="2 safetensors files and no index|no index"):
        read(tmp_path)


TINY = Path(__file__).parents[1] / "cases" / "lora" / "base" / "tiny-llama"
EDITS = st.lists(st.tuples(st.integers(0, 900), st.binary(min_size=1, max_size=3)))


@settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(edits=EDITS, length=st.integers(0, 3000))
def test_a_damaged_header_is_read_or_refused(tmp_path, edits, length):
    data = bytearray((TINY / "model.safetensors").read_bytes()[: length or None])
    for place, change in edits:
        data[place : place + len(change)] = change
    path = tmp_path / "model.safetensors"
    path.write_bytes(data)
    try:
        model = read(path)
    except LlmcalcError as error:
        assert "\n" not in str(error)
    else:
        assert model.total >= 0
