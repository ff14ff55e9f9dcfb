"""Softmax beside arithmetic of 50 digits, on a thousand rows of every scale."""

import math

import numpy as np
import pytest

from llmcalc.core.softmax import softmax
from llmcalc.core.softmax_rows import softmax_rows

mp = pytest.importorskip("mpmath")
pytestmark = pytest.mark.reference

ULP = 2.0**-52
ROWS, CHUNK = 1000, 100


def row_of(number: int) -> tuple[list[float], float]:
    generator = np.random.default_rng(number)
    row = generator.normal(size=int(generator.integers(1, 9)))
    scale = 10.0 ** generator.integers(-300, 300) if number % 3 else 1.0
    row = row * scale * generator.choice([0.01, 1, 30])
    if number % 5 == 1:
        row += scale * 10.0 ** generator.integers(0, 12)
    if number % 5 == 2:
        row[generator.random(len(row)) < 0.3] = -np.inf
        row[0] = scale
    if number % 5 == 3:
        row = np.round(row / scale) * scale
    return row.tolist(), float(scale * generator.uniform(0.2, 3))


@pytest.mark.parametrize("first", range(0, ROWS, CHUNK))
def test_within_a_few_units_in_the_last_place(first: int) -> None:
    for number in range(first, first + CHUNK):
        check(*row_of(number))


def check(logits: list[float], temperature: float) -> None:
    with mp.workdps(50):
        best = mp.mpf(max(logits))
        gaps = [
            (mp.mpf(z) - best) / mp.mpf(temperature) if z > -math.inf else -mp.inf
            for z in logits
        ]
        exps = [mp.e**gap if gap > -mp.inf else mp.mpf(0) for gap in gaps]
        total = mp.fsum(exps)
        probs = [e / total for e in exps]
        rest = exps[: (at := logits.index(max(logits)))] + exps[at + 1 :]
        entropy = mp.log1p(mp.fsum(rest)) - mp.fsum(
            p * gap for p, gap in zip(probs, gaps, strict=True) if p
        )
        expected = [float(p) for p in probs]
    one = softmax(logits, temperature)
    many = softmax_rows(np.array([logits]), temperature).row(0)
    for row in (one, many):
        for found, wanted in zip(row.probs, expected, strict=True):
            # The division by T rounds the gap, which weighs |ln p| in the exponential.
            units = 4 - math.log(wanted) if wanted > 1e-300 else math.inf
            assert found == pytest.approx(wanted, rel=units * ULP, abs=1e-300)
        # Where one token takes nearly all, H is some e^gap |gap|: its gap weighs too.
        units = 6 - math.log(min(1.0, float(entropy) or 1.0))
        assert row.entropy_nats == pytest.approx(
            float(entropy), rel=units * ULP, abs=1e-300
        )
