"""Files that the real libraries wrote are read back the same."""

import numpy as np
import pytest

from llmcalc.errors import LlmcalcError
from llmcalc.inputs.source import Source
from llmcalc.inputs.vectors.vector_set import VectorOptions, read_vectors

pytestmark = pytest.mark.reference
ROWS = np.random.default_rng(5).normal(size=(40, 12)).astype(np.float32)
LABELS = [f"word{i}" for i in range(38)] + ["Zürich", "東京"]


def read(path, part=None, **options):
    return read_vectors(Source(path.name, str(path), part), VectorOptions(**options))


def refused(path, *words, part=None):
    with pytest.raises(LlmcalcError) as caught:
        read(path, part)
    assert str(caught.value).startswith(path.name)
    for word in words:
        assert word in str(caught.value), str(caught.value)


@pytest.fixture
def keyed():
    models = pytest.importorskip("gensim.models")
    vectors = models.KeyedVectors(ROWS.shape[1])
    vectors.add_vectors(LABELS, ROWS)
    return vectors


@pytest.mark.parametrize("binary", [False, True])
def test_gensim(tmp_path, keyed, binary):
    path = tmp_path / "vectors.w2v"
    keyed.save_word2vec_format(str(path), binary=binary)
    found = read(path)
    assert list(found.labels) == LABELS
    assert found.format == ("word2vec-binary" if binary else "word2vec")
    np.testing.assert_array_equal(found.rows.astype(np.float32), ROWS)


def test_gensim_without_a_header(tmp_path, keyed):
    path = tmp_path / "vectors.txt"
    keyed.save_word2vec_format(str(path), write_header=False)
    found = read(path)
    assert (found.format, list(found.labels)) == ("glove", LABELS)
    np.testing.assert_array_equal(found.rows.astype(np.float32), ROWS)


@pytest.mark.parametrize("dtype", ["float32", "float16", "float64", "int8"])
def test_safetensors(tmp_path, dtype):
    writer = pytest.importorskip("safetensors.numpy")
    rows = (ROWS * 20).astype(dtype)
    path = tmp_path / "a.safetensors"
    writer.save_file({"embeddings": rows}, path)
    found = read(path)
    assert found.rows.dtype == rows.dtype
    np.testing.assert_array_equal(found.rows, rows)


@pytest.mark.parametrize("dtype", ["bfloat16", "float8_e4m3fn", "float8_e5m2"])
def test_safetensors_of_torch(tmp_path, dtype):
    torch = pytest.importorskip("torch")
    writer = pytest.importorskip("safetensors.torch")
    rows = torch.from_numpy(ROWS).to(getattr(torch, dtype))
    path = tmp_path / "a.safetensors"
    writer.save_file({"embeddings": rows}, path)
    np.testing.assert_array_equal(read(path).rows, rows.to(torch.float32).numpy())


@pytest.mark.parametrize("kind", ["list", "large", "fixed", "half", "double", "text"])
@pytest.mark.parametrize("ending", ["parquet", "arrow", "stream"])
def test_arrow(tmp_path, kind, ending):
    pa = pytest.importorskip("pyarrow")
    column = {
        "list": lambda: pa.array(ROWS.tolist(), pa.list_(pa.float32())),
        "large": lambda: pa.array(ROWS.tolist(), pa.large_list(pa.float32())),
        "fixed": lambda: pa.FixedSizeListArray.from_arrays(pa.array(ROWS.ravel()), 12),
        "half": lambda: pa.array(list(ROWS.astype("f2")), pa.list_(pa.float16())),
        "double": lambda: pa.array(ROWS.tolist(), pa.list_(pa.float64())),
        "text": lambda: pa.array([str(row) for row in ROWS.tolist()]),
    }[kind]()
    numbers = pa.array(range(len(ROWS)))
    table = pa.table({"n": numbers, "text": LABELS, "embedding": column})
    path = tmp_path / f"a.{ending}"
    write(table, path, ending)
    found = read(path)
    expected = ROWS.astype(np.float16) if kind == "half" else ROWS
    np.testing.assert_array_equal(found.rows, expected)
    assert list(found.labels) == LABELS
    assert found.where(3) == f"a.{ending}:embedding: index 3 (label 'word3')"


def write(table, path, ending):
    import pyarrow as pa
    import pyarrow.parquet as pq

    if ending == "parquet":
        pq.write_table(table, path, row_group_size=7)
        return
    opened = pa.ipc.new_file if ending == "arrow" else pa.ipc.new_stream
    with opened(path, table.schema) as writer:
        writer.write_table(table, max_chunksize=9)


def test_arrow_that_is_no_matrix(tmp_path):
    pa = pytest.importorskip("pyarrow")
    pq = pytest.importorskip("pyarrow.parquet")
    path = tmp_path / "a.parquet"
    for rows, words in [
        ([[1.0, 2.0], None], ["index 1", "null"]),
        ([[1.0, 2.0], [1.0, None]], ["index 1", "component 1", "null"]),
        ([[1.0, 2.0], [3.0]], ["index 1", "1 components", "2"]),
        ([[1.0, 2.0], [3.0, float("nan")]], ["index 1", "component 1", "nan"]),
        ([[], []], ["no vector"]),
    ]:
        pq.write_table(pa.table({"v": pa.array(rows, pa.list_(pa.float64()))}), path)
        refused(path, *words)
    pq.write_table(pa.table({"a": [[1.0]], "b": [[2.0]]}), path)
    refused(path, "a, b")
    refused(path, "no column 'x'", "a, b", part="x")
    assert read(path, "b").rows.tolist() == [[2.0]]
    pq.write_table(pa.table({"a": [1.0], "b": ["x"]}), path)
    refused(path, "no column holds")
    for cell, words in [(None, "null"), ("", "empty"), ("[1]", "1 components")]:
        pq.write_table(pa.table({"id": ["a", "b"], "vector": ["[1,2]", cell]}), path)
        refused(path, ":vector: index 1 (label 'b'): ", words)
    path.write_bytes(path.read_bytes()[:-9])
    refused(path, "damaged")


def test_pandas_tables(tmp_path):
    pd = pytest.importorskip("pandas")
    doubles = ROWS.astype(float)
    frame = pd.DataFrame(doubles, index=LABELS)
    frame.to_csv(tmp_path / "wide.csv")
    found = read(tmp_path / "wide.csv")
    assert list(found.labels) == LABELS
    np.testing.assert_array_equal(found.rows, doubles)
    frame = pd.DataFrame({"text": LABELS, "embedding": list(doubles)})
    frame.to_json(
        tmp_path / "r.jsonl", orient="records", lines=True, double_precision=15
    )
    found = read(tmp_path / "r.jsonl")
    assert list(found.labels) == LABELS
    np.testing.assert_allclose(found.rows, doubles, rtol=0, atol=1e-14)
    frame.to_csv(tmp_path / "cells.csv", index=False)
    found = read(tmp_path / "cells.csv")
    assert list(found.labels) == LABELS
    np.testing.assert_allclose(found.rows, doubles, rtol=0, atol=1e-7)


def test_a_vector_of_2000_in_a_pandas_cell_is_shortened_and_refused(tmp_path):
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame({"text": ["a"], "embedding": [np.ones(2000)]})
    frame.to_csv(tmp_path / "cells.csv", index=False)
    refused(tmp_path / "cells.csv", "line 2", "shortened")
