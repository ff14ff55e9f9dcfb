"""Runs of llmcalc for all tests: in process, and a program on a terminal."""

import os
import pty
import select
from collections.abc import Callable, Mapping, Sequence
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


def on_a_terminal(
    command: Sequence[str], settings: Mapping[str, str], folder: Path | None = None
) -> tuple[int, str]:
    """Return the exit status of a program and what it printed on a terminal."""
    child, terminal = pty.fork()
    if child == 0:  # pragma: no cover - the other process
        os.chdir(folder or Path.cwd())
        os.execvpe(command[0], list(command), dict(settings))
    printed = b""
    while select.select([terminal], [], [], 60)[0]:
        try:
            piece = os.read(terminal, 65536)
        except OSError:
            # Linux says so when the other side has closed the terminal.
            break
        if not piece:
            break
        printed += piece
    os.close(terminal)
    status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    return status, printed.decode().replace("\r\n", "\n")
