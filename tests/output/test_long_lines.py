"""Long lines reach standard output as they come; a .npy file grows by rows."""

import io
import mmap
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from llmcalc.inputs.mapped import let_go
from llmcalc.output.npy_file import NpyFile
from llmcalc.output.show import write_lines


def test_long_lines_are_written_before_the_last_one_is_made(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    stream = io.StringIO()
    monkeypatch.setattr("sys.stdout", stream)
    seen: list[int] = []

    def lines() -> Iterator[str]:
        for _ in range(8):
            seen.append(stream.tell())
            yield "x" * (1 << 20)

    write_lines(lines())
    # Never more than two lines wait.
    assert all(i * (1 << 20) - at <= 2 << 20 for i, at in enumerate(seen))
    assert len(stream.getvalue()) == 8 * ((1 << 20) + 1)


def test_a_file_of_rows_is_an_array_of_its_shape(tmp_path: Path) -> None:
    path = tmp_path / "x.npy"
    with NpyFile(str(path), (2, 1, 3)) as file:
        file.write([1.0, 2.0, 3.0])
        file.write(np.array([4, 5, 6], dtype=np.float32))
        assert not path.exists()
    assert np.load(path).tolist() == [[[1, 2, 3]], [[4, 5, 6]]]


def test_a_file_that_cannot_be_is_an_os_error(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        NpyFile(str(tmp_path / "no" / "x.npy"), (1,))


def test_pages_that_are_let_go_are_read_again(tmp_path: Path) -> None:
    np.save(tmp_path / "x.npy", np.arange(10_000.0))
    mapped = np.load(tmp_path / "x.npy", mmap_mode="r")
    rows = mapped.reshape(-1, 100)
    assert isinstance(rows._mmap, mmap.mmap)
    before = rows.sum()
    let_go(rows)
    assert rows.sum() == before
    let_go(np.zeros(3))
    let_go([[1.0]])
