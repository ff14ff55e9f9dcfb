"""Sequences of log-probs taken in piece by piece: pooled, listed, clustered."""

import math
from typing import NamedTuple

from llmcalc.core.pieces import KnownTotal, Piece
from llmcalc.core.summary import Summary, exp, merged, summarize
from llmcalc.core.summation import fixed

# So many documents are kept by name unless all are asked for.
LISTED = 1000


class Ngram(NamedTuple):
    """Words of n-gram toolkits over several sequences."""

    oov: int
    sentences: int
    without_oov: Summary | None


class Extent(NamedTuple):
    """What is counted beside the entries, and how many pieces say it."""

    skipped: int = 0
    pieces: int = 0
    nbytes: int = 0
    with_bytes: int = 0
    words: int = 0
    with_words: int = 0
    ngram: Ngram | None = Ngram(0, 0, Summary())


class Clusters(NamedTuple):
    """Sums over sequences: for the clustered error and the mean perplexity."""

    scored: int = 0  # sequences with a scored entry
    empty: int = 0  # sequences without one
    ss: int = 0  # of s^2, in units of 2**-2148; s is the sum of a sequence
    sn: int = 0  # of s n, in units of 2**-1074
    nn: int = 0  # of n^2
    ppl: int = 0  # of finite perplexities, in units of 2**-1074
    boundless: int = 0  # infinite perplexities


class DocumentFigures(NamedTuple):
    """One sequence of several; an id that is a number counts sequences from 1."""

    id: str | int
    n: int | None
    ppl: float


class Corpus:
    """The sums of sequences; two of them merge, in the order of the input."""

    def __init__(self, listed: float = LISTED) -> None:
        """Begin with nothing; ``listed`` sequences are kept by name."""
        self.pooled = Summary()
        self.extent = Extent()
        self.clusters = Clusters()
        self.documents: list[DocumentFigures] = []
        self._listed = listed
        self._open: tuple[str, Summary] | None = None

    def add(self, piece: Piece) -> Summary:
        """Take in a sequence, or a further piece of the last one; return its sums."""
        summary = _totalled(piece.total) if piece.total else summarize(piece.logprobs)
        self.pooled = merged(self.pooled, summary)
        self.extent = _extended(self.extent, _extent(piece))
        if piece.continues and self._open is not None:
            name, before = self._open
            self._open = (name, merged(before, summary))
        else:
            self.close()
            self._open = (piece.id, summary)
        return summary

    def merge(self, later: "Corpus", continues: bool = False) -> None:
        """Take in what follows; ``continues``: its first sequence is our last one."""
        self.pooled = merged(self.pooled, later.pooled)
        self.extent = _extended(self.extent, later.extent)
        if continues and self._open is not None and later._open is not None:
            name, before = self._open
            self._open = (name, merged(before, later._open[1]))
            return
        self.close()
        room = int(min(self._listed - len(self.documents), len(later.documents)))
        ahead = self.clusters.scored + self.clusters.empty
        self.documents += [_shifted(one, ahead) for one in later.documents[:room]]
        self.clusters = Clusters(
            *map(int.__add__, self.clusters, later.clusters)  # field by field
        )
        self._open = later._open

    def close(self) -> None:
        """End the last sequence, so that it is listed and counted."""
        if self._open is not None:
            own, summary = self._open
            self._open = None
            self._count(own, summary)

    def name_documents(self, name: str) -> None:
        """Name the sequences that have no name: ``name``, or ``name:2`` of several."""
        alone = self.clusters.scored + self.clusters.empty == 1
        self.documents = [
            one._replace(id=name if alone else f"{name}:{one.id}")
            if isinstance(one.id, int)
            else one
            for one in self.documents
        ]

    def _count(self, name: str, summary: Summary) -> None:
        clusters = self.clusters
        if not summary.n:
            self.clusters = clusters._replace(empty=clusters.empty + 1)
            return
        ppl = exp(summary.mean_nll())
        boundless = ppl == math.inf
        self.clusters = Clusters(
            clusters.scored + 1,
            clusters.empty,
            clusters.ss + summary.total * summary.total,
            clusters.sn + summary.total * summary.n,
            clusters.nn + summary.n * summary.n,
            clusters.ppl + (0 if boundless else fixed(ppl)),
            clusters.boundless + boundless,
        )
        if len(self.documents) < self._listed:
            n = summary.n if summary.counted else None
            ordinal = clusters.scored + clusters.empty + 1
            self.documents.append(DocumentFigures(name or ordinal, n, ppl))


def _totalled(total: KnownTotal) -> Summary:
    n = 1 if total.n is None else total.n
    one = summarize([total.sum_logprob])
    return one._replace(
        n=n, zeros=n if one.zeros else 0, spread=False, counted=total.n is not None
    )


def _extent(piece: Piece) -> Extent:
    ngram = None
    if piece.ngram is not None:
        rest = piece.ngram.without_oov
        ngram = Ngram(
            piece.ngram.oov, piece.ngram.sentences, _totalled(rest) if rest else None
        )
    return Extent(
        piece.skipped,
        1,
        piece.nbytes or 0,
        piece.nbytes is not None,
        piece.words or 0,
        piece.words is not None,
        ngram,
    )


def _extended(a: Extent, b: Extent) -> Extent:
    return Extent(
        a.skipped + b.skipped,
        a.pieces + b.pieces,
        a.nbytes + b.nbytes,
        a.with_bytes + b.with_bytes,
        a.words + b.words,
        a.with_words + b.with_words,
        None if a.ngram is None or b.ngram is None else _joined(a.ngram, b.ngram),
    )


def _joined(a: Ngram, b: Ngram) -> Ngram:
    rest = None
    if a.without_oov is not None and b.without_oov is not None:
        rest = merged(a.without_oov, b.without_oov)
    return Ngram(a.oov + b.oov, a.sentences + b.sentences, rest)


def _shifted(document: DocumentFigures, ahead: int) -> DocumentFigures:
    if isinstance(document.id, int):
        return document._replace(id=document.id + ahead)
    return document
