"""What a writer of each format wrote is read back the same, digit for digit."""

import gzip
import io
import os
import sys

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from llmcalc.inputs.source import Source
from llmcalc.inputs.vectors.families import FAMILIES
from llmcalc.inputs.vectors.vector_set import VectorOptions, read_vectors

ROWS = np.array(
    [
        [0.1, -2.5, 3e-20, 1.0, 0.0, 7.25],
        [1e30, -0.333, 2.0, 1e-8, 5.5, -1.0],
        [0.3, 0.2, 0.1, -0.7, 0.9, 1e-3],
    ],
    np.float32,
)
LABELS = ["doc-7", "a slate roof", "Zürich"]


def labels_for(writer):
    # word2vec's binary ends a word at its first blank.
    binary = writer.family == "word2vec-binary"
    return [label.replace(" ", "_") if binary else label for label in LABELS]


def test_every_family_has_a_writer(writers):
    # Arrow is written by its own library, in the reference tests.
    wanted = {family.name for family in FAMILIES} - {"arrow"}
    assert {writer.family for writer in writers} == wanted


def check(writer, rows, labels, found):
    if writer.family == "llama-embedding" or writer.filename == "blob":
        rows = rows[:1]
    np.testing.assert_array_equal(found.rows, rows)
    assert found.rows.dtype == np.float32
    assert found.format == writer.family
    assert list(found.labels or []) == (list(labels) if writer.labelled else [])
    assert found.packed is None


def test_rows_and_labels_come_back(writer, read):
    labels = labels_for(writer)
    content = writer.write(ROWS, labels)
    found = read(content, writer.filename, writer.part, dtype=writer.dtype)
    check(writer, ROWS, labels, found)
    assert found.notes == []
    assert len({found.place(row) for row in range(len(found.rows))}) == len(found.rows)


def test_compressed_files_are_the_same(writer, read):
    labels = labels_for(writer)
    content = gzip.compress(writer.write(ROWS, labels))
    found = read(content, writer.filename + ".gz", writer.part, dtype=writer.dtype)
    check(writer, ROWS, labels, found)


@pytest.mark.parametrize("seekable", [True, False])
def test_standard_input_is_the_same(writer, seekable, monkeypatch):
    labels = labels_for(writer)
    content = writer.write(ROWS, labels)
    if seekable:
        stream = io.BufferedReader(io.BytesIO(content), 512)
    else:
        inlet, outlet = os.pipe()
        os.write(outlet, content)
        os.close(outlet)
        stream = os.fdopen(inlet, "rb")
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(stream))
    # Without a name, the type of what has it only there must be told.
    nameless = writer.family in ("texmex", "big-ann")
    options = VectorOptions(dtype="float32" if nameless else writer.dtype)
    found = read_vectors(Source("<stdin>", None, writer.part), options)
    check(writer, ROWS, labels, found)
    sys.stdin.close()


FLOATS = st.floats(width=32, allow_nan=False, allow_infinity=False)


@settings(max_examples=8, suppress_health_check=[HealthCheck.too_slow], deadline=None)
@given(data=st.data())
def test_any_float32_comes_back(writer, read, data):
    count = data.draw(st.integers(2, 4))
    width = 6 if writer.dtype else data.draw(st.integers(4, 9))
    rows = data.draw(hnp.arrays(np.float32, (count, width), elements=FLOATS))
    # Whole numbers alone could be anything: ids, bits, a header.
    rows[:, 1] = np.float32(0.37)
    if writer.family == "raw":
        rows[:, 2] = 1.0  # bytes without a zero among them may be text
    labels = [f"w{number}" for number in range(count)]
    content = writer.write(rows, labels)
    found = read(content, writer.filename, writer.part, dtype=writer.dtype)
    check(writer, rows, labels, found)
