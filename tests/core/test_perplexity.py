"""The figures of log-probs against 50 digits, their limits and their refusals."""

import math
from fractions import Fraction

import mpmath
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from llmcalc.core.corpus import Corpus
from llmcalc.core.corpus_figures import Length, corpus_figures
from llmcalc.core.perplexity import perplexity
from llmcalc.core.summary import merged, summarize
from llmcalc.errors import LlmcalcError
from llmcalc.inputs.logprobs.document import Document, Ngram, Total, Where

logprobs = st.lists(st.floats(-60, 0), min_size=2, max_size=60)


def document(values, name="", **more):
    return Document(name, values, Where("test"), **more)


def corpus(*documents, **settings):
    found = Corpus(**settings)
    for one in documents:
        found.add(one)
    return found


def root(value):
    return mpmath.sqrt(mpmath.mpf(value.numerator) / value.denominator)


def close(got, want, units):
    return abs(mpmath.mpf(got) - want) <= units * math.ulp(float(want))


@given(logprobs)
def test_figures_agree_with_50_digits(values):
    got = perplexity(values)
    n, total = len(values), sum(map(Fraction, values))
    variance = sum((value + -total / n) ** 2 for value in map(Fraction, values)) / (
        n - 1
    )
    with mpmath.workdps(60):
        mean = mpmath.mpf(-total.numerator) / total.denominator / n
        se = root(variance / n)
        ppl = mpmath.exp(mean)
        # exp magnifies the half unit of the mean by the mean itself, at most 60 here.
        assert abs(got.ppl - ppl) <= ppl * 64 * mpmath.mpf(2) ** -53
        assert close(got.se_mean_nll, se, 1)
        # Three roundings: the mean, the constant, the quotient.
        assert close(got.bits_per_token, mean / mpmath.log(2), 3)
        assert close(got.log10_ppl, mean / mpmath.log(10), 3)
        low, high = got.ci95
        assert abs(low - mpmath.exp(mean - 1.96 * se)) <= low * 1e-13
        assert abs(high - mpmath.exp(mean + 1.96 * se)) <= high * 1e-13
    assert got.n == n
    assert (got.sum_logprob, got.mean_nll) == (float(total), float(-total / n))
    assert (got.min_logprob, got.max_logprob) == (min(values), max(values))


@given(st.integers(1, 10**6), st.integers(1, 50))
def test_k_equal_choices_have_perplexity_k(k, n):
    assert perplexity([math.log(1 / k)] * n).ppl == pytest.approx(k, rel=1e-13)


@given(st.lists(st.floats(-60, 0), min_size=1), st.data())
def test_summaries_merge_in_any_cut(values, data):
    cut = data.draw(st.integers(0, len(values)))
    whole = summarize(values)
    assert merged(summarize(values[:cut]), summarize(values[cut:])) == whole
    assert merged(summarize(values[cut:]), summarize(values[:cut])) == whole


def test_values_that_are_nearly_equal_keep_their_spread():
    # Two neighbours: each deviates by 2**-53, so s = 2**-53 * sqrt(n / (n - 1)).
    values = [-1.0, math.nextafter(-1, -2)] * 5000
    n = len(values)
    want = Fraction(2) ** -106 * Fraction(1, n - 1)
    assert perplexity(np.array(values)).se_mean_nll == pytest.approx(
        math.sqrt(want), rel=1e-15
    )


def test_overflow_is_not_the_end_of_the_story():
    got = perplexity([-1000.0, -900.0])
    assert (got.ppl, got.mean_nll) == (math.inf, 950.0)
    assert got.log10_ppl == pytest.approx(950 / math.log(10))
    huge = perplexity([-1e308] * 10)
    assert (huge.sum_logprob, huge.mean_nll, huge.ppl) == (-math.inf, 1e308, math.inf)


def test_probability_zero_makes_everything_infinite_and_nothing_nan():
    got = perplexity([-0.5, -math.inf])
    assert (got.sum_logprob, got.mean_nll, got.ppl) == (-math.inf, math.inf, math.inf)
    assert (got.se_mean_nll, got.se_ppl, got.ci95) == (None, None, None)
    assert (got.min_logprob, got.max_logprob) == (-math.inf, -0.5)
    assert perplexity(np.array([-math.inf] * 400)).max_logprob == -math.inf


def test_one_token_has_no_error():
    got = perplexity([-0.5])
    assert (got.n, got.se_mean_nll, got.se_ppl, got.ci95) == (1, None, None, None)


def test_rounding_above_zero_passes_and_more_does_not():
    assert perplexity([1e-6, -1.0]).max_logprob == 1e-6
    with pytest.raises(LlmcalcError, match=r"1\.1e-06 is above 0"):
        perplexity([-1.0, 1.1e-6])


@pytest.mark.parametrize("values", [[math.nan], [-1.0, math.inf]])
@pytest.mark.parametrize("kind", [list, np.array])
def test_what_is_no_number_is_refused(values, kind):
    with pytest.raises(LlmcalcError, match="not nan or inf"):
        perplexity(kind(values))


@pytest.mark.parametrize("values", [[[-1.0], [-2.0]], np.array([[-1.0], [-2.0]]), -1.0])
def test_several_axes_or_none_are_refused(values):
    with pytest.raises(LlmcalcError, match=r"one (axis|sequence)"):
        perplexity(values)


