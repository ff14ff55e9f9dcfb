"""The table of log-prob formats: one row a family, one file for what reads it.

It feeds recognition, ``--input-format``, the list in the README and the tests. The
readers are imported by name when an input needs them, so the table costs nothing.
"""

import importlib
from collections.abc import Sequence
from typing import Any, NamedTuple

from llmcalc.errors import LlmcalcError
from llmcalc.inputs.logprobs.marks import has


class Family(NamedTuple):
    """How one format is told, read and spoken of."""

    name: str  # --input-format, and `format` in the output
    title: str  # for people
    module: str  # the file beside this one
    kind: str = "json"  # json, text or array: what the file must be
    # JSON: fields of which one must be there (see marks.py). Text: a pattern that a
    # line of the file's beginning must match.
    marks: tuple[str, ...] = ()
    # JSON: the same shape without log-probs, and what to ask the server for.
    frames: tuple[str, ...] = ()
    ask: str = ""
    base: str = "e"
    unit: str = "token"
    stream: bool = False  # records may be events that join into one sequence


JSON_FAMILIES = (
    Family(
        "tensorrt-llm",
        "TensorRT-LLM: LLM API outputs, Triton output_log_probs",
        "tensorrt_llm",
        marks=(
            "outputs[].prompt_logprobs",
            "outputs[].logprobs[]:number",
            "output_log_probs",
        ),
        frames=("outputs[].token_ids", "text_output"),
        ask="return_log_probs (Triton) or SamplingParams(logprobs=0)",
    ),
    Family(
        "vllm",
        "vLLM prompt_logprobs: completions, chat and saved RequestOutputs",
        "vllm",
        marks=(
            "choices[].prompt_logprobs",
            "prompt_logprobs",
            "outputs[].logprobs[]:object",
        ),
    ),
    Family(
        "together",
        "Together: echoed prompts, and streams with one log-prob a chunk",
        "together",
        marks=("choices[].logprobs:number", "prompt[].logprobs.token_logprobs"),
        stream=True,
    ),
    Family(
        "openai-completions",
        "OpenAI legacy completions, with or without echo, and all that copy them "
        "(vLLM, SGLang, llama-cpp-python, Together, Fireworks)",
        "openai_completions",
        marks=("choices[].logprobs.token_logprobs", "token_logprobs:list"),
        frames=("choices[].text",),
        ask='"logprobs": 1 (with "echo": true for the prompt; vLLM: '
        '"prompt_logprobs": 1)',
        stream=True,
    ),
    Family(
        "openai-chat",
        "OpenAI chat completions, and all that copy them (vLLM, SGLang, "
        "llama-server, TGI, Fireworks, DeepSeek, LiteLLM, OpenRouter, mlx_lm)",
        "openai_chat",
        marks=(
            "choices[].logprobs.content",
            "choices[].logprobs.refusal",
            "choices[].logprobs.reasoning_content",
            "content[].logprob:number",
        ),
        frames=("choices[].message", "choices[].delta", "choices:list & usage"),
        ask='"logprobs": true',
        stream=True,
    ),
    Family(
        "openai-responses",
        "OpenAI Responses, whole or streamed",
        "openai_responses",
        marks=("output[].content[].logprobs", "type=response."),
        frames=("object=response & output",),
        ask='"include": ["message.output_text.logprobs"]',
        stream=True,
    ),
    Family(
        "sglang",
        "SGLang /generate, whole or streamed",
        "sglang",
        marks=("meta_info.input_token_logprobs", "meta_info.output_token_logprobs"),
        frames=("meta_info",),
        ask='"return_logprob": true (and "logprob_start_len": 0 for the prompt)',
        stream=True,
    ),
    Family(
        "tgi",
        "Hugging Face TGI /generate, whole or streamed",
        "tgi",
        marks=("details.tokens", "details.prefill", "token.logprob & token.text"),
        frames=("generated_text",),
        ask='"details": true (and "decoder_input_details": true for the prompt; '
        "since TGI 3.0 the server must be started with --enable-prefill-logprobs)",
        stream=True,
    ),
    Family(
        "llama-server",
        "llama.cpp llama-server /completion, old and new, whole or streamed",
        "llama_server",
        marks=("completion_probabilities",),
        frames=("content & generation_settings", "content & stop & tokens_predicted"),
        ask='"n_probs": 1 (it gives log-probs of generated tokens only)',
        stream=True,
    ),
    Family(
        "gemini",
        "Gemini generateContent, whole or streamed",
        "gemini",
        marks=(
            "candidates[].logprobsResult",
            "candidates[].avgLogprobs",
            "candidates[].logprobs_result",
            "candidates[].avg_logprobs",
        ),
        frames=("candidates[].content",),
        ask='"responseLogprobs": true and "logprobs": 1',
        stream=True,
    ),
    Family(
        "cohere",
        "Cohere v2 chat, whole or streamed, and v1 generate",
        "cohere",
        marks=(
            "logprobs[].logprobs",
            "logprobs.logprobs",
            "generations[].token_likelihoods",
        ),
        frames=("type=message-", "type=content-", "generations[].text"),
        ask='"logprobs": true (v1: "return_likelihoods": "ALL")',
        stream=True,
    ),
    Family(
        "ollama",
        "Ollama /api/generate and /api/chat, whole or as NDJSON",
        "ollama",
        marks=("model & logprobs[].logprob", "done & logprobs[].logprob"),
        frames=("model & done_reason", "model & response:string", "model & message"),
        ask='"logprobs": true',
        stream=True,
    ),
    Family(
        "lm-eval",
        "lm-evaluation-harness --log_samples files: rolling, loglikelihood, "
        "multiple choice",
        "lm_eval",
        marks=("filtered_resps & doc_id", "resps & doc_id"),
        unit="document",
    ),
    Family(
        "documents",
        "JSON objects of one document: {id, logprobs}, with tokens where known",
        "plain_json",
        marks=(
            "logprobs:list",
            "log_probs:list",
            "logprob:list",
            "logprobs.token_logprobs",
            "logprobs.content",
        ),
    ),
    Family(
        "tokens",
        "JSON objects of one token: {token, logprob}",
        "token_lines",
        marks=("logprob", "log_prob"),
    ),
)
TEXT_FAMILIES = (
    Family(
        "kenlm",
        "KenLM query, at each verbosity",
        "kenlm",
        kind="text",
        marks=(
            r"(\S+=\d+ \d+ -?[\d.]+(e[+-]?\d+)?[ \t]+)",
            r"(Total: \S+ OOV: \d+|Perplexity (in|ex)cluding OOVs:\s)",
        ),
        base="10",
        unit="word",
    ),
    Family(
        "srilm",
        "SRILM ngram -ppl, -debug 0 to 3",
        "srilm",
        kind="text",
        marks=(
            r"\s*p\( .+ \|.*\)\s+= (\[|\S+ \[)",
            r"(file .*: )?\d+ sentences, \d+ words, \d+ OOVs",
        ),
        base="10",
        unit="word",
    ),
    Family(
        "fairseq",
        "fairseq-generate and -interactive: the P- lines",
        "fairseq",
        kind="text",
        marks=(r"[PH]-\d+\t-?[\d.infa]",),
        base="2",
    ),
    Family(
        "fairseq-eval-lm",
        "fairseq-eval-lm --output-word-probs",
        "fairseq_eval_lm",
        kind="text",
        marks=(
            r"(\d{4}-\d\d-\d\d [^|]*\| INFO \| \S+ \| )?\d+ \S+ \[-?[\d.]\S*\](\t|$)",
        ),
        unit="word",
    ),
    Family(
        "table",
        "CSV, TSV and surprisal tables; the column is recognised or chosen",
        "table",
        kind="text",
    ),
    Family(
        "numbers",
        "plain numbers: text, JSON or JSONL lists, typed arguments",
        "plain_text",
        kind="text",
    ),
)
ARRAY_FAMILIES = (
    Family(
        "npy",
        "NumPy .npy and .npz: one sequence, or rows with a --mask",
        "array_files",
        kind="array",
    ),
    Family(
        "parquet",
        "Parquet and Arrow, with the extra",
        "columnar",
        kind="array",
    ),
)
FAMILIES = JSON_FAMILIES + TEXT_FAMILIES + ARRAY_FAMILIES
NAMES = tuple(family.name for family in FAMILIES)


