"""The completion scripts answer in the three real shells as the command tree says."""

import os
import pty
import select
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
SCRIPTS = ROOT / "completions"

# What is typed, what must be offered, what must not.
LINES = [
    ("llmcalc ", ["ppl", "attn-scale", "cossim", "softmax", "lora"], ["--format"]),
    ("llmcalc so", ["softmax"], ["ppl"]),
    ("llmcalc --ver", ["--version"], ["--json"]),
    ("llmcalc ppl --js", ["--json"], ["--precision"]),
    ("llmcalc ppl -0.5 -1.2 --js", ["--json"], ["--precision"]),
    ("llmcalc softmax --format j", ["json", "jsonl"], ["table"]),
    ("llmcalc softmax -f t", ["table", "tsv"], ["json"]),
    ("llmcalc cossim --field ang", ["angle_deg", "angle_rad"], ["dot"]),
    ("llmcalc lora --save pic", ["picture.svg"], ["notes.txt"]),
    ("llmcalc lora note", ["notes.txt"], ["picture.svg"]),
    ("llmcalc ppl --precision ", [], ["notes.txt", "picture.svg", "--json"]),
    ("llmcalc attn-scale --caus", ["--causal"], ["--config"]),
]


# The value behind an equals sign; fish offers the whole word.
BEHIND_EQUALS = [
    ("llmcalc softmax --format=j", {"json", "jsonl"}),
    ("llmcalc cossim --against=note", {"notes.txt"}),
]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name in ("notes.txt", "picture.svg"):
        (tmp_path / name).touch()
    return tmp_path


def test_the_scripts_are_those_of_the_command_tree() -> None:
    command = [sys.executable, str(SCRIPTS / "generate.py"), "--check"]
    # The program of this checkout, whatever is installed.
    settings = {**os.environ, "PYTHONPATH": str(ROOT)}
    run = subprocess.run(
        command, capture_output=True, text=True, cwd=ROOT, env=settings
    )
    assert run.returncode == 0, run.stdout + run.stderr


@pytest.mark.parametrize(
    ("shell", "script"),
    [("bash", "llmcalc.bash"), ("zsh", "_llmcalc"), ("fish", "llmcalc.fish")],
)
def test_the_shell_parses_its_script(shell: str, script: str) -> None:
    run = subprocess.run(
        [needed(shell), "-n", str(SCRIPTS / script)], capture_output=True, text=True
    )
    assert (run.returncode, run.stderr) == (0, "")


@pytest.mark.parametrize(("line", "offered", "absent"), LINES)
def test_bash(line: str, offered: list[str], absent: list[str], folder: Path) -> None:
    check(bash_offers(line, folder), offered, absent)


@pytest.mark.parametrize(("line", "offered"), BEHIND_EQUALS)
def test_bash_takes_an_equals_sign_for_a_word_of_its_own(
    line: str, offered: set[str], folder: Path
) -> None:
    assert bash_offers(line.replace("=", " = "), folder) == offered
    assert "plain" in bash_offers("llmcalc softmax --format =", folder)


@pytest.mark.parametrize(("line", "offered", "absent"), LINES)
def test_fish(line: str, offered: list[str], absent: list[str], folder: Path) -> None:
    check(fish_offers(line, folder), offered, absent)


@pytest.mark.parametrize(("line", "offered"), BEHIND_EQUALS)
def test_fish_completes_behind_an_equals_sign(
    line: str, offered: set[str], folder: Path
) -> None:
    found = fish_offers(line, folder)
    assert {word.partition("=")[2] for word in found} == offered


@pytest.fixture(scope="module")
def zsh_answers(tmp_path_factory: pytest.TempPathFactory) -> dict[str, set[str]]:
    """One zsh on a terminal answers every line: each TAB logs what it offers."""
    folder = tmp_path_factory.mktemp("zsh")
    for name in ("notes.txt", "picture.svg"):
        (folder / name).touch()
    return {line: zsh_offers(line, folder) for line, *_ in [*LINES, *BEHIND_EQUALS]}


