"""Several matrices under one setting: sums over every copy, exact at any size."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from llmcalc.core.lora.estimate import Storage, estimate_matrices
from llmcalc.core.lora.matrix import lora_parameters
from llmcalc.errors import LlmcalcError

SIZES = st.one_of(st.integers(1, 10**5), st.integers(1, 10**60))


@given(st.lists(st.tuples(SIZES, SIZES, st.integers(1, 99)), min_size=1, max_size=6))
def test_sums_run_over_every_copy(shapes):
    counted = [
        lora_parameters(d_in, d_out, 4, 16, dora=True)._replace(copies=copies)
        for d_in, d_out, copies in shapes
    ]
    one_by_one = [m._replace(copies=1) for m in counted for _ in range(m.copies)]
    found = estimate_matrices(counted, Storage(), dora=True)
    alone = estimate_matrices(one_by_one, Storage(), dora=True)
    assert found[4:] == alone[4:]
    assert found.lora_params == sum(m.lora_params for m in one_by_one)
    assert found.full_params == sum(m.full_params for m in one_by_one)
    assert found.ratio == float(Fraction(found.lora_params, found.full_params))
    unit = sum(m.d_in + m.d_out for m in one_by_one)
    extra = sum(m.d_out for m in one_by_one)
    assert found.break_even_rank == float(Fraction(found.full_params - extra, unit))


@given(SIZES, SIZES, st.integers(1, 64), st.booleans())
def test_one_matrix_takes_what_its_tensors_take(d_in, d_out, rank, dora):
    matrix = lora_parameters(d_in, d_out, rank, dora=dora)
    found = estimate_matrices([matrix], Storage("bfloat16", "float32"), dora=dora)
    base, adapter, gradients, optimizer = (i.bytes for i in found.memory.items)
    assert base == 4 * d_in * d_out
    assert adapter == gradients == found.adapter_bytes == 2 * matrix.lora_params
    assert optimizer == 4 * matrix.lora_params


def test_no_matrix_is_an_error():
    with pytest.raises(LlmcalcError, match="4096x11008"):
        estimate_matrices([], Storage())
