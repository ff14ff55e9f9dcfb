"""The house stands as it was drawn: imports run one way, start-up loads little."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import llmcalc
from llmcalc.cli.commands import SUMMARIES, load
from llmcalc.output.fields import FIELDS

PACKAGE = Path(llmcalc.__file__).parent
MODULES = sorted(PACKAGE.rglob("*.py"))
# What a floor may import of its own house, itself and errors apart.
MAY_IMPORT = {
    "core": set(),
    "inputs": {"core"},
    "output": {"core"},
    "cli": {"core", "inputs", "output"},
}
# None of these may be loaded by a few typed numbers in a pipe.
HEAVY = {
    "numpy", "rich", "json", "csv", "fractions", "dataclasses", "statistics", "logging",
    "asyncio", "concurrent", "multiprocessing", "importlib.metadata", "sqlite3",
    "zipfile", "gzip", "random",
}  # fmt: skip


def floor(module: str) -> str:
    parts = module.split(".")
    return parts[1] if parts[0] == "llmcalc" and len(parts) > 1 else ""


def imported(path: Path) -> set[str]:
    found = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            found |= {node.module} | {f"{node.module}.{a.name}" for a in node.names}
    return found


@pytest.mark.parametrize("path", MODULES, ids=lambda p: str(p.relative_to(PACKAGE)))
def test_imports_run_one_way(path: Path) -> None:
    here = path.relative_to(PACKAGE).parts[0]
    if here not in MAY_IMPORT:
        return
    floors = {floor(module) for module in imported(path)} & set(MAY_IMPORT)
    assert floors - {here} <= MAY_IMPORT[here]
    if here != "cli":
        assert not {m for m in imported(path) if m.split(".")[0] == "typer"}


@pytest.mark.parametrize(
    "line",
    [
        "--version",
        "--help",
        "ppl --help",
        "ppl -0.5 -1.2",
        "softmax 2 1 0.5 -t 0.7",
        "cossim 1,2,3 4,5,6",
        "attn-scale 1,2,3 4,5,6",
        "attn-scale --d-model 768 --n-heads 12",
        "lora 4096 4096 -r 8",
        "lora 4096x11008 4096x4096 -r 16 --layers 32",
    ],
)
def test_a_few_typed_numbers_load_nothing_heavy(line: str) -> None:
    program = (
        "import sys; from llmcalc.cli import app\n"
        f"app({line.split()!r}, standalone_mode=False)\n"
        f"print(*(m for m in {HEAVY!r} if m in sys.modules), file=sys.stderr)"
    )
    run = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True
    )
    assert run.stderr.split() == []
    assert run.stdout.strip()


def test_ctrl_c_is_caught_before_anything_loads() -> None:
    """What loads before main() would answer Ctrl-C with a traceback."""
    program = (
        "import sys, gc; before = set(sys.modules); import llmcalc.__main__\n"
        "print(*sorted(set(sys.modules) - before))"
    )
    run = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True
    )
    assert run.stdout.split() == ["llmcalc", "llmcalc.__main__"]


@pytest.mark.parametrize("name", SUMMARIES)
def test_the_help_page_says_what_the_command_says_of_itself(name: str) -> None:
    command = load(name)
    assert command.help.strip().partition("\n")[0] == SUMMARIES[name]
    assert len(SUMMARIES[name]) <= 60


@pytest.mark.parametrize("name", SUMMARIES)
def test_every_command_helps_with_examples_and_short_lines(name: str, run) -> None:  # type: ignore[no-untyped-def]
    text = run(name, "--help").stdout
    assert "Examples:" in text
    assert f"  llmcalc {name} " in text
    assert max(map(len, text.splitlines())) <= 80


@pytest.mark.parametrize("name", SUMMARIES)
def test_no_option_is_declared_twice_or_looks_like_a_number(name: str) -> None:
    names = [name for param in load(name).params for name in param.opts]
    assert len(names) == len(set(names))
    numbers = {f"-{letter}" for letter in "0123456789eEin"}
    assert not numbers & set(names)


def test_every_command_has_fields_to_complete() -> None:
    assert list(FIELDS) == list(SUMMARIES)
    assert all(len(set(keys)) == len(keys) for keys in FIELDS.values())
