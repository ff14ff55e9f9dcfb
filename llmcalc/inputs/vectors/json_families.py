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
    known = ", ".join(family.title for family in JSON)
    return LlmcalcError(f"{where}: {shape} holds no vector; known are {known}")
