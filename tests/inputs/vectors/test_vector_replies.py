"""What servers write: order, labels, element types, failures among good lines."""

import base64
import json

import numpy as np
import pytest

from llmcalc.errors import LlmcalcError


def refused(read, document, *words, filename="reply.json", **options):
    content = document if isinstance(document, str | bytes) else json.dumps(document)
    with pytest.raises(LlmcalcError) as caught:
        read(content, filename, **options)
    message = str(caught.value)
    assert message.startswith(filename)
    assert "\n" not in message
    for word in words:
        assert word in message, message


def reply(*vectors, indices=None):
    places = range(len(vectors)) if indices is None else indices
    return {
        "object": "list",
        "data": [
            {"object": "embedding", "index": i, "embedding": v}
            for i, v in zip(places, vectors, strict=True)
        ],
        "usage": {"prompt_tokens": 8},
    }


def test_rows_of_replies_count_on_and_are_named_by_line_and_index(read):
    first = reply([2.5, 0.1], [1.5, 0.1], indices=[1, 0])
    second = reply([3.5, 0.1], [4.5, 0.1], indices=[0, 1])
    found = read(json.dumps(first) + "\n\n" + json.dumps(second), "a.jsonl")
    assert found.rows[:, 0].tolist() == [1.5, 2.5, 3.5, 4.5]
    assert found.labels is None
    assert [found.place(i) for i in (1, 2)] == ["line 1, index 1", "line 3, index 0"]


def test_an_index_that_is_there_twice_is_refused(read):
    refused(read, reply([0.5], [0.6], indices=[3, 3]), "index 3", "twice")
    refused(read, reply([0.5], [0.6], indices=[0, None]), "entry 1", "missing")
    refused(read, reply([0.5], [0.6], indices=["a", 0]), "entry 0", "'a'")
    assert read(json.dumps(reply([0.5], [0.6], indices=[None, None]))).rows.shape


@pytest.mark.parametrize(
    ("dtype", "stored"),
    [("float16", "<f2"), ("float64", "<f8"), ("float32", "<f4"), ("int8", "i1")],
)
def test_base64_of_another_element_type_needs_its_name(read, dtype, stored):
    rows = np.array([[1, -2, 3, 0], [5, 6, -7, 8]], stored)
    encoded = [base64.b64encode(row.tobytes()).decode() for row in rows]
    found = read(json.dumps(reply(*encoded)), "vllm.json", dtype=dtype)
    assert found.rows.dtype == np.dtype(stored)
    np.testing.assert_array_equal(found.rows, rows)


def test_bfloat16_and_8_bit_floats_behind_base64(read):
    encoded = base64.b64encode(np.array([0x3F80, 0xC000], "<u2").tobytes()).decode()
    found = read(json.dumps(reply(encoded)), dtype="bf16")
    assert found.rows.tolist() == [[1.0, -2.0]]
    encoded = base64.b64encode(bytes([0x38, 0xC0])).decode()
    found = read(json.dumps(reply(encoded)), dtype="fp8")
    assert found.rows.tolist() == [[1.0, -2.0]]


def test_packed_bits_in_the_shape_of_openai_need_their_name(read):
    document = json.dumps(reply([-128, 127, 0], [1, -1, 2]))
    found = read(document, "jina.json")
    assert found.packed is None
    assert any("--dtype" in note for note in found.notes)
    found = read(document, "jina.json", dtype="binary")
    assert found.packed == "ubinary"
    assert found.rows.dtype == np.uint8
    assert found.rows.tolist() == [[0, 255, 128], [129, 127, 130]]
    refused(read, document, "component 0", "-128", "ubinary", dtype="ubinary")


def batch_line(name, body, status=200, error=None):
    response = {"status_code": status, "body": body}
    return {"id": "b", "custom_id": name, "response": response, "error": error}


