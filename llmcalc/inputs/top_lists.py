"""Where each server's reply lists the top tokens of a position: one function a family.

A family yields the path and the listed entries of each position; ``FAMILIES`` is the
table of them.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, NamedTuple


class Entry(NamedTuple):
    """One listed token: its text, and its log-prob or its probability."""

    label: str
    value: Any
    is_prob: bool = False


Found = Iterator[tuple[str, list[Entry]]]


# What a choice of OpenAI's holds beside its log-probs.
_ANSWERS = frozenset(("message", "delta", "text"))


def _token(item: Mapping[str, Any]) -> Entry:
    """One entry of a list of objects, in the spelling of any server."""
    names = ("token", "text", "tok_str", "decoded_token", "tokenId", "id")
    label = next((item[key] for key in names if item.get(key) is not None), "")
    for key in ("prob", "probability"):
        if key in item:
            return Entry(str(label), item[key], is_prob=True)
    value = item["logprob"] if "logprob" in item else item["logProbability"]
    return Entry(str(label), value)


def _tokens(items: Iterable[Mapping[str, Any]] | None) -> list[Entry]:
    return [_token(item) for item in items or ()]


def _table(position: Mapping[str, Any] | None) -> list[Entry]:
    """Entries of an object: token -> log-prob, or id -> object with one."""
    entries = []
    for key, value in (position or {}).items():
        if isinstance(value, Mapping):
            label = value.get("decoded_token")
            entries.append(Entry(key if label is None else label, value["logprob"]))
        else:
            entries.append(Entry(key, value))
    return entries


def _chat(reply: Mapping[str, Any]) -> Found:
    for c, choice in enumerate(reply.get("choices") or ()):
        logprobs = choice.get("logprobs")
        if not isinstance(logprobs, Mapping):
            if not _ANSWERS.isdisjoint(choice):
                # Known, but not asked for log-probs.
                yield f"choices[{c}].logprobs", []
            continue
        for part in ("reasoning_content", "content", "refusal"):
            for i, item in enumerate(logprobs.get(part) or ()):
                path = f"choices[{c}].logprobs.{part}[{i}]"
                yield path, _tokens(item.get("top_logprobs"))


def _completions(reply: Mapping[str, Any]) -> Found:
    for c, choice in enumerate(reply.get("choices") or ()):
        logprobs = choice.get("logprobs")
        if isinstance(logprobs, Mapping) and "token_logprobs" in logprobs:
            for i, top in enumerate(logprobs.get("top_logprobs") or [None]):
                yield f"choices[{c}].logprobs.top_logprobs[{i}]", _table(top)


def _prompt(reply: Mapping[str, Any]) -> Found:
    for i, top in enumerate(reply.get("prompt_logprobs") or ()):
        yield f"prompt_logprobs[{i}]", _table(top)
    for c, choice in enumerate(reply.get("choices") or ()):
        legacy = choice.get("logprobs")
        if isinstance(legacy, Mapping) and legacy.get("top_logprobs"):
            # With echo the same positions stand in both.
            continue
        for i, top in enumerate(choice.get("prompt_logprobs") or ()):
            yield f"choices[{c}].prompt_logprobs[{i}]", _table(top)


def _llama_server(reply: Mapping[str, Any]) -> Found:
    for i, item in enumerate(reply.get("completion_probabilities") or ()):
        names = ("top_logprobs", "top_probs", "probs")
        top = next((item[key] for key in names if item.get(key)), None)
        yield f"completion_probabilities[{i}]", _tokens(top)


def _ollama(reply: Mapping[str, Any]) -> Found:
    logprobs = reply.get("logprobs")
    if logprobs is None and "done" in reply:
        yield "logprobs", []
    for i, item in enumerate(logprobs if isinstance(logprobs, list) else ()):
        if isinstance(item, Mapping):
            yield f"logprobs[{i}]", _tokens(item.get("top_logprobs"))


def _responses(reply: Mapping[str, Any]) -> Found:
    output = reply.get("output")
    for o, item in enumerate(output if isinstance(output, list) else ()):
        for c, content in enumerate(item.get("content") or ()):
            for i, token in enumerate(content.get("logprobs") or ()):
                path = f"output[{o}].content[{c}].logprobs[{i}]"
                yield path, _tokens(token.get("top_logprobs"))


def _gemini(reply: Mapping[str, Any]) -> Found:
    for c, candidate in enumerate(reply.get("candidates") or ()):
        result = candidate.get("logprobsResult") or {}
        for i, top in enumerate(result.get("topCandidates") or ()):
            path = f"candidates[{c}].logprobsResult.topCandidates[{i}]"
            yield path, _tokens(top["candidates"])


def _sglang(reply: Mapping[str, Any]) -> Found:
    meta = reply.get("meta_info") or {}
    for part in ("input_top_logprobs", "output_top_logprobs"):
        for i, top in enumerate(meta.get(part) or ()):
            entries = [
                Entry(str(token if text is None else text), logprob)
                for logprob, token, text in top or ()
            ]
            yield f"meta_info.{part}[{i}]", entries


def _tgi(reply: Mapping[str, Any]) -> Found:
    details = reply.get("details") or {}
    for i, top in enumerate(details.get("top_tokens") or ()):
        yield f"details.top_tokens[{i}]", _tokens(top)


FAMILIES: dict[str, Callable[[Any], Found]] = {
    "OpenAI chat": _chat,
    "OpenAI completions": _completions,
    "vLLM prompt_logprobs": _prompt,
    "llama-server": _llama_server,
    "Ollama": _ollama,
    "OpenAI responses": _responses,
    "Gemini": _gemini,
    "SGLang": _sglang,
    "TGI": _tgi,
}
