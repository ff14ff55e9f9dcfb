"""However many processes share the work, the result is the same to the last digit."""

import json
import os
import random
import signal
import subprocess
import sys

import pytest

from llmcalc.cli import ppl_ask, ppl_gather, ppl_pool

RANDOM = random.Random(11)
LINES = [repr(-RANDOM.expovariate(0.5)) for _ in range(3000)]


@pytest.fixture(autouse=True)
def small_is_large(monkeypatch):
    cut_small_files(monkeypatch)


def cut_small_files(monkeypatch):
    # Forks take these along, so that small files are cut and shared.
    monkeypatch.setattr(ppl_pool, "RANGE", 4000)
    for module in (ppl_ask, ppl_gather, ppl_pool):
        monkeypatch.setattr(module, "WORTH", 1000)


@pytest.fixture
def files(tmp_path):
    (tmp_path / "lines.txt").write_text("\n".join(LINES))
    records = [
        json.dumps({"id": f"r{i}" if i % 3 else None, "logprobs": [float(x), -1.0]})
        for i, x in enumerate(LINES[:700])
    ]
    (tmp_path / "docs.jsonl").write_text("\n".join(records) + "\n")
    chosen = [
        {"index": 0, "logprobs": {"content": [{"token": "a", "logprob": float(x)}]}}
        for x in LINES[:300]
    ]
    bodies = [json.dumps({"id": f"c{i}", "choices": [c]}) for i, c in enumerate(chosen)]
    (tmp_path / "chat.jsonl").write_text("\n".join(bodies))
    return tmp_path


def outcome(run, files, *words):
    result = run("ppl", *words, folder=files)
    return result.exit_code, result.stdout, result.stderr


def by_workers(run, files, *words):
    """Return the outcomes of one process, of several, and of the default."""
    found = [outcome(run, files, *words, "--workers", n) for n in ("1", "2", "5")]
    return [*found, outcome(run, files, *words)]


def whole(run, files, monkeypatch, *words):
    """Return the outcome where nothing is cut."""
    monkeypatch.setattr(ppl_pool, "RANGE", 1 << 40)
    return outcome(run, files, *words, "--workers", "1")


@pytest.mark.parametrize(
    "words",
    [
        ["lines.txt", "--json"],
        ["docs.jsonl", "--json", "--by", "document"],
        ["chat.jsonl", "--json"],
        ["lines.txt", "docs.jsonl", "--json", "--by", "file"],
        ["lines.txt", "--worst", "7", "-f", "tsv"],
        ["docs.jsonl", "--worst", "7", "-f", "tsv"],
    ],
    ids=" ".join,
)
def test_the_number_of_processes_and_the_cuts_change_nothing(
    run, files, monkeypatch, words
):
    found = by_workers(run, files, *words)
    want = whole(run, files, monkeypatch, *words)
    if "--worst" in words and words[0] != "lines.txt":
        # In a range, records have no number, only lines.
        assert len({stdout for _, stdout, _ in found}) == 1
        return
    assert set(found) == {want}
    assert want[0] == 0


def test_the_course_does_not_depend_on_the_processes(run, files):
    found = {outcome(run, files, "lines.txt", "-f", "table", "--workers", n)
             for n in ("1", "3")}  # fmt: skip
    assert len(found) == 1


@pytest.mark.parametrize("line", [1, 1500, 3001])
def test_places_are_those_of_the_whole_file(run, files, monkeypatch, line):
    lines = [*LINES[: line - 1], "-inf", *LINES[line - 1 :]]
    (files / "inf.txt").write_text("\n".join(lines))
    found = by_workers(run, files, "inf.txt")
    assert set(found) == {whole(run, files, monkeypatch, "inf.txt")}
    assert f"inf.txt: line {line}: 1 of the log-probs -inf" in found[0][2]


