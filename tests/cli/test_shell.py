"""llmcalc among other programs: pipes, signals, streams that fail, terminals."""

import gzip
import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from running import Run, on_a_terminal

PROGRAM = [sys.executable, "-m", "llmcalc"]
LINE = f"'{sys.executable}' -m llmcalc"
# These two hide what a pipe does to Python; the others change what a terminal is.
HIDING = {"PYTHONUNBUFFERED", "PYTHONDONTWRITEBYTECODE", "NO_COLOR", "FORCE_COLOR"}
ESCAPE = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")

ONE_OF_EACH = [
    "ppl -0.5 -1.2 -3",
    "softmax 2 1 0.5",
    "attn-scale 1,2,3 4,5,6",
    "cossim 1,2,3 4,5,7",
    "lora 4096 4096 -r 8",
]


def environment(**more: str) -> dict[str, str]:
    kept = {key: value for key, value in os.environ.items() if key not in HIDING}
    return {**kept, **more}


def shell(line: str, **more: str) -> subprocess.CompletedProcess[str]:
    command = ["bash", "-c", line]
    return subprocess.run(
        command, capture_output=True, text=True, env=environment(**more), timeout=60
    )


@pytest.mark.parametrize("words", ONE_OF_EACH)
@pytest.mark.parametrize("form", ["table", "plain", "json"])
def test_a_pipe_that_nobody_reads_is_no_message(words: str, form: str) -> None:
    reader, writer = os.pipe()
    os.close(reader)
    command = [*PROGRAM, *words.split(), "-f", form]
    run = subprocess.run(
        command, stdout=writer, stderr=subprocess.PIPE, env=environment()
    )
    os.close(writer)
    assert (run.returncode, run.stderr) == (1, b"")


@pytest.mark.parametrize("more", [{}, {"PYTHONUNBUFFERED": "1"}])
def test_the_first_line_of_very_many_is_enough(more: dict[str, str]) -> None:
    # Unbuffered, a stream of text would take a short write for a whole one.
    line = f"seq 100000 | {LINE} softmax - | head -1; echo ${{PIPESTATUS[*]}}"
    run = shell(line, **more)
    assert run.stdout.splitlines()[-1] == "0 1 0"
    assert len(run.stdout.splitlines()) == 2
    assert run.stderr == ""


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="a Linux device")
@pytest.mark.parametrize("form", ["table", "plain", "json"])
def test_a_full_disk_is_one_line(form: str) -> None:
    run = shell(f"{LINE} softmax 2 1 0.5 -f {form} > /dev/full")
    assert run.returncode == 1
    assert run.stderr == (
        "llmcalc softmax: error: standard output: No space left on device\n"
    )


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="a Linux device")
@pytest.mark.parametrize("words", ["--help", "--version", "softmax --help"])
def test_help_on_a_full_disk_is_one_line_too(words: str) -> None:
    run = shell(f"{LINE} {words} > /dev/full")
    assert run.returncode == 1
    assert re.fullmatch(r"llmcalc.*: error: standard output: No space.*\n", run.stderr)


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="a Linux device")
@pytest.mark.parametrize("ending", ["svg", "html", "txt"])
def test_a_picture_on_a_full_disk_is_named(
    ending: str, tmp_path: Path, run: Run
) -> None:
    path = tmp_path / f"picture.{ending}"
    path.symlink_to("/dev/full")
    result = run("softmax", "2", "1", "--save", str(path))
    assert (result.exit_code, result.stdout) == (1, "")
    assert result.stderr == f"llmcalc softmax: error: {path}: No space left on device\n"


@pytest.mark.parametrize("form", ["table", "plain", "json"])
def test_a_closed_standard_output_is_one_line(form: str) -> None:
    run = shell(f"{LINE} softmax 2 1 0.5 -f {form} >&-")
    assert run.returncode == 1
    assert run.stderr.count("\n") == 1
    assert "standard output" in run.stderr


