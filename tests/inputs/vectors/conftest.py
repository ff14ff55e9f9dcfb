"""A writer for each vector format, and a reader of what they wrote."""

import base64
import io
import json
import sqlite3
import struct
from typing import NamedTuple

import numpy as np
import pytest
from databases import database_bytes

from llmcalc.inputs.source import Source
from llmcalc.inputs.vectors.vector_set import VectorOptions, read_vectors


class Writer(NamedTuple):
    """A format: the file's name, its bytes for rows and labels, whether it has labels.

    ``family`` is the name in the table of formats; ``labels`` "own" are those given.
    """

    family: str
    filename: str
    write: object
    labelled: bool = False
    dtype: str | None = None
    part: str | None = None


def floats(row):
    return [float(x) for x in row]


def b64(row):
    return base64.b64encode(row.astype("<f4").tobytes()).decode()


def openai_reply(rows, encode=floats, shuffled=True):
    order = list(range(len(rows)))[::-1] if shuffled else range(len(rows))
    data = [
        {"object": "embedding", "index": i, "embedding": encode(rows[i])} for i in order
    ]
    usage = {"prompt_tokens": 3, "total_tokens": 3}
    return {"object": "list", "data": data, "model": "m", "usage": usage}


def text(document):
    return json.dumps(document).encode()


def lines(documents):
    return "".join(json.dumps(document) + "\n" for document in documents).encode()


def batch(rows, labels):
    return lines(
        {
            "id": f"batch_req_{i}",
            "custom_id": label,
            "response": {"status_code": 200, "body": openai_reply([row])},
            "error": None,
        }
        for i, (row, label) in enumerate(zip(rows, labels, strict=True))
    )


def records(rows, labels, field="embedding"):
    return lines(
        {"id": label, "text": f"text {i}", "score": 0.5, field: floats(row)}
        for i, (row, label) in enumerate(zip(rows, labels, strict=True))
    )


def word_lines(rows, labels, end="\n"):
    return "".join(
        f"{label} {' '.join(map(repr, floats(row)))}{end}"
        for row, label in zip(rows, labels, strict=True)
    )


def word2vec_text(rows, labels):
    header = f"{len(rows)} {len(rows[0])}\n"
    return (header + word_lines(rows, labels, " \n")).encode()


def word2vec_binary(rows, labels, newline=b"\n"):
    body = b"".join(
        label.encode() + b" " + row.astype("<f4").tobytes() + newline
        for row, label in zip(rows, labels, strict=True)
    )
    return f"{len(rows)} {len(rows[0])}\n".encode() + body


def npy(rows, labels):
    file = io.BytesIO()
    np.save(file, rows)
    return file.getvalue()


def npz(rows, labels, save=np.savez):
    file = io.BytesIO()
    save(file, embeddings=rows, labels=np.array(labels))
    return file.getvalue()


def safetensors(tensors):
    header, data = {}, b""
    for name, (dtype, array) in tensors.items():
        raw = array.tobytes()
        offsets = [len(data), len(data) + len(raw)]
        header[name] = {
            "dtype": dtype,
            "shape": list(array.shape),
            "data_offsets": offsets,
        }
        data += raw
    head = json.dumps(header).encode()
    return struct.pack("<Q", len(head)) + head + data


def texmex(rows, labels):
    return b"".join(
        struct.pack("<i", len(row)) + row.astype("<f4").tobytes() for row in rows
    )


def big_ann(rows, labels):
    return struct.pack("<II", *rows.shape) + rows.astype("<f4").tobytes()


def csv_components(rows, labels):
    head = "name," + ",".join(f"x{i}" for i in range(len(rows[0])))
    body = [
        f'"{label}",{",".join(map(repr, floats(row)))}'
        for row, label in zip(rows, labels, strict=True)
    ]
    return "\r\n".join([head, *body, ""]).encode()


def csv_cells(rows, labels):
    body = [
        f'"{label}",7,"{floats(row)}"' for row, label in zip(rows, labels, strict=True)
    ]
    return "\n".join(["text,n_tokens,embedding", *body, ""]).encode()


def tsv_components(rows, labels):
    return "".join(
        "\t".join([label, *map(repr, floats(row))]) + "\n"
        for row, label in zip(rows, labels, strict=True)
    ).encode()


def pg_copy(rows, labels):
    return "".join(
        f"{label}\t{json.dumps(floats(row), separators=(',', ':'))}\t\\N\n"
        for row, label in zip(rows, labels, strict=True)
    ).encode()


def numpy_print(rows, labels):
    inner = [f"[{' '.join(map(repr, floats(row)))}]" for row in rows]
    return ("[" + "\n ".join(inner) + "]\n").encode()