def test_failed_requests_of_a_batch_are_named_and_the_others_are_read(read):
    lines = [
        batch_line("good", reply([0.1, 0.2])),
        batch_line("bad", {"error": {"message": "too\nlong"}}, 400),
        {"custom_id": "late", "response": None, "error": {"code": "expired"}},
        batch_line("two", reply([0.3, 0.4], [0.5, 0.6], indices=[1, 0])),
    ]
    found = read("\n".join(map(json.dumps, lines)), "batch.jsonl")
    assert found.labels == ["good", "two[0]", "two[1]"]
    assert found.rows.tolist() == [[0.1, 0.2], [0.5, 0.6], [0.3, 0.4]]
    assert [found.place(row) for row in (0, 2)] == ["line 1", "line 4, index 1"]
    failed = " ".join(found.notes)
    assert "line 2" in failed
    assert "bad failed: too long" in failed
    assert "late failed: expired" in failed


def test_a_batch_in_which_all_failed_says_why(read):
    line = json.dumps(batch_line("bad", {"error": {"message": "no model"}}, 404))
    refused(read, line, "no vector", "no model", filename="batch.jsonl")


def test_cohere_types_are_the_same_vectors_and_float_is_taken(read):
    document = {
        "id": "x",
        "embeddings": {"int8": [[1, -2]], "float": [[0.01, -0.02]], "binary": [[-128]]},
        "texts": ["hello"],
    }
    found = read(json.dumps(document))
    assert found.rows.tolist() == [[0.01, -0.02]]
    assert found.labels == ["hello"]
    assert any("float" in note and "int8" in note for note in found.notes)
    found = read(json.dumps(document), part="int8")
    assert found.rows.dtype == np.int8
    assert found.rows.tolist() == [[1, -2]]
    found = read(json.dumps(document), key="binary")
    assert (found.packed, found.rows.tolist()) == ("ubinary", [[0]])
    refused(read, document, "ubinary", "float, int8, binary", part="ubinary")


@pytest.mark.parametrize(
    ("kind", "values", "dtype", "expected"),
    [
        ("uint8", [0, 255], "u1", [0, 255]),
        ("ubinary", [0, 255], "u1", [0, 255]),
        ("binary", [-128, 127], "u1", [0, 255]),
        ("int8", [-128, 127], "i1", [-128, 127]),
    ],
)
def test_cohere_integer_types(read, kind, values, dtype, expected):
    found = read(json.dumps({"embeddings": {kind: [values]}, "id": "x"}))
    assert found.rows.dtype == np.dtype(dtype)
    assert found.rows.tolist() == [expected]
    assert found.packed == ("ubinary" if "binary" in kind else None)
    beyond = [[values[0] - 1, 0]]
    refused(read, {"embeddings": {kind: beyond}}, f"{values[0] - 1}", kind)


def test_titan_holds_the_same_vector_twice_and_it_counts_once(read):
    document = {
        "embedding": [0.1, 0.2],
        "embeddingsByType": {"float": [0.1, 0.2], "binary": [1, 0]},
        "inputTextTokenCount": 2,
    }
    assert read(json.dumps(document)).rows.tolist() == [[0.1, 0.2]]
    assert read(json.dumps(document), part="binary").rows.tolist() == [[1, -1]]


def test_one_vector_of_gemini_and_of_the_old_ollama(read):
    document = {"embedding": {"values": [0.5, 0.25]}, "usageMetadata": {"n": 3}}
    assert read(json.dumps(document)).rows.tolist() == [[0.5, 0.25]]
    assert read('{"embedding": [0.1, 1e-9]}').rows.tolist() == [[0.1, 1e-9]]


def test_vertex_batch_lines_are_labelled_by_what_was_asked(read):
    line = {
        "instance": {"content": "wet clay"},
        "predictions": [{"embeddings": {"values": [0.5, 0.1], "statistics": {}}}],
        "status": "",
    }
    assert read(json.dumps(line)).labels == ["wet clay"]


def test_multimodal_predictions_ask_which_embedding(read):
    prediction = {"textEmbedding": [0.5, 0.1], "imageEmbedding": [0.2, 0.3]}
    document = {"predictions": [prediction], "deployedModelId": "1"}
    refused(read, document, "textEmbedding, imageEmbedding", "--key")
    found = read(json.dumps(document), key="imageEmbedding")
    assert found.rows.tolist() == [[0.2, 0.3]]
    found = read(json.dumps({"predictions": [[0.5, 0.1], [0.2, 0.3]]}))
    assert found.rows.tolist() == [[0.5, 0.1], [0.2, 0.3]]


