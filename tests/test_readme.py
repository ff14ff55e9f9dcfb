"""The README is true: each example prints what it shows, each list is complete."""

import doctest
import os
import re
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest
from running import Run, on_a_terminal

from llmcalc.cli.commands import SUMMARIES, load
from llmcalc.inputs.logprobs import families as logprob_families
from llmcalc.inputs.models import families as model_families
from llmcalc.inputs.vectors import families as vector_families

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")


def examples() -> list[object]:
    """Each ``$ command`` of a console block with the lines that follow it."""
    found = []
    for block in re.findall(r"```console\n(.*?)```", README, re.DOTALL):
        for example in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
            command, _, output = example.partition("\n")
            while command.endswith("\\"):
                more, _, output = output.partition("\n")
                command = f"{command}\n{more}"
            found.append(pytest.param(command, output, id=command[:60]))
    return found


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with an llmcalc that is the one under test."""
    folder = tmp_path_factory.mktemp("bin")
    program = folder / "llmcalc"
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m llmcalc "$@"\n')
    program.chmod(0o755)
    return folder


@pytest.mark.parametrize(("command", "output"), examples())
def test_an_example_prints_what_the_readme_shows(
    command: str, output: str, folder: Path
) -> None:
    settings = {
        "PATH": f"{folder}{os.pathsep}{os.environ['PATH']}",
        "PYTHONPATH": str(ROOT),
        "TERM": "dumb",
        "COLUMNS": "80",
        "LINES": "50",
        "LC_ALL": "C.UTF-8",
        "HOME": "/",
    }
    _, printed = on_a_terminal(["bash", "-c", command], settings, ROOT)
    assert bare(printed) == bare(output)


def bare(text: str) -> list[str]:
    return "\n".join(map(str.rstrip, text.splitlines())).strip("\n").splitlines()


def test_the_python_of_the_readme_is_true() -> None:
    blocks = re.findall(r"```python\n(.*?)```", README, re.DOTALL)
    assert blocks
    for block in blocks:
        test = doctest.DocTestParser().get_doctest(block, {}, "README", None, None)
        assert test.examples
        assert doctest.DocTestRunner().run(test).failed == 0


def formats(families: Iterable[Any]) -> list[str]:
    return [f"- `{family.name}`: {family.title}" for family in families]


def model_types() -> list[str]:
    return [", ".join(f"`{name}`" for name in model_families.FAMILIES)]


def option_lines() -> list[str]:
    """Each option once, with the commands that have it."""
    owners: dict[str, list[str]] = {}
    for name in SUMMARIES:
        for param in load(name).params:
            if param.param_type_name == "option" and "--help" not in param.opts:
                spelled = ", ".join(f"`{option}`" for option in param.opts)
                owners.setdefault(f"{spelled}: {param.help}", []).append(name)
    every = len(SUMMARIES)
    return [
        f"- {line}" + ("" if len(names) == every else f" ({', '.join(names)})")
        for line, names in sorted(owners.items(), key=lambda pair: -len(pair[1]))
    ]


LISTS = {
    "logprob formats": lambda: formats(logprob_families.FAMILIES),
    "vector formats": lambda: formats(vector_families.FAMILIES),
    "model types": model_types,
    "options": option_lines,
}


@pytest.mark.parametrize("name", LISTS)
def test_a_list_of_the_readme_is_that_of_the_program(name: str) -> None:
    [shown] = re.findall(f"<!-- {name} -->\n(.*?)<!-- end -->", README, re.DOTALL)
    assert shown.splitlines() == LISTS[name]()


def test_the_picture_is_what_save_writes(tmp_path: Path, run: Run) -> None:
    [(path, words)] = re.findall(r"!\[.*?\]\((.*?)\)\n\n`llmcalc (.*?)`", README)
    saved = tmp_path / "picture.svg"
    result = run(*words.split()[:-1], str(saved), folder=ROOT)
    assert result.exit_code == 0
    texts = re.compile(r">([^<]+)</text>")
    shown = texts.findall((ROOT / path).read_text(encoding="utf-8"))
    assert shown
    assert texts.findall(saved.read_text(encoding="utf-8")) == shown


def test_the_readme_never_installs_from_the_index() -> None:
    assert not re.search(r"pip install (?!(-q )?['\"]?(\.|git\+))", README)
    run = subprocess.run(
        [
            "git",
            "grep",
            "-n",
            "pip install llmcalc",
            "--",
            ".",
            ":!tests/test_readme.py",
        ],
        capture_output=True,
        text=True,
        cwd=ROOT,
    )
    assert run.stdout == ""
