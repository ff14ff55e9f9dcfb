"""fairseq-eval-lm ``--output-word-probs``: ``id word [-3.21]``, base e.

The tool itself leaves infinite scores out of these lines.
"""

import re
from collections.abc import Iterator

from llmcalc.errors import LlmcalcError
from llmcalc.inputs.logprobs.document import Document, Entries, Where
from llmcalc.inputs.logprobs.parts import Context, document_of
from llmcalc.inputs.logprobs.text_lines import Lines, number_at

_LOG = r"(?:\d{4}-\d\d-\d\d \d\d:\d\d:\d\d \| \w+ \| [\w.-]+ \| )?"
_LINE = re.compile(_LOG + r"(\d+) (.*\[[^\s\]]+\])\s*")
_WORD = re.compile(r"(.*) \[([^\s\]]+)\]")


def read(lines: Lines, context: Context) -> Iterator[Document]:
    """Yield the document of each line of word scores; log lines are none."""
    for number, line in lines.numbered:
        found = _LINE.fullmatch(line)
        if found is None:
            continue
        where = Where(lines.name, number)
        words = [_WORD.fullmatch(word) for word in found[2].split("\t")]
        if not all(words):
            raise LlmcalcError(
                f"{where.record_place()}: {line[:40]!r} is no list of 'word [score]'"
            )
        pairs = [word.groups() for word in words if word]
        entries = Entries(
            values=[number_at(score, where) for _, score in pairs],
            path="word",
            tokens=[word for word, _ in pairs],
        )
        document = document_of(entries, where, context)
        yield document._replace(id=found[1], unit="word", nbytes=None)
