"""Fixtures of all tests."""

import pytest
from running import Run, run_llmcalc


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch) -> Run:
    """Run llmcalc in process, free of what this terminal says of itself."""
    for name in ("NO_COLOR", "FORCE_COLOR", "COLUMNS", "TERM"):
        monkeypatch.delenv(name, raising=False)
    return run_llmcalc
