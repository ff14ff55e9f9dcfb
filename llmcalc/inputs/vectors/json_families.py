"""The table of JSON shapes: a row each, in the order in which they are tried."""

from typing import Any

from llmcalc.errors import LlmcalcError
from llmcalc.inputs.vectors import (
    batch,
    bedrock,
    chroma,
    cloudflare,
    cohere,
    elasticsearch,
    gemini,
    json_lines,
    langchain,
    llama_index,
    llama_server,
    number_arrays,
    ollama,
    openai,
    pinecone,
    qdrant,
    weaviate,
)
from llmcalc.inputs.vectors.family import JsonFamily

JSON = (
    JsonFamily(
        "batch",
        "batch output of OpenAI, Gemini or Bedrock: a reply a line, with its id",
        batch.recognise,
        batch.rows,
        parted=True,
    ),
    JsonFamily(
        "openai",
        "embeddings replies of OpenAI and servers like it, floats or base64",
        openai.recognise,
        openai.rows,
    ),
    JsonFamily(
        "cloudflare",
        "replies of Cloudflare Workers AI",
        cloudflare.recognise,
        cloudflare.rows,
    ),
    JsonFamily(
        "gemini",
        "replies of Gemini and Vertex AI, single and batch",
        gemini.recognise,
        gemini.rows,
        parted=True,
    ),
    JsonFamily(
        "bedrock",
        "replies of Amazon Bedrock Titan",
        bedrock.recognise,
        bedrock.rows,
        parted=True,
    ),
    JsonFamily(
        "chroma",
        "Chroma collections by get() and query()",
        chroma.recognise,
        chroma.rows,
    ),
    JsonFamily(
        "cohere",
        "replies of Cohere, v1 and v2, of any embedding type",
        cohere.recognise,
        cohere.rows,
        parted=True,
    ),
    JsonFamily(
        "ollama",
        "replies of Ollama /api/embed and /api/embeddings",
        ollama.recognise,
        ollama.rows,
    ),
    JsonFamily(
        "llama-server",
        "replies of llama-server /embedding",
        llama_server.recognise,
        llama_server.rows,
    ),
    JsonFamily(
        "qdrant",
        "Qdrant points by scroll, search or retrieve",
        qdrant.recognise,
        qdrant.rows,
        parted=True,
    ),
    JsonFamily(
        "pinecone",
        "Pinecone vectors by fetch and query",
        pinecone.recognise,
        pinecone.rows,
    ),
    JsonFamily(
        "weaviate",
        "Weaviate objects by REST and GraphQL",
        weaviate.recognise,
        weaviate.rows,
        parted=True,
    ),
    JsonFamily(
        "elasticsearch",
        "hits of Elasticsearch and OpenSearch",
        elasticsearch.recognise,
        elasticsearch.rows,
        parted=True,
    ),
    JsonFamily(
        "llama-index",
        "LlamaIndex simple vector store",
        llama_index.recognise,
        llama_index.rows,
    ),
    JsonFamily(
        "langchain",
        "LangChain in-memory vector store",
        langchain.recognise,
        langchain.rows,
        parted=True,
    ),
    JsonFamily(
        "records",
        "JSON or JSONL records with a vector beside an id or a text",
        json_lines.recognise,
        json_lines.rows,
        parted=True,
    ),
    JsonFamily(
        "arrays",
        "JSON arrays of numbers: TEI /embed, llm embed, own scripts",
        number_arrays.recognise,
        number_arrays.rows,
    ),
)


def json_family(value: Any) -> JsonFamily | None:
    """Return the family whose shape a JSON value has, if any.

    >>> json_family({"embeddings": [[0.5, 1.0]], "total_duration": 7}).name
    'ollama'
    """
    return next((family for family in JSON if family.recognise(value)), None)


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
    known = ", ".join(family.name for family in JSON)
    return LlmcalcError(f"{where}: {shape} holds no vector; known are {known}")