@pytest.mark.parametrize(("line", "offered", "absent"), LINES)
def test_zsh(
    line: str,
    offered: list[str],
    absent: list[str],
    zsh_answers: dict[str, set[str]],
) -> None:
    check(zsh_answers[line], offered, absent)


@pytest.mark.parametrize(("line", "offered"), BEHIND_EQUALS)
def test_zsh_completes_behind_an_equals_sign(
    line: str, offered: set[str], zsh_answers: dict[str, set[str]]
) -> None:
    assert zsh_answers[line] - {""} == offered


def check(found: set[str], offered: list[str], absent: list[str]) -> None:
    assert set(offered) <= found
    assert not found & set(absent)


def needed(shell: str) -> str:
    path = shutil.which(shell)
    if path is None:
        if os.environ.get("CI"):
            pytest.fail(f"{shell} must be installed where CI runs")
        pytest.skip(f"{shell} is not installed")
    return path


def bash_offers(line: str, folder: Path) -> set[str]:
    words = line.split(" ")
    listed = " ".join(f"'{word}'" for word in words)
    program = (
        f"source {SCRIPTS / 'llmcalc.bash'}; COMP_WORDS=({listed}); "
        f"COMP_CWORD={len(words) - 1}; _llmcalc; printf '%s\\n' \"${{COMPREPLY[@]}}\""
    )
    run = subprocess.run(
        [needed("bash"), "-c", program], capture_output=True, text=True, cwd=folder
    )
    assert run.stderr == ""
    return {word for word in run.stdout.splitlines() if word}


def fish_offers(line: str, folder: Path) -> set[str]:
    program = f"source {SCRIPTS / 'llmcalc.fish'}; complete -C {line!r}"
    run = subprocess.run(
        [needed("fish"), "--no-config", "-c", program],
        capture_output=True,
        text=True,
        cwd=folder,
    )
    return {row.partition("\t")[0] for row in run.stdout.splitlines()}


ZSH_SET_UP = """\
PROMPT='> '; RPROMPT=''; unsetopt zle_bracketed_paste 2>/dev/null
autoload -U compinit; compinit -u -D
source {script}
compadd() {{
  local -a hits; builtin compadd -O hits "$@"; print -rl -- $hits >> log
  builtin compadd "$@"
}}
zstyle ':completion:*' menu no
done-with-it() {{ zle expand-or-complete; : > finished; zle send-break }}
zle -N done-with-it; bindkey '^I' done-with-it
: > ready
"""


def zsh_offers(line: str, folder: Path) -> set[str]:
    for name in ("log", "ready", "finished"):
        (folder / name).unlink(missing_ok=True)
    set_up = folder / "set-up.zsh"
    set_up.write_text(ZSH_SET_UP.format(script=SCRIPTS / "_llmcalc"))
    child, terminal = pty.fork()
    if child == 0:  # pragma: no cover - the other process
        os.chdir(folder)
        os.execvp(needed("zsh"), ["zsh", "-f", "-i"])
    try:
        os.write(terminal, b"source ./set-up.zsh\n")
        wait_for(folder / "ready", terminal)
        os.write(terminal, f"{line}\t".encode())
        wait_for(folder / "finished", terminal)
    finally:
        os.close(terminal)
        os.waitpid(child, 0)
    log = folder / "log"
    return set(log.read_text().split("\n")) if log.exists() else set()


def wait_for(path: Path, terminal: int, seconds: float = 30) -> None:
    """Read what the shell prints, so that it never blocks, until the file is there."""
    end = time.monotonic() + seconds
    printed = b""
    while not path.exists():
        if select.select([terminal], [], [], 0.02)[0]:
            printed += os.read(terminal, 4096)
        assert time.monotonic() < end, printed[-2000:]
