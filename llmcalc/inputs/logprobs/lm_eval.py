"""lm-evaluation-harness --log_samples: rolling, loglikelihood, multiple choice.

The log-likelihoods are strings. Nothing says how many tokens they are of, so the
unit is the word where the file counts words, else the document.
"""

from collections.abc import Iterator
from typing import Any

from llmcalc.inputs.logprobs.document import Entries, Reply, Total
from llmcalc.inputs.logprobs.items import id_of
from llmcalc.inputs.source import parse_number

ROLLING = ("word_perplexity", "byte_perplexity", "bits_per_byte")


def read(record: dict[str, Any]) -> Iterator[Reply]:
    """Yield the log-likelihood of one document: its text, its target, its answer.

    Raises ValueError where it cannot be told which choice is the answer.
    """
    name = id_of(record, "doc_id")
    pairs = {metric: record.get(metric) for metric in ROLLING}
    words, nbytes = (_pair(pairs[metric]) for metric in ROLLING[:2])
    nbytes = nbytes or _pair(pairs["bits_per_byte"])
    counted = nbytes[1] if nbytes else None
    if words is not None:
        total = Total(words[0], words[1])
        yield Reply(id=name, total=total, unit="word", words=words[1], nbytes=counted)
        return
    likelihood = nbytes[0] if nbytes else _answer(record)
    entries = Entries([likelihood], "filtered_resps")
    yield Reply(id=name, whole=entries, unit="document", nbytes=counted)


def _pair(value: Any) -> tuple[float, int] | None:
    """Return the [log-likelihood, count] of a rolling metric."""
    if not isinstance(value, list) or len(value) != 2:
        return None
    likelihood, count = (_number(item) for item in value)
    if count < 1 or count != int(count):
        raise ValueError(f"{value!r} is no log-likelihood and count")
    return likelihood, int(count)


def _answer(record: dict[str, Any]) -> float:
    responses = record.get("filtered_resps") or record["resps"]
    likelihoods = [_likelihood(response) for response in responses]
    if len(likelihoods) == 1:
        return likelihoods[0]
    return likelihoods[_target(record, len(likelihoods))]


def _likelihood(response: Any) -> float:
    """Return the number of "-3.2", ["-3.2", "False"] or [["-3.2", "False"]]."""
    while isinstance(response, list):
        response = response[0]
    return _number(response)


def _target(record: dict[str, Any], choices: int) -> int:
    """Return which choice is the answer: an index, or the text of one."""
    target = record.get("target")
    text = str(target).strip()
    if text.isdecimal() and int(text) < choices:
        return int(text)
    arguments = record.get("arguments")
    if not isinstance(arguments, dict):
        arguments = {}
    for index in range(choices):
        argument = arguments.get(f"gen_args_{index}") or {}
        if str(argument.get("arg_1", "")).strip() == text:
            return index
    raise ValueError(f"which of {choices} choices is the target {target!r}?")


def _number(value: Any) -> float:
    return parse_number(value) if isinstance(value, str) else float(value)
