"""Softmax beside scipy and torch, the hf order beside transformers' own processors."""

import warnings
from typing import Any

import numpy as np
import pytest

from llmcalc.core.engines import truncate
from llmcalc.core.filters import Filters
from llmcalc.core.softmax import softmax
from llmcalc.core.softmax_rows import softmax_rows

pytestmark = pytest.mark.reference
scipy_special = pytest.importorskip("scipy.special")
torch = pytest.importorskip("torch")
with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    logits_process = pytest.importorskip("transformers.generation.logits_process")

INPUTS = 1000
# Chains are compared where no candidate lies this close to a boundary, in parts: there
# the two need not round alike.
NEAR = 1e-9


def random_logits(number: int) -> np.ndarray:
    """Ordinary and adversarial rows: wide, tiny, tied, masked, offset, one alone."""
    generator = np.random.default_rng(number)
    n = int(generator.integers(1, 60))
    row = generator.normal(size=n) * 10.0 ** generator.integers(-3, 3)
    kind = number % 8
    if kind == 1:
        row = np.round(row)
    elif kind == 2:
        row[generator.random(n) < 0.4] = -np.inf
        row[int(generator.integers(n))] = 1.5
    elif kind == 3:
        row += 10.0 ** generator.integers(0, 15)
    elif kind == 4:
        row *= 1e-300
    elif kind == 5:
        row[:] = row[0]
    elif kind == 6:
        row = np.sort(row) * 100
    return row


@pytest.mark.parametrize("number", range(INPUTS))
def test_softmax_agrees_with_scipy_and_torch(number: int) -> None:
    row = random_logits(number)
    ours = softmax_rows(row)
    one = softmax(row.tolist())
    tolerance = {"rtol": 1e-12, "atol": 1e-300}
    np.testing.assert_allclose(ours.probs, scipy_special.softmax(row), **tolerance)
    np.testing.assert_allclose(one.probs, scipy_special.softmax(row), **tolerance)
    np.testing.assert_allclose(
        ours.logprobs, scipy_special.log_softmax(row), rtol=1e-12, atol=1e-13
    )
    np.testing.assert_allclose(
        ours.logsumexp, scipy_special.logsumexp(row), rtol=1e-14, atol=1e-14
    )
    tensor = torch.from_numpy(row)
    np.testing.assert_allclose(
        ours.probs, torch.softmax(tensor, -1).numpy(), **tolerance
    )
    entropy = torch.special.entr(torch.softmax(tensor, -1)).sum().item()
    assert float(ours.entropy_nats) == pytest.approx(entropy, rel=1e-9, abs=1e-12)


def random_filters(number: int) -> Filters:
    generator = np.random.default_rng(number + 10_000)

    def maybe(value: Any) -> Any:
        return value if generator.random() < 0.35 else None

    filters = Filters(
        top_k=maybe(int(generator.integers(1, 40))),
        top_p=maybe(generator.uniform(0.05, 0.99)),
        min_p=maybe(generator.uniform(0.001, 0.5)),
        typical_p=maybe(generator.uniform(0.05, 0.99)),
        epsilon_cutoff=maybe(generator.uniform(1e-4, 0.2)),
        eta_cutoff=maybe(generator.uniform(1e-4, 0.2)),
        top_h=maybe(generator.uniform(0.1, 0.95)),
    )
    return filters if any(filters) else filters._replace(top_k=7)


def by_transformers(row: np.ndarray, temperature: float, filters: Filters) -> list[int]:
    """What transformers' processors leave, in double precision, in generate's order."""
    chain = [logits_process.TemperatureLogitsWarper(temperature)]
    settings = [
        ("TopHLogitsWarper", filters.top_h),
        ("TopKLogitsWarper", filters.top_k),
        ("TopPLogitsWarper", filters.top_p),
        ("MinPLogitsWarper", filters.min_p),
        ("TypicalLogitsWarper", filters.typical_p),
        ("EpsilonLogitsWarper", filters.epsilon_cutoff),
        ("EtaLogitsWarper", filters.eta_cutoff),
    ]
    for name, value in settings:
        if value is not None:
            chain.append(getattr(logits_process, name)(value))
    scores = torch.from_numpy(row.copy())[None]
    for processor in chain:
        scores = processor(None, scores)
    return np.flatnonzero(~np.isneginf(scores[0].numpy())).tolist()


def is_settled(row: np.ndarray, temperature: float, filters: Filters) -> bool:
    """Whether settings a little larger and smaller leave the same candidates."""
    kept = truncate(row, temperature, filters).kept.tolist()
    for factor in (1 - NEAR, 1 + NEAR):
        nearby = {
            field: value * factor
            for field, value in filters._asdict().items()
            if value is not None and field != "top_k"
        }
        moved = filters._replace(**nearby)
        if truncate(row, temperature, moved).kept.tolist() != kept:
            return False
    return True


def has_ties(row: np.ndarray) -> bool:
    """Whether two candidates are equal, where a sort of torch takes any of them."""
    finite = row[row > -np.inf]
    return len(np.unique(finite)) < len(finite)


@pytest.mark.parametrize("number", range(INPUTS))
def test_the_hf_order_agrees_with_transformers(number: int) -> None:
    generator = np.random.default_rng(number + 20_000)
    row = generator.normal(size=int(generator.integers(2, 200))) * generator.uniform(
        1, 6
    )
    if number % 5 == 1:
        row[generator.random(len(row)) < 0.2] = -np.inf
        row[0] = 0.5
    if number % 5 == 2:
        row += 1e4
    temperature = float(generator.choice([0.3, 0.7, 1.0, 1.8]))
    filters = random_filters(number)
    if filters.top_h is not None and np.isneginf(row).any():
        # Categorical refuses -inf logits; top-h of transformers fails on a mask.
        filters = filters._replace(top_h=None, top_k=9)
    if not is_settled(row, temperature, filters) or has_ties(row):
        pytest.skip("a candidate lies on a boundary")
    ours = truncate(row, temperature, filters).kept.tolist()
    assert ours == by_transformers(row, temperature, filters)
