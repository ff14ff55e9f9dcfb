"""Perplexity of a corpus: several sequences pooled, their lengths, their spread."""

import math
from typing import NamedTuple

from llmcalc.core.corpus import Corpus
from llmcalc.core.perplexity import LN2, Part, Perplexity, figures, interval
from llmcalc.core.summary import Summary, exp
from llmcalc.core.summation import UNIT, ratio, root
from llmcalc.errors import LlmcalcError


class Length(NamedTuple):
    """The length of the scored text, where it is given apart from the log-probs."""

    nbytes: int | None = None
    words: int | None = None


UNKNOWN_LENGTH = Length()


def corpus_figures(
    corpus: Corpus, unit: str = "token", length: Length = UNKNOWN_LENGTH
) -> Perplexity:
    """Return the figures of all sequences of a corpus, their tokens pooled.

    The clustered standard error takes the sequences, not the tokens, as independent:
    se^2 = G/(G-1) * sum((s_g - m n_g)^2) / n^2 over G sequences of sum s_g and length
    n_g, m their pooled mean (Cochran 1977, section 6.3). It is se_mean_nll where
    each sequence is one token.

    Raises LlmcalcError where nothing is scored.
    """
    corpus.close()
    pooled, extent, clusters = corpus.pooled, corpus.extent, corpus.clusters
    if not pooled.n:
        gone = (
            f" ({extent.skipped} entries without a log-prob)" if extent.skipped else ""
        )
        raise LlmcalcError(f"nothing is scored{gone}")
    result = figures(pooled)._replace(
        skipped=extent.skipped,
        unit=unit,
        documents=tuple(one._replace(id=str(one.id)) for one in corpus.documents),
        n_documents=clusters.scored,
    )
    result = _with_length(result, corpus, length)
    if clusters.scored >= 2:
        result = result._replace(mean_ppl=_mean_ppl(corpus))
        if not pooled.zeros:
            se = clustered_error(corpus)
            result = result._replace(
                se_mean_nll_clustered=se, ci95_clustered=interval(result.mean_nll, se)
            )
    return _with_ngram(result, corpus)


def clustered_error(corpus: Corpus) -> float:
    """Return the standard error of the mean over entries, clustered by sequence.

    Only for two sequences or more. See ``corpus_figures`` for the formula.
    """
    n, total = corpus.pooled.n, corpus.pooled.total
    count, _, ss, sn, nn, *_ = corpus.clusters
    squares = ss * n * n - 2 * total * sn * n + total * total * nn
    return root(count * squares, (count - 1) * n**4 << 2 * UNIT)


def _mean_ppl(corpus: Corpus) -> float:
    clusters = corpus.clusters
    if clusters.boundless:
        return math.inf
    return ratio(clusters.ppl, clusters.scored << UNIT)


def _with_length(result: Perplexity, corpus: Corpus, given: Length) -> Perplexity:
    pooled, extent = corpus.pooled, corpus.extent
    if not pooled.counted:
        return result
    nbytes, words = given
    if nbytes is None and extent.with_bytes == extent.pieces:
        nbytes = extent.nbytes
    if words is None and extent.with_words == extent.pieces:
        words = extent.words
    if nbytes:
        nats = _nats_each(pooled, nbytes)
        result = result._replace(
            bytes=nbytes, bits_per_byte=nats / LN2, byte_ppl=exp(nats)
        )
    if words:
        return result._replace(words=words, word_ppl=exp(_nats_each(pooled, words)))
    return result._replace(word_ppl=result.ppl) if result.unit == "word" else result


def _nats_each(summary: Summary, count: int) -> float:
    return summary._replace(n=count).mean_nll()


def _with_ngram(result: Perplexity, corpus: Corpus) -> Perplexity:
    ngram = corpus.extent.ngram
    if ngram is None:
        return result
    rest, n = ngram.without_oov, corpus.pooled.n - ngram.sentences
    part: Part | None
    if rest is None:
        # Unknown words are outside the sum already; without the sentence ends the
        # words remain (SRILM's ppl1).
        part = _part(corpus.pooled)
        ppl1 = exp(_nats_each(corpus.pooled, n)) if n > 0 else None
    else:
        part = _part(rest) if rest.n else None
        ppl1 = None
    return result._replace(
        oov=ngram.oov, without_oov=part, ppl1=ppl1, sentences=ngram.sentences
    )


def _part(summary: Summary) -> Part:
    return Part(summary.n, summary.sum_logprob(), exp(summary.mean_nll()))