@pytest.mark.parametrize("wrong", ["-0.9.1", "0.83", "nan", "-9999"])
@pytest.mark.parametrize("line", [1, 1500, 3001])
def test_faults_are_those_of_the_whole_file(run, files, monkeypatch, wrong, line):
    lines = [*LINES[: line - 1], wrong, *LINES[line - 1 :]]
    (files / "bad.txt").write_text("\n".join(lines))
    found = by_workers(run, files, "bad.txt")
    assert set(found) == {whole(run, files, monkeypatch, "bad.txt")}
    assert found[0][0] == 2
    assert f"bad.txt: line {line}: " in found[0][2]


@pytest.mark.parametrize(
    "spoilt",
    [
        lambda lines: [*lines[:400], '{"id": "x", "logprobs": [0.5]}', *lines[400:]],
        lambda lines: [*lines[:400], '{"broken": ', *lines[400:]],
        lambda lines: [*lines[:400], "", "", *lines[400:]],
        # A record over several lines, which no cut may fall into.
        lambda lines: [*lines[:400], "[", *(f"{x}," for x in LINES), "-1]", lines[0]],
    ],
    ids=["a fault", "cut off", "blank lines", "a long record"],
)
def test_records_that_cannot_be_read_apart_are_read_as_a_whole(
    run, files, monkeypatch, spoilt
):
    lines = (files / "docs.jsonl").read_text().splitlines()
    (files / "spoilt.jsonl").write_text("\n".join(spoilt(lines)))
    found = by_workers(run, files, "spoilt.jsonl", "--json")
    assert set(found) == {whole(run, files, monkeypatch, "spoilt.jsonl", "--json")}


def test_a_part_that_auto_chose_holds_in_every_range(run, files, monkeypatch):
    def reply(prompt):
        own = {"1": {"logprob": -2.0, "rank": 1, "decoded_token": "a"}}
        choice = {"index": 0, "logprobs": {"content": [{"token": "b", "logprob": -1}]}}
        return json.dumps({"prompt_logprobs": [None, own] if prompt else None,
                           "choices": [choice]})  # fmt: skip

    for name, prompts in (("late", [True] * 40 + [False] * 90), ("early", [False] * 90
                          + [True] * 40)):  # fmt: skip
        path = f"{name}.jsonl"
        (files / path).write_text("\n".join(map(reply, prompts)))
        for words in ([path, "--json"], [path, "--json", "--part", "all"]):
            found = {one[:2] for one in by_workers(run, files, *words)}
            monkeypatch.undo()
            assert found == {outcome(run, files, *words)[:2]}
            cut_small_files(monkeypatch)


def test_sixteen_bit_and_packed_text_is_read_as_a_whole(run, files):
    import gzip

    text = "\n".join(LINES)
    (files / "wide.txt").write_text(text, encoding="utf-16")
    (files / "packed.txt").write_bytes(gzip.compress(text.encode()))
    want = outcome(run, files, "lines.txt")
    assert outcome(run, files, "wide.txt", "--workers", "3") == want
    assert outcome(run, files, "packed.txt", "--workers", "3") == want


def be_killed(task):
    os.kill(os.getpid(), signal.SIGKILL)


@pytest.mark.skipif(sys.platform != "linux", reason="only a fork takes the patch along")
def test_a_killed_process_ends_the_run_with_one_line(run, files, monkeypatch):
    monkeypatch.setattr(ppl_pool, "run_task", be_killed)
    status, printed, said = outcome(run, files, "lines.txt", "--workers", "2")
    assert (status, printed) == (1, "")
    assert said.count("\n") == 1
    assert "a process: was killed" in said


def test_a_small_input_loads_no_processes(files):
    program = (
        "import sys; from llmcalc.cli import app\n"
        "app(['ppl', 'lines.txt'], standalone_mode=False)\n"
        "print(*(m for m in ('multiprocessing', 'numpy', 'rich') if m in sys.modules))"
    )
    run = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, cwd=files
    )
    assert run.stdout.splitlines()[1:] == [""]
