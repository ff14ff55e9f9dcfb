"""KenLM ``query``: base 10, each sentence a document, ``</s>`` counted.

It prints words, sentence totals and a summary, all of them or some. Words are read
where they are, else the totals, else the summary. An unknown word (id 0) has a
log-prob that counts; the figures without such words stand beside it.
"""

import math
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

_WORD = re.compile(r"(.+)=(\d+) \d+ ([^ ]+)")
_TOTAL = re.compile(r"Total: (\S+) OOV: (\d+)")
_SUMMARY = re.compile(
    r"(Perplexity including OOVs|Perplexity excluding OOVs|OOVs|Tokens):\s*(\S+)"
)
# What query says of itself on standard error, caught by 2>&1.
_CHATTER = re.compile(
    r"(Name:|RSSMax:|VmPeak:|user:|sys:|CPU:|real:|Loading|This binary|-{4}|\*+$)"
)
END = "</s>"


class _Word(NamedTuple):
    word: str
    id: int
    log10: float
    line: int


class _Sentence(NamedTuple):
    """The words of a sentence, or its total where the words are not printed."""

    words: list[_Word]
    total: float
    oov: int
    line: int


def read(lines: Lines, context: Context) -> Iterator[Document]:
    """Yield a document a sentence, or one for the summary where it stands alone."""
    summary: dict[str, float] = {}
    totals: list[_Sentence] = []
    spoken = False
    for sentence in _sentences(lines, summary):
        if sentence.words:
            spoken = True
            yield _document(sentence, lines.name, context)
        elif not spoken:
            totals.append(sentence)
    if not spoken and "Tokens" in summary:
        yield _summed(summary, totals, lines.name)
    elif not spoken:
        for sentence in totals:
            where = Where(lines.name, sentence.line)
            entries = Entries([sentence.total], "", lines=[sentence.line])
            yield document_of(entries, where, context)._replace(
                unit="document", ngram=Ngram(sentence.oov, 1)
            )


def _sentences(lines: Lines, summary: dict[str, float]) -> Iterator[_Sentence]:
    """Yield the sentences; what the summary says is put into ``summary``."""
    words: list[_Word] = []
    for number, line in lines.numbered:
        where = Where(lines.name, number)
        for piece in line.split("\t") if "=" in line else [line]:
            text = piece.strip(" ")
            if word := _WORD.fullmatch(text):
                log10 = number_at(word[3], where)
                words.append(_Word(word[1], int(word[2]), log10, number))
                # With -v word there are no line ends at all.
                if word[1] != END:
                    continue
            elif total := _TOTAL.fullmatch(text):
                if not words:
                    value = number_at(total[1], where)
                    yield _Sentence([], value, int(total[2]), number)
                    continue
            elif figure := _SUMMARY.fullmatch(text):
                summary[figure[1]] = number_at(figure[2], where)
                continue
            elif not text or _CHATTER.match(text):
                continue
            else:
                raise LlmcalcError(
                    f"{where.record_place()}: {text[:40]!r} is not KenLM's"
                )
            yield _Sentence(words, math.nan, 0, number)
            words = []
    if words:
        yield _Sentence(words, math.nan, 0, words[-1].line)


def _document(sentence: _Sentence, name: str, context: Context) -> Document:
    words = sentence.words
    entries = Entries(
        values=[word.log10 for word in words],
        path="",
        tokens=[word.word for word in words],
        token_ids=[word.id for word in words],
        lines=[word.line for word in words],
    )
    document = document_of(entries, Where(name, words[0].line), context)
    known = [word.log10 for word in words if word.id != 0]
    rest = Total(math.fsum(known) * LOGS[context.scale.base], len(known))
    return document._replace(
        unit="word",
        nbytes=None,
        ngram=Ngram(len(words) - len(known), int(words[-1].word == END), rest),
    )


def _summed(summary: dict[str, float], totals: list[_Sentence], name: str) -> Document:
    """Return the document of a summary; its sums are those of the perplexities."""
    n, oov = int(summary["Tokens"]), int(summary.get("OOVs", 0))
    including = summary.get("Perplexity including OOVs", math.nan)
    excluding = summary.get("Perplexity excluding OOVs", math.nan)
    total = -n * math.log(including) if including > 0 else math.nan
    if totals:
        total = math.fsum(sentence.total for sentence in totals) * LOGS["10"]
    if math.isnan(total) or n < 1:
        raise LlmcalcError(f"{name}: the summary of KenLM query is not complete")
    rest = None
    if excluding > 0:
        rest = Total(-(n - oov) * math.log(excluding), n - oov)
    return Document(
        id="",
        logprobs=[],
        where=Where(name),
        unit="word",
        total=Total(total, n),
        ngram=Ngram(oov, len(totals), rest),
    )
