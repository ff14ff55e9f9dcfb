"""Training memory: bytes of each item, against what the frameworks allocate."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from llmcalc.core.lora.matrix import Shape
from llmcalc.core.lora.memory import (
    OPTIMIZERS,
    PACKINGS,
    Base,
    Trained,
    base_weights,
    training_memory,
)


def _bytes(memory):
    return {item.item: item.bytes for item in memory.items}


def test_default_setting_takes_sixteen_bytes_a_parameter():
    # 4 (weights) + 4 (gradients) + 8 (two float32 AdamW states).
    found = _bytes(training_memory(Base(0), [Trained((16, 4096), copies=3)], "adamw"))
    assert sum(found.values()) == 16 * 3 * 16 * 4096


def test_nf4_matches_what_bitsandbytes_holds():
    # bitsandbytes 0.50.2 on 11008 x 4096: 4.1271 bits a weight with double
    # quantisation, 4.5000 without, its lookup tables (1092 bytes) included.
    n = 11008 * 4096
    for dtype, bits in (("nf4", 4.1271), ("nf4-single", 4.5)):
        held = base_weights(Base(n, (Shape(11008, 4096),), dtype)).bytes
        assert held * 8 / n == pytest.approx(bits, abs=2e-4)


def test_int8_has_a_scale_for_each_output_row():
    packed = base_weights(Base(4096 * 11008 + 7, (Shape(4096, 11008),), "int8"))
    assert packed.bytes == 4096 * 11008 + 4 * 11008 + 2 * 7


@pytest.mark.parametrize("dtype", sorted(PACKINGS))
def test_expert_stacks_make_a_packed_base_an_estimate(dtype):
    assert base_weights(Base(100, (), dtype)).exact
    assert not base_weights(Base(100, (), dtype, estimated=True)).exact


def test_stored_bytes_are_taken_as_read():
    assert base_weights(Base(100, (), "stored", stored_bytes=77)).bytes == 77


def test_bias_of_the_base_costs_no_adapter_bytes():
    memory = training_memory(Base(0), [Trained((10,), in_base=True)], "adamw")
    assert _bytes(memory) == {"base": 0, "adapter": 0, "gradients": 40, "optimizer": 80}


@pytest.mark.parametrize(
    ("optimizer", "shape", "dtype", "states"),
    [
        ("adamw", (8, 4096), "float32", 2 * 4 * 8 * 4096),
        ("adamw", (8, 4096), "bfloat16", 2 * 2 * 8 * 4096),
        ("adamw8bit", (1, 4095), "float32", 8 * 4095),
        ("adamw8bit", (1, 4096), "float32", 2 * 4096 + 2 * 4 * 16),
        ("adamw8bit", (1, 4097), "float32", 2 * 4097 + 2 * 4 * 17),
        ("sgd", (8, 4096), "float32", 0),
        ("adafactor", (8, 4096), "float32", 4 * (8 + 4096)),
        ("adafactor", (3, 8, 40), "float32", 4 * (3 * 8 + 3 * 40)),
        ("adafactor", (4096,), "float32", 4 * 4096),
    ],
)
def test_optimizer_states(optimizer, shape, dtype, states):
    memory = training_memory(Base(0), [Trained(shape, dtype)], optimizer)
    assert _bytes(memory)["optimizer"] == states


@given(
    st.integers(1, 10**30),
    st.integers(1, 10**6),
    st.integers(1, 99),
    st.sampled_from(sorted(OPTIMIZERS)),
)
def test_copies_are_so_many_tensors(side, rank, copies, optimizer):
    one = training_memory(Base(0), [Trained((rank, side))], optimizer)
    many = training_memory(Base(0), [Trained((rank, side), copies=copies)], optimizer)
    assert many.total == copies * one.total


def test_preparing_a_packed_base_raises_what_stays_in_16_bits():
    # Embedding and head of Llama-3-8B, 2 x 128256 x 4096, from 2 to 4 bytes.
    rest = 2 * 128256 * 4096
    base = Base(rest + 64 * 64, (Shape(64, 64),), "nf4")
    assert training_memory(base, [], "sgd").upcast == 2 * rest
    assert training_memory(Base(rest), [], "sgd").upcast == 0