def named(name: str) -> Family:
    """Return the row of a name; raises LlmcalcError where the table has none.

    >>> named("kenlm").base
    '10'
    """
    for family in FAMILIES:
        if family.name == name:
            return family
    raise LlmcalcError(f"no format {name!r}; known: {', '.join(NAMES)}")


def family_of(value: Any) -> Family | None:
    """Return the family whose marks a JSON record has, or None.

    >>> family_of({"id": "a", "logprobs": [-1.0]}).name
    'documents'
    """
    return next((family for family in JSON_FAMILIES if matches(family, value)), None)


def matches(family: Family, value: Any) -> bool:
    """Return whether a JSON record has log-probs in the shape of a family."""
    return any(has(value, mark) for mark in family.marks)


def framed(value: Any) -> Family | None:
    """Return the family whose reply this is, although its log-probs are missing."""
    return next(
        (
            family
            for family in JSON_FAMILIES
            if any(has(value, frame) for frame in family.frames)
        ),
        None,
    )


def kin(family: Family, value: Any) -> bool:
    """Return whether a record without log-probs may stand among those of a family.

    Families whose log-probs hang on the same field share their frames: chunks
    without log-probs, usage, replies that were not asked for any.
    """
    root = family.marks[0].partition("[")[0] if family.marks else ""
    return any(
        has(value, frame)
        for other in JSON_FAMILIES
        if other.marks[0].partition("[")[0] == root
        for frame in other.frames
    )


def known_shapes(families: Sequence[Family] = JSON_FAMILIES) -> str:
    """Name the shapes that are known, for messages."""
    return ", ".join(family.name for family in families)


def reader_of(family: Family) -> Any:
    """Import the module that reads a family."""
    return importlib.import_module(f"llmcalc.inputs.logprobs.{family.module}")
