"""Replies out of their wrappings: batch lines, lists of replies, failed requests."""

from collections.abc import Iterator
from typing import Any, NamedTuple

from llmcalc.inputs.logprobs.plain_json import is_numbers, is_tokens

FAILED = "{n} of the requests failed, not counted"


class Request(NamedTuple):
    """One reply; or why there is none."""

    value: Any
    name: str = ""  # the request's own name in a batch
    failure: str | None = None


def requests_of(value: Any) -> Iterator[Request]:
    """Yield the replies of one JSON value.

    A list of replies holds several; a list of numbers or of tokens is one. A line of
    a batch file holds one under ``response`` (``.body``) and its name beside it.

    >>> [r.value for r in requests_of([{"id": 1}, {"id": 2}])]
    [{'id': 1}, {'id': 2}]
    >>> next(requests_of({"error": "overloaded"})).failure
    'overloaded'
    """
    if isinstance(value, list):
        if is_numbers(value) or is_tokens(value):
            yield Request(value)
        elif _is_positions(value):
            yield Request({"prompt_logprobs": value})
        else:
            for item in value:
                yield from requests_of(item)
        return
    yield _request(value)


def is_bare(value: Any) -> bool:
    """Return at once whether a value is a reply that nothing wraps and no failure.

    >>> is_bare({"choices": []}), is_bare({"error": None})
    (True, False)
    """
    return (
        isinstance(value, dict)
        and not ("error" in value or "custom_id" in value or "key" in value)
        and value.get("object") != "error"
    )


def _request(value: Any) -> Request:
    if not isinstance(value, dict):
        return Request(value)
    name = value.get("custom_id") or value.get("key")
    if not isinstance(name, str) or not ("response" in value or "error" in value):
        return Request(value, failure=_failure(value))
    response = value.get("response")
    if not isinstance(response, dict):
        return Request(None, name, _failure(value) or "no response")
    body = response.get("body", response)
    failure = _failure(value) or _failure(body)
    status = response.get("status_code")
    if failure is None and type(status) is int and status >= 400:
        failure = "no reason given"
    if failure is not None and status is not None:
        failure = f"status {status}: {failure}"
    return Request(body, name, failure)


def _failure(value: Any) -> str | None:
    """Return what an error reply says, or None for another reply."""
    if not isinstance(value, dict):
        return None
    error = value.get("error")
    if value.get("object") == "error":
        error = value.get("message") or "no reason given"
    if not error:
        return None
    if isinstance(error, dict):
        error = error.get("message") or error.get("code") or error
    text = " ".join(str(error).split())
    return text if len(text) <= 80 else text[:77] + "..."


def _is_positions(value: list[Any]) -> bool:
    """Return whether a list is what vLLM writes for prompt_logprobs."""
    entries = [item for item in value if item is not None]
    return bool(entries) and all(
        isinstance(item, dict)
        and item
        and all(isinstance(e, dict) and "logprob" in e for e in item.values())
        for item in entries
    )
