"""Two models on the same tokens: paired figures against 50 digits, infinities."""

import math
from fractions import Fraction

import mpmath
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from llmcalc.core.comparison import Pairing, compare
from llmcalc.core.perplexity import perplexity
from llmcalc.core.pieces import Differences, Sum
from llmcalc.errors import LlmcalcError

pairs = st.lists(
    st.tuples(st.floats(-30, 0), st.floats(-30, 0)), min_size=2, max_size=50
)


@given(pairs)
def test_paired_figures_agree_with_50_digits(found):
    a, b = map(list, zip(*found, strict=True))
    got = compare(a, b)
    with mpmath.workdps(60):
        d = [mpmath.mpf(x) - mpmath.mpf(y) for x, y in found]
        n = len(d)
        mean = mpmath.fsum(d) / n
        variance = mpmath.fsum((v - mean) ** 2 for v in d) / (n - 1)
        se = mpmath.sqrt(variance / n)
        # Each difference is rounded once, to half a unit of at most 30.
        assert abs(got.se_ln_ratio - se) <= 30 * mpmath.mpf(2) ** -52
        assert abs(got.ppl_ratio - mpmath.exp(mean)) <= mpmath.exp(mean) * 1e-14
        if se > 1e-6:
            p = mpmath.erfc(abs(mean / se) / mpmath.sqrt(2))
            assert abs(got.p_value - p) <= 1e-7 + 1e-7 * p
    difference = sum(map(Fraction, a)) - sum(map(Fraction, b))
    assert got.ln_ratio == float(difference / n)
    assert got.ppl_b == perplexity(b).ppl
    assert got.se_mean_nll_b == perplexity(b).se_mean_nll
    assert got.worse == sum(y < x for x, y in found)
    assert got.better == sum(y > x for x, y in found)
    assert got.worse + got.better + got.ties == n


@given(pairs)
def test_arrays_and_lists_compare_alike(found):
    a, b = map(list, zip(*found, strict=True))
    assert compare(np.array(a), np.array(b)) == compare(a, b) == compare(a, np.array(b))


def test_the_error_is_llama_perplexitys_formula():
    # sqrt(se_a^2 + se_b^2 - 2 cov / (n - 1)), cov the mean product less the product of
    # means.
    a, b = [-0.5, -2.0, -1.25, -7.0], [-0.75, -1.5, -1.5, -7.5]
    se = [perplexity(x).se_mean_nll for x in (a, b)]
    mean = [sum(x) / 4 for x in (a, b)]
    cov = sum(x * y for x, y in zip(a, b, strict=True)) / 4 - mean[0] * mean[1]
    want = math.sqrt(se[0] ** 2 + se[1] ** 2 - 2 * cov / 3)
    assert compare(a, b).se_ln_ratio == pytest.approx(want, rel=1e-13)


def test_the_same_file_is_the_same():
    got = compare([-1.0, -2.0], [-1.0, -2.0])
    assert (got.ln_ratio, got.se_ln_ratio, got.p_value) == (0.0, 0.0, 1.0)
    assert (got.worse, got.better, got.ties) == (0, 0, 2)


def test_infinities_have_a_direction_and_no_error():
    worse = compare([-1.0, -2.0], [-1.0, -math.inf])
    assert (worse.ln_ratio, worse.ppl_ratio, worse.worse) == (math.inf, math.inf, 1)
    better = compare([-1.0, -math.inf], [-1.0, -2.0])
    assert (better.ln_ratio, better.ppl_ratio, better.better) == (-math.inf, 0.0, 1)
    both = compare([-math.inf, -1.0], [-math.inf, -1.0])
    assert (both.ln_ratio, both.ppl_ratio, both.ties) == (None, None, 2)
    for got in (worse, better, both):
        assert (got.se_ln_ratio, got.p_value, got.ci95_ratio) == (None, None, None)


def test_documents_are_compared_one_by_one_and_cluster():
    pairing = Pairing()
    for name, a, b in (("x", [-1.0, -2.0], [-1.5, -2.5]), ("y", [-3.0], [-2.0])):
        pairing.add(Differences(name, a), Differences(name, b))
    got = pairing.figures()
    assert [(one.id, one.n) for one in got.documents] == [("x", 2), ("y", 1)]
    assert got.documents[0].ppl_ratio == pytest.approx(math.exp(0.5), rel=1e-15)
    assert got.ln_ratio == 0.0
    # Sums 1 and -1 of mean 0 over 3 tokens: sqrt(2/1 * (1 + 1)) / 3.
    assert got.se_ln_ratio_clustered == pytest.approx(2 / 3, rel=1e-15)
    assert got.p_value_clustered == 1.0


def test_totals_compare_by_document():
    pairing = Pairing()
    for a, b in ((-4.0, -5.0), (-6.0, -6.5), (-3.0, -2.0)):
        pairing.add(
            Differences("", (), total=Sum(a, 2)), Differences("", (), total=Sum(b, 2))
        )
    got = pairing.figures()
    assert (got.worse, got.better, got.ties) == (2, 1, 0)
    assert got.ln_ratio == 0.5 / 6
    assert got.se_ln_ratio is None
    assert got.se_ln_ratio_clustered > 0


def test_other_lengths_are_refused():
    with pytest.raises(LlmcalcError, match="2 entries against 1"):
        compare([-1.0, -2.0], [-1.0])
    with pytest.raises(LlmcalcError, match="no log-probs"):
        compare([], [])
    pairing = Pairing()
    with pytest.raises(LlmcalcError, match="lengths differ"):
        pairing.add(
            Differences("", (), total=Sum(-1.0, 2)),
            Differences("", (), total=Sum(-1.0, 3)),
        )
