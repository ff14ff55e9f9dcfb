"""Fixtures of all tests."""

import os

import pytest
from hypothesis import HealthCheck, settings
from running import Run, run_llmcalc

# A slow or busy machine is no fault: how long an example takes is not judged. CI draws
# the same examples each time; by hand they are new ones.
settings.register_profile(
    "llmcalc",
    deadline=None,
    derandomize=bool(os.environ.get("CI")),
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("llmcalc")


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch) -> Run:
    """Run llmcalc in process, free of what this terminal says of itself."""
    for name in ("NO_COLOR", "FORCE_COLOR", "COLUMNS", "TERM"):
        monkeypatch.delenv(name, raising=False)
    return run_llmcalc
