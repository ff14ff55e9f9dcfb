"""Records, dumps of vector databases: which field is the vector, which the label."""

import json

import numpy as np
import pytest

from llmcalc.errors import LlmcalcError


def refused(read, document, *words, filename="dump.json", **options):
    with pytest.raises(LlmcalcError) as caught:
        read(json.dumps(document), filename, **options)
    message = str(caught.value)
    assert message.startswith(filename)
    for word in words:
        assert word in message, message


@pytest.mark.parametrize(
    "name", ["embedding", "embeddings", "vector", "vec", "values", "dense_vector"]
)
def test_known_names_come_before_other_lists_of_numbers(read, name):
    record = {"id": 7, "tokens": [1, 2], "bbox2": [0.1, 0.2, 0.3], name: [0.5, 0.25]}
    found = read(json.dumps(record) + "\n" + json.dumps(record), "a.jsonl")
    assert found.rows.tolist() == [[0.5, 0.25]] * 2
    assert found.labels == [7, 7]


def test_the_only_list_of_numbers_is_the_vector_under_any_name(read):
    record = {"_id": "a", "score": 0.5, "tags": ["x"], "e": [0.5, 0.25]}
    assert read(json.dumps(record)).rows.tolist() == [[0.5, 0.25]]


def test_two_candidates_are_asked_about_and_the_key_decides(read):
    record = {"id": "a", "title_vector": [0.1, 0.2], "body_vector": [0.3, 0.4]}
    refused(read, record, "which", "--key", "title_vector, body_vector")
    assert read(json.dumps(record), key="body_vector").rows.tolist() == [[0.3, 0.4]]
    refused(read, record, "no field 'x'", "title_vector", key="x")
    record = {"id": "a", "embedding": [0.1, 0.2], "vector": [0.3, 0.4]}
    refused(read, record, "embedding, vector")


@pytest.mark.parametrize(
    ("record", "label"),
    [
        ({"text": "t", "name": "n", "id": "i", "custom_id": "c"}, "c"),
        ({"text": "t", "word": "w", "id": "i"}, "i"),
        ({"text": "t", "word": "w"}, "w"),
        ({"content": "c", "text": "t"}, "t"),
        ({"_id": {"$oid": "65f"}}, "65f"),
        ({"id": None, "text": "t"}, "t"),
        ({"id": 0}, 0),
    ],
)
def test_an_id_labels_before_a_word_before_a_text(read, record, label):
    record["embedding"] = [0.5, 0.25]
    assert read(json.dumps(record)).labels == [label]


def test_rows_without_a_label_are_called_by_their_index(read):
    records = [{"embedding": [0.1]}, {"id": "b", "embedding": [0.2]}]
    assert read(json.dumps(records)).labels == [0, "b"]
    assert read(json.dumps(records[:1] * 2)).labels is None


@pytest.mark.parametrize(
    "text",
    ["[0.5,-0.25]", "[ 0.5 -0.25]", "{0.5,-0.25}", "[0.5, -2.5e-1]", "(0.5, -0.25)"],
)
def test_a_vector_that_is_text_is_read(read, text):
    found = read(json.dumps({"id": 1, "embedding": text}))
    assert found.rows.tolist() == [[0.5, -0.25]]


def test_typed_arrays_of_javascript_are_objects_that_count(read):
    record = {"id": "a", "embedding": {"0": 0.5, "1": 0.25}}
    assert read(json.dumps(record)).rows.tolist() == [[0.5, 0.25]]
    reply = {"data": [{"index": 0, "embedding": {"0": 0.5, "1": 0.25}}]}
    assert read(json.dumps(reply)).rows.tolist() == [[0.5, 0.25]]


def test_broken_records_are_named_by_line(read):
    good = {"id": "a", "embedding": [0.1, 0.2]}
    for bad, words in [
        ({"id": "b", "embedding": None}, ["null"]),
        ({"id": "b", "embedding": [0.1]}, ["1 components", "has 2"]),
        ({"id": "b", "embedding": "[0.1 ... 0.2]"}, ["shortened"]),
        ({"id": "b", "embedding": 7}, ["7"]),
        ({"id": "b", "text": "x"}, ["no vector"]),
        ({"id": "b", "embedding": {"indices": [1], "values": [0.5]}}, ["sparse"]),
    ]:
        content = json.dumps(good) + "\n\n" + json.dumps(bad)
        with pytest.raises(LlmcalcError) as caught:
            read(content, "a.jsonl")
        message = str(caught.value)
        assert message.startswith("a.jsonl: line 3")
        assert all(word in message for word in words), message


def test_chroma(read):
    document = {"ids": [["a", "b"]], "embeddings": [[[0.1, 0.2], [0.3, 0.4]]]}
    found = read(json.dumps(document))
    assert found.labels == ["a", "b"]
    assert found.rows.shape == (2, 2)
    refused(read, {"ids": ["a"], "embeddings": None}, "null", "include")
    refused(read, {"ids": ["a"], "embeddings": [[0.1], [0.2]]}, "1 ids", "2")


def test_qdrant(read):
    points = [{"id": 3, "payload": None, "vector": {"title": [0.1], "body": [0.2]}}]
    document = {"result": points, "status": "ok"}
    refused(read, document, "named vectors", "title, body")
    assert read(json.dumps(document), key="body").rows.tolist() == [[0.2]]
    points[0]["vector"] = {"title": [0.1], "text": {"indices": [1], "values": [0.5]}}
    assert read(json.dumps(document)).rows.tolist() == [[0.1]]
    del points[0]["vector"]
    refused(read, document, "point 3", "with_vector")
    one = {"result": {"id": "u", "payload": {}, "vector": [0.5, 0.1]}, "status": "ok"}
    assert read(json.dumps(one)).labels == ["u"]


def test_pinecone(read):
    document = {"matches": [{"id": "a", "score": 0.9, "values": [0.1, 0.2]}]}
    found = read(json.dumps(document))
    assert (found.labels, found.rows.tolist()) == (["a"], [[0.1, 0.2]])
    document = {"matches": [{"id": "a", "score": 0.9, "values": []}]}
    refused(read, document, "include_values")


def test_weaviate(read):
    document = {
        "data": {"Get": {"Doc": [{"_additional": {"id": "a", "vector": [0.1, 0.2]}}]}}
    }
    found = read(json.dumps(document))
    assert (found.labels, found.rows.tolist()) == (["a"], [[0.1, 0.2]])
    entry = {"id": "a", "properties": {}, "vectors": {"t": [0.1], "b": [0.2]}}
    refused(read, {"objects": [entry]}, "t, b")
    assert read(json.dumps({"objects": [entry]}), key="b").rows.tolist() == [[0.2]]


def test_elasticsearch_dump_lines(read):
    line = {"_index": "i", "_id": "a", "_source": {"my_embedding": [0.1, 0.2]}}
    found = read(json.dumps(line) + "\n" + json.dumps(line), "dump.jsonl")
    assert (found.labels, found.rows.shape) == (["a", "a"], (2, 2))


def test_milvus_and_supabase_wrap_their_records(read):
    for wrap in ({"code": 0, "cost": 0}, {"error": None}):
        for field in ("vector", "embedding"):
            document = {**wrap, "data": [{"id": 5, "text": "t", field: [0.1, 0.2]}]}
            found = read(json.dumps(document))
            assert found.labels == [5]
            np.testing.assert_array_equal(found.rows, [[0.1, 0.2]])


def test_llama_index_names_what_is_ragged(read):
    refused(read, {"embedding_dict": {"a": [0.1], "b": [0.1, 0.2]}}, "index 1", "2")
