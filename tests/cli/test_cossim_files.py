"""`llmcalc cossim` on several files: parts they share, standard input, labels."""

import json
from pathlib import Path

import numpy as np
import pytest
from running import Run

ROWS = np.array([[0.5, -2.0, 1.0], [3.0, 0.25, 2.0], [1.0, -4.0, 2.0]])


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    np.save(tmp_path / "rows.npy", ROWS)
    np.savez(tmp_path / "sets.npz", a=ROWS, b=-ROWS)
    (tmp_path / "words.txt").write_text("the 0.5 -2 1\nzed 0 0 0\nof 3 .25 2\n")
    (tmp_path / "names.txt").write_text("one\ntwo\nthree\n")
    return tmp_path


@pytest.mark.parametrize(
    "line",
    [
        "rows.npy --against sets.npz --key b",
        "rows.npy --against sets.npz:b",
        "0.5,-2,1 3,.25,2 1,-4,2 --against sets.npz --key b",
        "sets.npz:a --against sets.npz --key b",
        "sets.npz:a --against sets.npz:b --key a",
    ],
)
def test_a_part_is_for_the_files_that_have_some(
    run: Run, folder: Path, line: str
) -> None:
    result = run("cossim", *line.split(), "-k", "3", "--json", folder=folder)
    assert result.exit_code == 0, result.stderr
    for query in json.loads(result.stdout)["nearest"][::2]:
        assert [row["index"] for row in query] == [1, 0, 2]
        assert [row["similarity"] for row in query][1:] == [-1.0, -1.0]


@pytest.mark.parametrize(
    "line",
    [
        "rows.npy:x", "rows.npy --key x", "1,2,3 rows.npy --key x",
        "1,2,3 --against rows.npy --key x", "rows.npy --against sets.npz:x",
        "rows.npy:x --against sets.npz:a", "words.txt:x", "1,2 3,4 --key x",
    ],
)  # fmt: skip
def test_a_part_that_is_not_there_is_refused(run: Run, folder: Path, line: str) -> None:
    result = run("cossim", *line.split(), folder=folder)
    assert (result.exit_code, result.stdout) == (2, "")
    assert "'x'" in result.stderr


def test_a_threshold_lists_all_that_reach_it(run: Run, folder: Path) -> None:
    rows = np.random.default_rng(4).integers(-3, 4, (40, 3)) + 0.5
    np.save(folder / "many.npy", rows)
    norms = np.sqrt((rows * rows).sum(axis=1))
    cosines = rows @ rows.T / np.outer(norms, norms)
    line = "many.npy --against many.npy --json --threshold"
    result = run("cossim", *line.split(), "0.2", folder=folder)
    got = json.loads(result.stdout)["nearest"]
    assert [len(query) for query in got] == (cosines >= 0.2).sum(axis=1).tolist()
    assert result.stderr == ""
    assert max(map(len, got)) > 10
    result = run("cossim", *line.split(), "-1", folder=folder)
    assert {len(query) for query in json.loads(result.stdout)["nearest"]} == {40}
    assert result.stderr == ""
    result = run("cossim", *line.split(), "-1", "-k", "3", folder=folder)
    assert "40 queries have more rows" in result.stderr


@pytest.mark.parametrize("line", ["- -", "- --against -", "- --labels -"])
def test_standard_input_is_read_once(run: Run, folder: Path, line: str) -> None:
    result = run("cossim", *line.split(), folder=folder, stdin=b"1 2 3\n3 4 5\n")
    assert (result.exit_code, result.stdout) == (2, "")
    assert "only once" in result.stderr


def test_zero_rows_are_named_with_their_labels(run: Run, folder: Path) -> None:
    result = run("cossim", "words.txt", folder=folder)
    assert "words.txt: line 2 (label 'zed') is a zero vector" in result.stderr
    np.save(folder / "zeros.npy", ROWS * [[1], [0], [0]])
    result = run("cossim", "zeros.npy", "--labels", "names.txt", folder=folder)
    assert "zeros.npy: index 1 (label 'two'), index 2 (label 'three') are" in (
        result.stderr
    )
