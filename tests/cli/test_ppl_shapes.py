"""One sequence in every shape, piped, packed or cut: the same figures to the digit."""

import bz2
import gzip
import json
import lzma
import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from inputs.logprobs.shapes import SHAPES

from llmcalc.cli import ppl_ask, ppl_gather, ppl_pool
from llmcalc.core.perplexity import perplexity
from llmcalc.inputs.logprobs.document import LOGS

SEQUENCES = st.lists(st.floats(-99.0, 0.0), min_size=2, max_size=30)
PACKED = {"plain": bytes, "gzip": gzip.compress, "bzip2": bz2.compress,
          "xz": lzma.compress}  # fmt: skip
SAME = ("n", "sum_logprob", "mean_nll", "ppl", "se_mean_nll", "se_ppl", "min_logprob")
few = settings(
    max_examples=6, suppress_health_check=[HealthCheck.function_scoped_fixture]
)


def figures(run, *words, **given_to):
    result = run("ppl", *words, "--json", **given_to)
    assert result.exit_code == 0, result.stderr
    got = json.loads(result.stdout)
    return tuple(got.get(name) for name in SAME)


def wanted(logprobs, base="e"):
    got = perplexity([value * LOGS[base] for value in logprobs])
    return tuple(getattr(got, name) for name in SAME)


@pytest.mark.parametrize("shape", SHAPES, ids=lambda shape: shape.name)
@few
@given(SEQUENCES)
def test_every_shape_gives_the_same_figures(run, tmp_path, shape, logprobs):
    content = shape.write(logprobs).encode()
    want = wanted(logprobs, shape.base)
    (tmp_path / "given").write_bytes(content)
    assert figures(run, "given", folder=tmp_path) == want
    assert figures(run, stdin=content) == want


@pytest.mark.parametrize("packing", PACKED)
@few
@given(SEQUENCES)
def test_every_packing_gives_the_same_figures(run, tmp_path, packing, logprobs):
    for shape in SHAPES[::7]:
        content = PACKED[packing](shape.write(logprobs).encode())
        (tmp_path / "given").write_bytes(content)
        assert figures(run, "given", folder=tmp_path) == wanted(logprobs, shape.base)


@few
@given(SEQUENCES)
def test_arrays_give_the_same_figures(run, tmp_path, logprobs):
    want = wanted(logprobs)
    np.save(tmp_path / "a.npy", np.array(logprobs))
    np.save(tmp_path / "b.npy", np.array(logprobs, ">f8"))
    np.savez_compressed(tmp_path / "c.npz", logprobs=logprobs, token_ids=[1, 2])
    for name in ("a.npy", "b.npy", "c.npz"):
        assert figures(run, name, folder=tmp_path) == want
    assert figures(run, stdin=(tmp_path / "c.npz").read_bytes()) == want


@pytest.mark.parametrize("workers", ["1", "2", "3"])
@settings(few, max_examples=3)
@given(st.lists(st.floats(-99.0, 0.0), min_size=200, max_size=400))
def test_any_number_of_processes_gives_the_same_figures(
    run, tmp_path, workers, logprobs
):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ppl_pool, "RANGE", 700)
        for module in (ppl_ask, ppl_gather, ppl_pool):
            patch.setattr(module, "WORTH", 100)
        half = len(logprobs) // 2
        (tmp_path / "a.txt").write_text("\n".join(map(repr, logprobs[:half])))
        rows = (json.dumps({"logprobs": [value]}) for value in logprobs[half:])
        (tmp_path / "b.jsonl").write_text("\n".join(rows))
        words = ("a.txt", "b.jsonl", "--workers", workers)
        assert figures(run, *words, folder=tmp_path) == wanted(logprobs)


@given(SEQUENCES)
def test_the_sum_is_the_rounded_one(logprobs):
    total = sum(map(Fraction, logprobs))
    assert perplexity(logprobs).sum_logprob == float(total)
    assert math.fsum(logprobs) == float(total)