def llm_database(rows, labels):
    connection = sqlite3.connect(":memory:")
    connection.executescript(
        "create table collections (id integer primary key, name text, model text);"
        "create table embeddings (collection_id integer, id text, embedding blob,"
        " content text, primary key (collection_id, id));"
    )
    connection.executemany(
        "insert into collections values (?, ?, 'm')", [(1, "notes"), (2, "other")]
    )
    connection.executemany(
        "insert into embeddings values (?, ?, ?, null)",
        [
            (1, label, row.astype("<f4").tobytes())
            for row, label in zip(rows, labels, strict=True)
        ],
    )
    connection.commit()
    return database_bytes(connection)


def named(rows, labels, make):
    return {
        label: make(label, floats(row)) for row, label in zip(rows, labels, strict=True)
    }


def points(rows, labels, make):
    return list(named(rows, labels, make).values())


def floats_of(rows):
    return [floats(row) for row in rows]


WRITERS = [
    Writer("openai", "a.json", lambda r, n: text(openai_reply(r))),
    Writer("openai", "b64.json", lambda r, n: text(openai_reply(r, b64))),
    Writer("openai", "a.jsonl", lambda r, n: lines(openai_reply([x]) for x in r)),
    Writer(
        "openai",
        "indented.json",
        lambda r, n: json.dumps(openai_reply(r), indent=1).encode(),
    ),
    Writer(
        "openai",
        "voyage.json",
        lambda r, n: text(
            {
                "object": "list",
                "data": [
                    {
                        "object": "list",
                        "index": i,
                        "data": [
                            {
                                "object": "embedding",
                                "embedding": floats(row),
                                "index": 0,
                            }
                        ],
                    }
                    for i, row in reversed(list(enumerate(r)))
                ],
            }
        ),
    ),
    Writer("batch", "batch.jsonl", batch, True),
    Writer(
        "batch",
        "gemini_batch.jsonl",
        lambda r, n: lines(
            {"key": label, "response": {"embedding": {"values": floats(row)}}}
            for row, label in zip(r, n, strict=True)
        ),
        True,
    ),
    Writer(
        "cloudflare",
        "workers.json",
        lambda r, n: text(
            {
                "result": {"shape": list(r.shape), "data": floats_of(r)},
                "success": True,
                "errors": [],
            }
        ),
    ),
    Writer(
        "gemini",
        "gemini.json",
        lambda r, n: text({"embeddings": [{"values": v} for v in floats_of(r)]}),
    ),
    Writer(
        "gemini",
        "vertex.json",
        lambda r, n: text(
            {
                "predictions": [
                    {"embeddings": {"statistics": {"token_count": 6}, "values": v}}
                    for v in floats_of(r)
                ]
            }
        ),
    ),
    Writer(
        "bedrock",
        "titan.jsonl",
        lambda r, n: lines(
            {
                "embedding": v,
                "embeddingsByType": {"float": v},
                "inputTextTokenCount": 7,
            }
            for v in floats_of(r)
        ),
    ),
    Writer(
        "chroma",
        "chroma.json",
        lambda r, n: text(
            {
                "ids": list(n),
                "embeddings": floats_of(r),
                "documents": ["d"] * len(n),
                "metadatas": None,
                "included": ["embeddings"],
            }
        ),
        True,
    ),
    Writer(
        "cohere",
        "cohere.json",
        lambda r, n: text(
            {
                "id": "1",
                "texts": list(n),
                "embeddings": floats_of(r),
                "response_type": "embeddings_floats",
            }
        ),
        True,
    ),
    Writer(
        "cohere",
        "cohere_v2.json",
        lambda r, n: text(
            {
                "id": "1",
                "texts": list(n),
                "embeddings": {"base64": [b64(x) for x in r]},
                "response_type": "embeddings_by_type",
            }
        ),
        True,
    ),
    Writer(
        "ollama",
        "ollama.json",
        lambda r, n: text(
            {"model": "m", "embeddings": floats_of(r), "total_duration": 14143917}
        ),
    ),
    Writer(
        "ollama",
        "old.jsonl",
        lambda r, n: lines({"embedding": v} for v in floats_of(r)),
    ),
    Writer(
        "llama-server",
        "llama.json",
        lambda r, n: text(
            [
                {"index": i, "embedding": [v]}
                for i, v in reversed(list(enumerate(floats_of(r))))
            ]
        ),
    ),
    Writer(
        "qdrant",
        "qdrant.json",
        lambda r, n: text(
            {
                "result": {
                    "points": points(
                        r, n, lambda i, v: {"id": i, "payload": {}, "vector": v}
                    ),
                    "next_page_offset": None,
                },
                "status": "ok",
                "time": 0.001,
            }
        ),
        True,
    ),
    Writer(
        "pinecone",
        "pinecone.json",
        lambda r, n: text(
            {
                "vectors": named(r, n, lambda i, v: {"id": i, "values": v}),
                "namespace": "",
                "usage": {"readUnits": 1},
            }
        ),
        True,
    ),
    Writer(
        "weaviate",
        "weaviate.json",
        lambda r, n: text(
            {
                "objects": points(
                    r,
                    n,
                    lambda i, v: {
                        "class": "A",
                        "id": i,
                        "properties": {"text": "t"},
                        "vector": v,
                    },
                )
            }
        ),
        True,
    ),
    Writer(
        "elasticsearch",
        "hits.json",
        lambda r, n: text(
            {
                "hits": {
                    "hits": points(
                        r,
                        n,
                        lambda i, v: {
                            "_id": i,
                            "_score": 1.0,
                            "_source": {"title": "t", "title_vector": v},
                        },
                    )
                }
            }
        ),
        True,
    ),
    Writer(
        "llama-index",
        "default__vector_store.json",
        lambda r, n: text(
            {
                "embedding_dict": named(r, n, lambda _, v: v),
                "text_id_to_ref_doc_id": {},
                "metadata_dict": {},
            }
        ),
        True,
    ),
    Writer(
        "langchain",
        "store.json",
        lambda r, n: text(
            named(
                r,
                n,
                lambda i, v: {"id": i, "vector": v, "text": "t", "metadata": {}},
            )
        ),
        True,
    ),
    Writer("records", "records.jsonl", records, True),
    Writer("records", "odd.jsonl", lambda r, n: records(r, n, "v"), True),
    Writer(
        "records",
        "rest.json",
        lambda r, n: text(
            points(r, n, lambda i, v: {"id": i, "content": "c", "embedding": str(v)})
        ),
        True,
    ),
    Writer("arrays", "tei.json", lambda r, n: text(floats_of(r))),
    Writer("arrays", "rows.jsonl", lambda r, n: lines(floats_of(r))),
    Writer(
        "llama-embedding",
        "print.txt",
        lambda r, n: f"\nembedding 0: {' '.join(map(repr, floats(r[0])))}\n".encode(),
    ),
    Writer(
        "llm",
        "hex.txt",
        lambda r, n: "".join(x.tobytes().hex() + "\n" for x in r).encode(),
    ),
    Writer("llm", "b64.txt", lambda r, n: "".join(b64(x) + "\n" for x in r).encode()),
    Writer("word2vec", "w2v.txt", word2vec_text, True),
    Writer("glove", "glove.txt", lambda r, n: word_lines(r, n).encode(), True),
    Writer("pgvector", "copy.txt", pg_copy, True),
    Writer("printed", "print.out", numpy_print),
    Writer("table", "components.csv", csv_components, True),
    Writer("table", "cells.csv", csv_cells, True),
    Writer("table", "labelled.tsv", tsv_components, True),
    Writer(
        "numbers",
        "rows.txt",
        lambda r, n: "".join(" ".join(map(repr, floats(x))) + "\n" for x in r).encode(),
    ),
    Writer("npy", "a.npy", npy),
    Writer("npz", "a.npz", npz, True),
    Writer("npz", "deflated.npz", lambda r, n: npz(r, n, np.savez_compressed), True),
    Writer(
        "safetensors",
        "a.safetensors",
        lambda r, n: safetensors({"embeddings": ("F32", r.astype("<f4"))}),
    ),
    Writer("llm-database", "embeddings.db", llm_database, True, None, "notes"),
    Writer("word2vec-binary", "w2v.bin", word2vec_binary, True),
    Writer(
        "word2vec-binary", "gensim.bin", lambda r, n: word2vec_binary(r, n, b""), True
    ),
    Writer("texmex", "a.fvecs", texmex),
    Writer("big-ann", "a.fbin", big_ann),
    Writer(
        "raw",
        "a.bin",
        lambda r, n: r.astype("<f4").tobytes(),
        False,
        "float32x6",
    ),
    Writer("raw", "blob", lambda r, n: r[0].astype("<f4").tobytes() + b"\n"),
]


JSON_WRITERS = [w for w in WRITERS if w.filename.endswith((".json", ".jsonl"))]


def pytest_generate_tests(metafunc):
    for fixture, writers in (("writer", WRITERS), ("json_writer", JSON_WRITERS)):
        if fixture in metafunc.fixturenames:
            ids = [f"{writer.family}-{writer.filename}" for writer in writers]
            metafunc.parametrize(fixture, writers, ids=ids)


@pytest.fixture(scope="session")
def writers():
    return WRITERS


@pytest.fixture(scope="session")
def read(tmp_path_factory):
    """Return a function: bytes or text, a file's name, options -> VectorSet."""
    folder = tmp_path_factory.mktemp("vectors")

    def reading(content, filename="a.txt", part=None, **options):
        path = folder / filename
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        source = Source(filename, str(path), part)
        return read_vectors(source, VectorOptions(**options))

    return reading
