"""SRILM ``ngram -ppl`` at debug levels 0 to 3: base 10, each sentence a document.

By SRILM's own rule unknown words and words of probability 0 are outside the sum and
the count, and sentence ends are in it. Level 2 prints words, level 1 a summary of
each sentence, level 0 one of the file; the coarser ones repeat the finer.
"""

import re
from collections.abc import Iterator
from typing import NamedTuple

from llmcalc.errors import LlmcalcError
from llmcalc.inputs.logprobs.document import (
    LOGS,
    Document,
    Entries,
    Ngram,
    Total,
    Where,
)
from llmcalc.inputs.logprobs.parts import Context, document_of
from llmcalc.inputs.logprobs.text_lines import Lines, number_at

_WORD = re.compile(r"\s*p\( (.+?) \|.*\)\s+= (?:\[(\w+)\] )?(\S+) \[ (\S+) \]")
_COUNTS = re.compile(r"(?:file (.*): )?(\d+) sentences, (\d+) words, (\d+) OOVs\s*$")
_SUMS = re.compile(r"(\d+) zeroprobs, logprob= (\S+)")
END = "</s>"
ZEROPROBS = "{n} of the words of probability 0, outside sum and count as in SRILM"


class _Word(NamedTuple):
    word: str
    oov: bool
    log10: float
    line: int


class _Counts(NamedTuple):
    """The first line of a summary; ``file`` is None for that of a sentence."""

    file: str | None
    sentences: int
    words: int
    oov: int


def read(lines: Lines, context: Context) -> Iterator[Document]:
    """Yield a document a sentence; one a file where only files are summed up."""
    words: list[_Word] = []
    counts: _Counts | None = None
    sentences = 0
    for number, line in lines.numbered:
        where = Where(lines.name, number)
        if word := _WORD.match(line):
            log10 = number_at(word[4], where)
            words.append(_Word(word[1], word[2] == "OOV", log10, number))
        elif found := _COUNTS.match(line):
            counts = _Counts(found[1], *map(int, found.groups()[1:]))
        elif counts and (sums := _SUMS.match(line)):
            if words:
                yield _sentence(words, lines.name, context)
            elif counts.file is None or not sentences:
                yield _summed(counts, int(sums[1]), number_at(sums[2], where), where)
            # The summary of a file repeats its sentences.
            sentences = sentences + 1 if counts.file is None else 0
            words, counts = [], None
        elif line.lstrip().startswith("p( "):
            raise LlmcalcError(
                f"{where.record_place()}: {line.strip()[:40]!r} is cut off"
            )
    if words:
        yield _sentence(words, lines.name, context)


def _sentence(words: list[_Word], name: str, context: Context) -> Document:
    scored = [w for w in words if not w.oov and w.log10 != float("-inf")]
    oov = sum(word.oov for word in words)
    zeroprobs = len(words) - len(scored) - oov
    entries = Entries(
        values=[word.log10 for word in scored],
        path="",
        tokens=[word.word for word in scored],
        lines=[word.line for word in scored],
    )
    where = Where(name, words[0].line)
    if zeroprobs:
        context.notes.add(ZEROPROBS, where.record_place(), zeroprobs)
    ends = sum(word.word == END for word in words)
    document = document_of(entries, where, context)
    return document._replace(
        unit="word",
        skipped=document.skipped + zeroprobs,
        nbytes=None,
        ngram=Ngram(oov, ends),
    )


def _summed(counts: _Counts, zeroprobs: int, log10: float, where: Where) -> Document:
    n = counts.words - counts.oov - zeroprobs + counts.sentences
    if log10 > 0 or n < 0:
        raise LlmcalcError(f"{where.record_place()}: no summary of SRILM's: {log10!r}")
    return Document(
        id=counts.file or "",
        logprobs=[],
        where=where,
        unit="word",
        skipped=zeroprobs,
        total=Total(log10 * LOGS["10"], n),
        ngram=Ngram(counts.oov, counts.sentences),
    )