def test_any_kind_of_sequence_gives_the_same():
    want = perplexity([-1.0, -2.0])
    half = np.array([-1.0, -2.0], "f2")
    for values in ((-1, -2), np.array([-1, -2]), half, range(-1, -3, -1)):
        assert perplexity(values) == want


def test_nothing_is_refused():
    with pytest.raises(LlmcalcError, match="nothing"):
        perplexity([])
    with pytest.raises(LlmcalcError, match="nothing is scored \\(3 entries"):
        corpus_figures(corpus(document([], skipped=3)))


@given(st.lists(logprobs, min_size=2, max_size=12))
def test_the_clustered_error_is_that_of_a_ratio_of_sums(sequences):
    got = corpus_figures(corpus(*map(document, sequences)))
    sums = [sum(map(Fraction, one)) for one in sequences]
    g, n = len(sequences), sum(map(len, sequences))
    mean = sum(sums) / n
    residuals = (s - mean * len(one) for s, one in zip(sums, sequences, strict=True))
    with mpmath.workdps(60):
        want = root(sum(r * r for r in residuals) * g / (g - 1)) / n
        assert close(got.se_mean_nll_clustered, want, 1)


def test_sequences_of_one_token_cluster_to_the_plain_error():
    values = [-0.1, -2.0, -0.7, -5.5]
    got = corpus_figures(corpus(*(document([value]) for value in values)))
    assert got.se_mean_nll_clustered == perplexity(values).se_mean_nll


def test_the_corpus_pools_tokens_and_names_the_mean_of_documents():
    got = corpus_figures(corpus(document([-1.0], "a"), document([-2.0, -2.0, -3.0])))
    assert got.mean_nll == 2.0
    assert got.mean_ppl == pytest.approx((math.e + math.exp(7 / 3)) / 2, rel=1e-15)
    assert [(one.id, one.n) for one in got.documents] == [("a", 1), ("2", 3)]


def test_pieces_of_a_document_are_one_document():
    whole = corpus(document([-1.0, -2.0, -4.0], "a"), document([-3.0], "b"))
    pieces = corpus(
        document([-1.0], "a"),
        document([-2.0, -4.0], "a", continues=True),
        document([-3.0], "b"),
    )
    assert corpus_figures(pieces) == corpus_figures(whole)


@given(st.lists(st.lists(st.floats(-9, 0), max_size=4), min_size=1), st.data())
def test_corpora_merge_in_order(sequences, data):
    cut = data.draw(st.integers(0, len(sequences)))
    documents = [document(one, skipped=1, nbytes=len(one)) for one in sequences]
    whole, left = corpus(*documents), corpus(*documents[:cut])
    left.merge(corpus(*documents[cut:]))
    if any(sequences):
        assert corpus_figures(left) == corpus_figures(whole)


def test_a_corpus_goes_on_with_the_sequence_of_the_one_before():
    left = corpus(document([-1.0]))
    left.merge(corpus(document([-2.0])), continues=True)
    assert corpus_figures(left) == corpus_figures(corpus(document([-1.0, -2.0])))


def test_documents_are_listed_up_to_a_number_and_all_counted():
    documents = [document([-1.0], str(index)) for index in range(5)]
    assert len(corpus_figures(corpus(*documents, listed=3)).documents) == 3
    got = corpus_figures(corpus(*documents, listed=3))
    assert got.n_documents == 5


def test_bytes_and_words_are_known_only_where_all_documents_know_them():
    known = document([-1.0], nbytes=4, words=1)
    assert corpus_figures(corpus(known, known)).bytes == 8
    got = corpus_figures(corpus(known, document([-1.0])))
    assert (got.bytes, got.bits_per_byte, got.words, got.word_ppl) == (None,) * 4
    given_length = corpus_figures(corpus(document([-1.0, -3.0])), "token", Length(8, 2))
    assert given_length.bits_per_byte == 4 / math.log(2) / 8
    assert given_length.byte_ppl == math.exp(0.5)
    assert given_length.word_ppl == math.exp(2.0)


def test_a_total_without_its_entries_has_no_spread():
    whole = document([], total=Total(-6.0, 3), words=2, unit="word")
    got = corpus_figures(corpus(whole, whole), "word")
    assert (got.n, got.mean_nll, got.words) == (6, 2.0, 4)
    assert (got.se_mean_nll, got.min_logprob) == (None, None)
    assert got.se_mean_nll_clustered == 0.0


def test_a_mean_of_unknown_count_stands_alone():
    mean = document([], total=Total(-0.5, None))
    got = corpus_figures(corpus(mean))
    assert (got.n, got.sum_logprob, got.ppl) == (None, None, math.exp(0.5))
    assert got.documents[0].n is None
    with pytest.raises(LlmcalcError, match="unknown number"):
        corpus(mean, document([-1.0]))


def test_words_of_ngram_toolkits():
    # KenLM scores its unknown words; SRILM leaves them out.
    kenlm = document([-1.0, -4.0, -1.0], ngram=Ngram(1, 1, Total(-2.0, 2)))
    got = corpus_figures(corpus(kenlm), "word")
    assert (got.oov, got.sentences, got.ppl1) == (1, 1, None)
    assert (got.without_oov.n, got.without_oov.ppl) == (2, math.e)
    srilm = document([-1.0, -2.0, -1.5], ngram=Ngram(2, 1))
    got = corpus_figures(corpus(srilm), "word")
    assert (got.oov, got.without_oov.n) == (2, 3)
    assert got.ppl1 == math.exp(4.5 / 2)
