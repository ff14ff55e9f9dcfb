"""Batch files: a line for each request, with its id and the reply inside.

OpenAI and its copies: ``{"custom_id", "response": {"status_code", "body"}, "error"}``;
Gemini: ``{"key", "response"}``; Bedrock: ``{"recordId", "modelOutput"}``. Lines come in
no given order, failures among them.
"""

from typing import Any

from llmcalc.errors import LlmcalcError
from llmcalc.inputs.vectors.reply import Reply, Row, refuse_part
from llmcalc.inputs.vectors.reply_order import in_order

_IDS = ("custom_id", "key", "recordId")
_REPLIES = ("response", "modelOutput", "body")


def recognise(value: Any) -> bool:
    """Return whether a JSON value is one line of a batch file."""
    if not isinstance(value, dict) or not any(name in value for name in _IDS):
        return False
    return any(name in value for name in (*_REPLIES, "error"))


def rows(reply: Reply) -> list[Row]:
    """Return the vectors of one request, labelled with its id.

    A request that failed gives no row and a note that names it.
    """
    from llmcalc.inputs.vectors.json_families import json_family

    line = reply.value
    request = next(line[name] for name in _IDS if name in line)
    answer = next((line[name] for name in _REPLIES if line.get(name)), None)
    status = answer.get("status_code") if isinstance(answer, dict) else None
    if isinstance(answer, dict) and isinstance(answer.get("body"), dict):
        answer = answer["body"]
    failure = _failure(line, answer, status)
    if failure is not None:
        reply.notes.append(f"{reply.where}: request {request} failed: {failure}")
        return []
    family = json_family(answer)
    if family is None or family.recognise is recognise:
        raise LlmcalcError(
            f"{reply.where}: the response of request {request} holds no embeddings"
        )
    if not family.parted:
        refuse_part(reply)
    found = in_order(family.rows(reply._replace(value=answer)), reply.where)
    if len(found) == 1:
        return [found[0]._replace(label=request, order=None)]
    return [
        row._replace(
            label=f"{request}[{number if row.order is None else row.order}]", order=None
        )
        for number, row in enumerate(found)
    ]


def _failure(line: dict[str, Any], answer: Any, status: Any) -> str | None:
    """Return why a request has no reply, or None."""
    error = line.get("error")
    if not error and isinstance(answer, dict):
        error = answer.get("error")
    if isinstance(error, dict):
        error = error.get("message") or error.get("code") or error
    if error:
        return " ".join(str(error).split())[:200]
    if isinstance(status, int) and status >= 400:
        return f"status {status}"
    return "no response" if answer is None else None
