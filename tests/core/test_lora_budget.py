"""The largest rank within a budget: it fits and the next one does not."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from llmcalc.core.lora.adapter_file import StoredTensor, safetensors_size
from llmcalc.core.lora.budget import Budget, Cost, excess, largest_rank
from llmcalc.errors import LlmcalcError


def _cost(slope, offset, frozen):
    def at(rank):
        tensors = [StoredTensor(f"l.{i}", (rank, slope), "float32") for i in range(3)]
        file = safetensors_size(tensors).file_bytes
        trainable = slope * rank + offset
        return Cost(rank, trainable, trainable + frozen, file, 16 * trainable + frozen)

    return at


KINDS = st.sampled_from(["parameters", "percent", "file", "memory"])


@given(
    KINDS,
    st.builds(
        _cost, st.integers(1, 10**9), st.integers(0, 10**9), st.integers(0, 10**12)
    ),
    st.fractions(min_value=Fraction(1, 1000), max_value=10**13, max_denominator=1000),
)
def test_rank_fits_and_the_one_above_does_not(kind, cost, limit):
    budget = Budget(kind, limit.numerator, limit.denominator, "B")
    if kind == "percent" and limit >= 100:
        return  # every rank fits
    if excess(budget, cost(1)) > 0:
        with pytest.raises(LlmcalcError, match="no rank fits"):
            largest_rank(budget, cost)
        return
    fit = largest_rank(budget, cost)
    assert excess(budget, fit.at) <= 0 < excess(budget, fit.above)
    assert fit.above.rank == fit.at.rank + 1


def test_percentage_is_compared_exactly():
    # 1 of 3 is 33.333... %; a double of it would be on the wrong side.
    third = Cost(1, 1, 3, 0, 0)
    assert excess(Budget("percent", 100, 3), third) == 0
    assert excess(Budget("percent", 100 * 10**30 - 1, 3 * 10**30), third) > 0


def test_rank_that_changes_nothing_is_said():
    with pytest.raises(LlmcalcError, match="every rank fits"):
        largest_rank(Budget("parameters", 10, 1, "10"), lambda r: Cost(r, 5, 9, 40, 80))


def test_a_hundred_percent_never_runs_out():
    with pytest.raises(LlmcalcError, match="every rank fits"):
        largest_rank(Budget("percent", 100, 1, "100%"), _cost(8, 0, 100))


def test_search_asks_for_few_ranks():
    asked = []
    cost = _cost(64, 0, 0)

    def counted(rank):
        asked.append(rank)
        return cost(rank)

    largest_rank(Budget("file", 10**12, 1, "1TB"), counted)
    assert len(asked) < 10
