"""Vectors that a program printed: numpy's ``[[0.1 0.2]``, Postgres' ``{0.1,0.2}``.

What is JSON is read as JSON; this is the rest: lists without commas, Python's repr,
Postgres arrays and pgvector's sparse vectors, one a line or nested in one print.
"""

import re

from llmcalc.errors import LlmcalcError
from llmcalc.inputs.vectors.cells import parse_cell
from llmcalc.inputs.vectors.collector import Collector
from llmcalc.inputs.vectors.text_input import TextInput, head_text
from llmcalc.inputs.vectors.vector_set import VectorSet

_ARRAY = re.compile(r"\s*(?:\w+\.)?(?:array|tensor)\(\s*\[")
_BLANKS = re.compile(r"\s*\[+\s*[-+.\d][^\s,\]\"{]*\s*(?:[-+.\d]|\n|\.\.\.|$)")
_BRACES = re.compile(r"\s*\{+\s*(?:[-+.\d]|NULL|NaN|\}/)")
_INNER = re.compile(r"\[([^\[\]]*)\]")
_BETWEEN = re.compile(
    r"[\s\[\],]*|(?:\w+\.)?(?:array|tensor)\([\s\[]*|[\s\],]*(?:,\s*\w+=[\w.:']+)*\s*\)\s*"
)


def recognise(text: TextInput) -> bool:
    """Return whether a text begins as a printed list that is no JSON."""
    first = next(iter(text.content()), "")
    if _ARRAY.match(first) or _BRACES.match(first):
        return True
    return _BLANKS.match(first) is not None and not _is_json_start(text)


def begins(head: bytes, name: str) -> bool:
    """Return whether what begins with a bracket is a print, and no JSON.

    >>> begins(b"[[0.1 0.2]\\n [0.3 0.4]]", "x"), begins(b"[0.1, 0.2]", "x")
    (True, False)
    """
    return recognise(head_text(head, name))


def _is_json_start(text: TextInput) -> bool:
    """Return whether a comma follows the first number, as JSON has it."""
    start = " ".join(line.strip() for line in text.head)[:4096]
    return re.match(r"[\s\[]*[^\s,\[\]]+\s*[,\]]", start) is not None


def read(text: TextInput) -> VectorSet:
    """Read one vector a line, or the rows of one print; shortened ones are refused."""
    rows = Collector(text.name)
    if _BRACES.match(next(iter(text.content()), "")):
        for number, line in enumerate(text.lines, 1):
            if line.strip():
                rows.add(_cell(line, f"{text.name}: line {number}"), None, number)
        return rows.finish("printed")
    whole = "\n".join(text.lines)
    if "..." in whole:
        _cell(whole, text.name)
    end = 0
    for index, found in enumerate(_INNER.finditer(whole)):
        number = whole.count("\n", 0, found.start()) + 1
        between = whole[end : found.start()]
        if between.count("[") > (0 if index else 1):
            raise LlmcalcError(
                f"{text.name}: line {number}: has a third dimension, one vector a "
                "token? pool them into one vector a text first"
            )
        if _BETWEEN.fullmatch(between) is None:
            raise LlmcalcError(
                f"{text.name}: line {number}: {between.strip()[:40]!r} is no vector"
            )
        rows.add(_cell(found[0], f"{text.name}: line {number}"), None, number)
        end = found.end()
    if _BETWEEN.fullmatch(whole[end:]) is None:
        raise LlmcalcError(f"{text.name}: {whole[end:].strip()[:40]!r} is no vector")
    return rows.finish("printed")


def _cell(text: str, where: str) -> list[float]:
    try:
        return parse_cell(text)
    except ValueError as error:
        raise LlmcalcError(f"{where}: {error}") from None
