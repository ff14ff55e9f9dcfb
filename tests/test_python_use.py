"""The package from Python: five functions, loaded on first use."""

import subprocess
import sys

import pytest

import llmcalc


def test_every_public_name_is_there() -> None:
    for name in llmcalc.__all__:
        assert getattr(llmcalc, name).__name__ == name
    assert set(llmcalc.__all__) <= set(dir(llmcalc))
    with pytest.raises(AttributeError, match="no attribute 'perplexiti'"):
        _ = llmcalc.perplexiti


def test_importing_the_package_loads_nothing() -> None:
    program = "import sys, llmcalc; print(*(m for m in sys.modules if 'llmcalc.' in m))"
    run = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True
    )
    assert (run.returncode, run.stdout.split()) == (0, [])


def test_the_five_functions_answer() -> None:
    assert llmcalc.perplexity([-1.0, -1.0]).mean_nll == 1.0
    assert llmcalc.softmax([0.0, 0.0]).probs == [0.5, 0.5]
    assert llmcalc.attention_scores([2.0], [3.0]).scores == 6.0
    assert llmcalc.cosine_similarity([1, 2], [2, 4]).similarity == 1.0
    assert llmcalc.lora_parameters(64, 64, 4).lora_params == 512


def test_an_error_is_a_value_error() -> None:
    with pytest.raises(ValueError, match="zero"):
        llmcalc.cosine_similarity([0.0], [1.0])
