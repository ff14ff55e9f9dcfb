"""What llama-embedding prints when no output format is asked for.

``embedding 0: ..``: of several prompts only the first 16 components, without pooling
three, dots and three; then a matrix of similarities with 2 decimals. One prompt with
pooling is printed whole.
"""

import re

from llmcalc.errors import LlmcalcError
from llmcalc.inputs.vectors.collector import Collector
from llmcalc.inputs.vectors.text_input import TextInput, number_parser
from llmcalc.inputs.vectors.vector_set import VectorSet

_PRINTED = re.compile(r"\s*embedding\s+(\d+):(.*)")


def recognise(text: TextInput) -> bool:
    """Return whether a text is the default print of llama-embedding."""
    return any(_PRINTED.match(line) for line in text.content()[:5])


def read(text: TextInput) -> VectorSet:
    """Read a single whole vector; a shortened print raises LlmcalcError."""
    rows = Collector(text.name)
    numbers = number_parser(text.name)
    for number, line in enumerate(text.lines, 1):
        if not line.strip():
            continue
        printed = _PRINTED.fullmatch(line)
        if printed is None or printed[1] != "0" or ".." in line:
            raise LlmcalcError(
                f"{text.name}: line {number}: llama-embedding shortens what it prints "
                "here; run it with --embd-output-format raw (or json)"
            )
        rows.add(numbers(printed[2].strip(), number), None, number)
    return rows.finish("llama-embedding")
