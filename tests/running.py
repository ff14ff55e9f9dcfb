"""One helper for all tests of the command line: a run of llmcalc in process."""

import os
from collections.abc import Callable
from pathlib import Path

from typer.testing import CliRunner, Result

from llmcalc.cli import app

CASES = Path(__file__).parent / "cases"
Run = Callable[..., Result]


def run_llmcalc(*words: str, folder: Path | None = None, stdin: bytes = b"") -> Result:
    """Run llmcalc with words, in a folder, with bytes on standard input."""
    before = Path.cwd()
    os.chdir(folder or before)
    try:
        return CliRunner().invoke(app, words, prog_name="llmcalc", input=stdin)
    finally:
        os.chdir(before)