def test_nova_lists_embedding_objects(read):
    document = {"embeddings": [{"embeddingType": "TEXT", "embedding": [0.5, 0.1]}]}
    assert read(json.dumps(document)).rows.tolist() == [[0.5, 0.1]]


def test_replies_in_one_list_are_read_one_after_another(read):
    document = [reply([2.5], [1.5], indices=[1, 0]), reply([3.5])]
    found = read(json.dumps(document))
    assert found.rows[:, 0].tolist() == [1.5, 2.5, 3.5]


def test_noise_is_no_vector(read):
    plus = reply([0.1, 0.2], [0.3, 0.4])
    plus["cosineSimilarity"] = [[1.0, 0.98], [0.98, 1.0]]
    assert read(json.dumps(plus)).rows.shape == (2, 2)
    workers = {"shape": [1, 2], "data": [[0.1, 0.2]], "pooling": "mean"}
    assert read(json.dumps(workers)).rows.tolist() == [[0.1, 0.2]]
    workers["shape"] = [2, 2]
    refused(read, workers, "shape", "1 vectors")


@pytest.mark.parametrize(
    ("document", "words"),
    [
        ([[[0.1, 0.2], [0.3, 0.4]]], ["token", "pool"]),
        ([[{"index": 3, "value": 0.5}]], ["sparse"]),
        ([{"index": 0, "embedding": [[0.1], [0.2]]}], ["token", "--pooling"]),
        (reply([[0.1, 0.2], [0.3, 0.4]]), ["token"]),
        ({"data": [{"index": 0, "embeddings": [[0.1]]}]}, ["token"]),
        ({"data": [{"index": 0, "object": "pooling", "data": [[0.1]]}]}, ["token"]),
        (reply([0.1, None]), ["index 0", "component 1", "null"]),
        (reply(None), ["null"]),
        (reply([0.1, "x"]), ["component 1", "'x'"]),
        (reply([0.1, True]), ["component 1", "true"]),
        (reply([1.0, 10**400]), ["component 1", "beyond"]),
        (reply([]), ["empty"]),
        (reply([0.1, 0.2], [0.3]), ["index 1", "1", "2"]),
        (reply("AAAA"), ["3 bytes"]),
        (reply("not base64!!"), ["base64"]),
        (reply("AADAfw=="), ["nan"]),
        ({"object": "list", "data": []}, ["no vector"]),
        ({"embeddings": []}, ["no vector"]),
        ({"error": {"message": "model not found"}}, ["server", "model not found"]),
        ({"error": "an error was encountered"}, ["an error was encountered"]),
        (None, ["null", "collection"]),
        ({"choices": [{"text": "hi"}]}, ["choices", "openai, cloudflare"]),
        ({"tokens": [1, 2, 3]}, ["tokens", "known"]),
        ({"a": 1, "b": 2}, ["known"]),
        ([], ["nothing"]),
        ([True, False], ["bool"]),
        (["0.1", "0.2"], ["str"]),
        ([0.1, float("nan")], ["component 1", "nan"]),
        ([0.1, float("inf")], ["component 1", "inf"]),
        ([[1.0, 2.0], [1.0, float("nan")]], ["index 1", "component 1", "nan"]),
    ],
)
def test_what_is_no_vector_is_refused_with_its_place(read, document, words):
    refused(read, document, *words)


def test_a_number_beyond_a_double_is_refused(read):
    refused(read, "[1.0, 1e999]", "component 1", "inf")


def test_a_cut_file_is_named_with_its_line(read):
    whole = json.dumps(reply([0.1, 0.2]))
    refused(read, whole + "\n" + whole[:60], "line 2", "cut off")


def test_similar_of_llm_holds_no_vectors(read):
    line = {"id": "1", "score": 0.9, "content": "x", "metadata": None}
    refused(read, line, "no vector", "known")