def test_a_closed_standard_input_is_no_input() -> None:
    run = shell(f"{LINE} ppl <&-")
    assert (run.returncode, run.stdout) == (2, "")
    assert "no input" in run.stderr


def test_a_closed_standard_error_loses_only_messages() -> None:
    run = shell(f"{LINE} softmax 3 1 3 -t 0 2>&-")
    assert (run.returncode, run.stdout) == (0, "0.5\n0.0\n0.5\n")


def test_ctrl_c_is_130_and_silent() -> None:
    process = subprocess.Popen(
        [*PROGRAM, "ppl"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=environment(),
    )
    time.sleep(0.5)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=20)
    assert (process.returncode, out, err) == (130, b"", b"")


@pytest.mark.parametrize("words", ONE_OF_EACH)
@pytest.mark.parametrize(
    "more",
    [
        {"PYTHONIOENCODING": "ascii"},
        {"PYTHONIOENCODING": "latin-1"},
        {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"},
    ],
)
def test_no_encoding_breaks_a_table(words: str, more: dict[str, str]) -> None:
    run = shell(f"{LINE} {words} -f table", **more)
    assert (run.returncode, run.stderr) == (0, "")
    assert run.stdout.strip()


def shown(words: str, columns: int, **more: str) -> str:
    settings = environment(COLUMNS=str(columns), LINES="50", **more)
    status, text = on_a_terminal([*PROGRAM, *words.split()], settings)
    assert status == 0, text
    return text


@pytest.mark.parametrize("words", ONE_OF_EACH)
@pytest.mark.parametrize(
    ("columns", "terminal"), [(40, "dumb"), (40, "xterm"), (200, "xterm-256color")]
)
def test_a_terminal_gets_a_table_that_fits(
    words: str, columns: int, terminal: str
) -> None:
    text = shown(words, columns, TERM=terminal)
    lines = ESCAPE.sub("", text).splitlines()
    assert len(lines) > 2
    assert "…" not in text
    assert max(map(len, lines)) <= columns


@pytest.mark.parametrize("words", ["ppl -1 -2", "attn-scale --simulate --trials 9"])
@pytest.mark.parametrize("columns", [2, 8])
def test_a_terminal_too_narrow_for_a_drawing_breaks_nothing(
    words: str, columns: int
) -> None:
    assert shown(words, columns, TERM="dumb")


@pytest.mark.parametrize("words", ONE_OF_EACH)
def test_colour_can_be_switched_off(words: str) -> None:
    coloured = shown(words, 80, TERM="xterm-256color")
    assert ESCAPE.search(coloured)
    assert not ESCAPE.search(shown(words, 80, TERM="dumb"))
    plain = shown(words, 80, TERM="xterm-256color", NO_COLOR="1")
    assert not re.search(r"\x1b\[[0-9;]*3[0-9]", plain)


@pytest.mark.parametrize("words", ONE_OF_EACH)
@pytest.mark.parametrize("form", ["plain", "tsv", "csv", "json", "jsonl", "table"])
def test_every_format_writes_something(words: str, form: str, run: Run) -> None:
    result = run(*words.split(), "-f", form)
    assert (result.exit_code, result.stderr) == (0, "")
    assert result.stdout.endswith("\n")
    if form == "json":
        assert isinstance(json.loads(result.stdout), dict)
    if form == "jsonl":
        assert all(isinstance(json.loads(r), dict) for r in result.stdout.splitlines())
    if form in ("tsv", "csv"):
        mark = "\t" if form == "tsv" else ","
        assert len({line.count(mark) for line in result.stdout.splitlines()}) == 1


@pytest.mark.parametrize(
    ("words", "key", "value"),
    [
        ("ppl -0.5 -1.2", "n", 2),
        ("ppl -0.5 --json -1.2", "n", 2),
        ("ppl --json -.5 -1e-3 -1e0", "n", 3),
        ("ppl -0.5,-1.2 -3", "n", 3),
        ("ppl -inf -1", "ppl", "Infinity"),
        ("ppl -- -1 -2", "n", 2),
        ("ppl −1 −2", "n", 2),
        ("softmax -3 -1 -p 3 -2.5 -.5", "n", 4),
        ("softmax -1e308 -5e-3 -t 2 -7", "n", 3),
        ("cossim -1,2,-3 -t4", "", None),
    ],
)
def test_negative_numbers_stand_anywhere(
    words: str, key: str, value: object, run: Run
) -> None:
    command, *rest = words.split()
    result = run(command, *([] if "--json" in rest else ["--json"]), *rest)
    if not key:
        assert result.exit_code == 2
        assert "No such option" in result.stderr
    else:
        assert json.loads(result.stdout)[key] == value


@pytest.mark.parametrize(
    ("words", "pieces"),
    [
        ("softmax 1 2 --tmep 3", ["No such option", "--temp"]),
        ("sofmax 1 2", ["No such command", "softmax"]),
        ("ppl -0.5abc", ["-0.5abc", "not a number"]),
        ("ppl no-such-file", ["no-such-file", "not a number", "no file"]),
        ("softmax 1 2 --json -f csv", ["--json", "csv"]),
        ("softmax 1 2 --save p.png", ["p.png", ".svg"]),
        ("softmax 1 1 -t 0 --field ppl", ["no field 'ppl'", "probs"]),
        ("softmax 1 2 -p 0", ["0", "1<=x<=17"]),
        ("ppl .", ["is a folder"]),
        ("lora org/model -r 8", ["'org/model'", "config.json"]),
        ("ppl -1 --compare -0.6", ["error: -0.6: no such file"]),
        ("ppl -1 --field -1", ["no field '-1'"]),
        ("ppl -1 -2 --mask m.npy", ["typed numbers", "--mask"]),
        ("ppl -1 -2 --part prompt", ["typed numbers", "--part"]),
        ("ppl -1 -2 --input-format vllm", ["typed numbers", "vllm"]),
        ("ppl -1 -2 --column x", ["no part 'x'"]),
    ],
)
def test_what_is_wrong_is_said_with_status_2(
    words: str, pieces: list[str], run: Run
) -> None:
    result = run(*words.split())
    assert (result.exit_code, result.stdout) == (2, "")
    assert all(piece in result.stderr for piece in pieces)
    assert result.stderr.count("\n") == 1 or result.stderr.startswith("Usage:")


@pytest.mark.parametrize(
    "command", ["ppl", "softmax", "cossim", "lora -r 2", "attn-scale 1"]
)
@pytest.mark.parametrize(
    "content",
    [b"", b"\n \n", b"# 1\n", b"\xef\xbb\xbf", b"\xff\xfe", b"\xff\xfe\0\0", b"[]",
     b"{}", gzip.compress(b"")],
)  # fmt: skip
def test_a_file_without_content_is_one_line(
    command: str, content: bytes, run: Run, tmp_path: Path
) -> None:
    (tmp_path / "nothing").write_bytes(content)
    result = run(*command.split(), "nothing", folder=tmp_path)
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.count("\n") == 1
    assert "nothing" in result.stderr


def test_quiet_says_nothing(run: Run) -> None:
    words = ("softmax", "3", "1", "3", "-t", "0")
    assert "warning" in run(*words).stderr
    assert run(*words, "-q").stderr == ""


def test_a_picture_is_saved_beside_the_result(tmp_path: Path, run: Run) -> None:
    for ending in ("svg", "html", "txt"):
        path = tmp_path / f"picture.{ending}"
        result = run("softmax", "2", "1", "--save", str(path))
        assert result.exit_code == 0
        assert len(result.stdout.splitlines()) == 2
        assert path.stat().st_size > 100
    result = run("softmax", "2", "1", "--save", str(tmp_path / "no" / "p.svg"))
    assert (result.exit_code, result.stderr.count("\n")) == (1, 1)
