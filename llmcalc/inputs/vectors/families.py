"""The table of vector formats: a row each, in the order in which they are tried.

Every family is a file of its own: how it is recognised, how it is read. Cheap to
import; numpy and json load when a file is read.
"""

from typing import Any

from llmcalc.errors import LlmcalcError
from llmcalc.inputs.vectors import (
    arrow_table,
    batch,
    bedrock,
    big_ann,
    chroma,
    cloudflare,
    cohere,
    delimited_table,
    elasticsearch,
    gemini,
    json_lines,
    langchain,
    llama_index,
    llama_print,
    llama_server,
    llm_database,
    llm_text,
    npy_file,
    npz_file,
    number_arrays,
    number_rows,
    ollama,
    openai,
    pg_copy,
    pinecone,
    printed,
    qdrant,
    raw_bytes,
    safetensors_file,
    texmex,
    weaviate,
    word2vec_binary,
    words,
)
from llmcalc.inputs.vectors.byte_input import ByteInput
from llmcalc.inputs.vectors.family import ByteFamily, JsonFamily, TextFamily
from llmcalc.inputs.vectors.text_input import HEAD_LINES, TextInput

JSON = (
    JsonFamily("batch", "batch files", batch.recognise, batch.rows),
    JsonFamily("openai", "OpenAI embeddings", openai.recognise, openai.rows),
    JsonFamily("cloudflare", "Workers AI", cloudflare.recognise, cloudflare.rows),
    JsonFamily("gemini", "Gemini and Vertex AI", gemini.recognise, gemini.rows),
    JsonFamily("bedrock", "Bedrock Titan", bedrock.recognise, bedrock.rows),
    JsonFamily("chroma", "Chroma", chroma.recognise, chroma.rows),
    JsonFamily("cohere", "Cohere", cohere.recognise, cohere.rows),
    JsonFamily("ollama", "Ollama", ollama.recognise, ollama.rows),
    JsonFamily(
        "llama-server", "llama-server", llama_server.recognise, llama_server.rows
    ),
    JsonFamily("qdrant", "Qdrant", qdrant.recognise, qdrant.rows),
    JsonFamily("pinecone", "Pinecone", pinecone.recognise, pinecone.rows),
    JsonFamily("weaviate", "Weaviate", weaviate.recognise, weaviate.rows),
    JsonFamily(
        "elasticsearch", "Elasticsearch", elasticsearch.recognise, elasticsearch.rows
    ),
    JsonFamily("llama-index", "LlamaIndex", llama_index.recognise, llama_index.rows),
    JsonFamily("langchain", "LangChain", langchain.recognise, langchain.rows),
    JsonFamily(
        "records", "records with a vector", json_lines.recognise, json_lines.rows
    ),
    JsonFamily(
        "arrays", "arrays of numbers", number_arrays.recognise, number_arrays.rows
    ),
)

TEXT = (
    TextFamily(
        "llama-embedding", "llama-embedding", llama_print.recognise, llama_print.read
    ),
    TextFamily("llm", "llm embed -f hex/base64", llm_text.recognise, llm_text.read),
    TextFamily(
        "word2vec",
        "word2vec, gensim and fastText .vec text",
        words.recognise_word2vec,
        words.read_word2vec,
    ),
    TextFamily(
        "pgvector", "pgvector COPY and pg_dump", pg_copy.recognise, pg_copy.read
    ),
    TextFamily("printed", "printed arrays", printed.recognise, printed.read),
    TextFamily("glove", "GloVe", words.recognise_glove, words.read_glove),
    TextFamily(
        "table",
        "CSV and TSV: components, or a printed vector in a cell",
        delimited_table.recognise,
        delimited_table.read,
    ),
    TextFamily("numbers", "numbers a line", number_rows.recognise, number_rows.read),
)
BYTES = (
    ByteFamily("npy", ".npy", npy_file.recognise, npy_file.read),
    ByteFamily("npz", ".npz", npz_file.recognise, npz_file.read),
    ByteFamily(
        "safetensors", "safetensors", safetensors_file.recognise, safetensors_file.read
    ),
    ByteFamily(
        "llm-database", "llm's database", llm_database.recognise, llm_database.read
    ),
    ByteFamily(
        "word2vec-binary",
        "word2vec binary",
        word2vec_binary.recognise,
        word2vec_binary.read,
    ),
    ByteFamily("texmex", ".fvecs .ivecs .bvecs", texmex.recognise, texmex.read),
    ByteFamily("big-ann", ".fbin .u8bin .i8bin ..", big_ann.recognise, big_ann.read),
    ByteFamily(
        "arrow", "Parquet and Arrow (extra)", arrow_table.recognise, arrow_table.read
    ),
    ByteFamily(
        "raw", "raw numbers, llm embed -f blob", raw_bytes.recognise, raw_bytes.read
    ),
)
FAMILIES: tuple[JsonFamily | TextFamily | ByteFamily, ...] = (*JSON, *TEXT, *BYTES)


def json_family(value: Any) -> JsonFamily | None:
    """Return the family whose shape a JSON value has, if any.

    >>> json_family({"embeddings": [[0.5, 1.0]], "total_duration": 7}).name
    'ollama'
    """
    return next((family for family in JSON if family.recognise(value)), None)


def text_family(text: TextInput) -> TextFamily:
    """Return the family whose layout a text has; numbers, if it has no other."""
    return next(family for family in TEXT if family.recognise(text))


def byte_family(file: ByteInput) -> ByteFamily | None:
    """Return the family whose layout a file has, if any."""
    return next((family for family in BYTES if family.recognise(file)), None)


def is_printed(head: bytes, name: str) -> bool:
    """Return whether what begins with a bracket is a print, and no JSON.

    >>> is_printed(b"[[0.1 0.2]\\n [0.3 0.4]]", "x"), is_printed(b"[0.1, 0.2]", "x")
    (True, False)
    """
    return printed.recognise(_head_text(head, name))


def is_words(head: bytes, name: str) -> bool:
    """Return whether the first bytes are lines of words and vectors."""
    text = _head_text(head, name)
    return words.recognise_word2vec(text) or words.recognise_glove(text)


def _head_text(head: bytes, name: str) -> TextInput:
    lines = head.decode(errors="surrogateescape").split("\n")[:HEAD_LINES]
    whole = lines[:-1] or lines
    return TextInput(name, whole, iter(whole), None, None)


def unknown_json(value: Any, where: str) -> LlmcalcError:
    """Return the error for JSON of no known shape: what it is, and what is known."""
    if isinstance(value, dict) and value.get("error"):
        error = value["error"]
        if isinstance(error, dict):
            error = error.get("message") or error
        return LlmcalcError(f"{where}: is a server's error: {error!s:.200}")
    if isinstance(value, dict):
        shape = f"an object with {', '.join(list(value)[:8]) or 'no keys'}"
    elif isinstance(value, list):
        shape = "a list of " + (type(value[0]).__name__ if value else "nothing")
    else:
        shape = f"{value!r:.40}"
    known = ", ".join(family.title for family in JSON)
    return LlmcalcError(f"{where}: {shape} holds no vector; known are {known}")
