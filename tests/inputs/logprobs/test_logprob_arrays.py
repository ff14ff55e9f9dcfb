"""Log-probs in npy, npz, Parquet and Arrow: rows, masks, padding, faults."""

import io
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from inputs.logprobs.written import Found, read_file

from llmcalc.errors import LlmcalcError
from llmcalc.inputs.logprobs.array_checks import checked_array
from llmcalc.inputs.logprobs.checks import Scale, checked
from llmcalc.inputs.logprobs.document import LOGS, ReadOptions
from llmcalc.inputs.logprobs.notes import Notes
from llmcalc.inputs.logprobs.reader import open_logprobs
from llmcalc.inputs.source import Source


def npy(values: Any) -> bytes:
    file = io.BytesIO()
    np.save(file, np.asarray(values))
    return file.getvalue()


def npz(**arrays: Any) -> bytes:
    file = io.BytesIO()
    np.savez(file, **{name: np.asarray(array) for name, array in arrays.items()})
    return file.getvalue()


@pytest.mark.parametrize("dtype", ["f2", "<f4", ">f4", "<f8", ">f8"])
def test_a_vector_is_one_document(dtype: str, tmp_path: Path) -> None:
    found = read_file(tmp_path, npy(np.array([-1.5, -0.25], dtype)))
    assert found.logprobs == [-1.5, -0.25]
    assert found.reading.format == "npy"
    assert len(found.documents) == 1


def test_rows_are_documents(tmp_path: Path) -> None:
    found = read_file(tmp_path, npy([[-1.5, -0.25], [-2.5, -3.0]]))
    assert [list(d.logprobs) for d in found.documents] == [[-1.5, -0.25], [-2.5, -3.0]]
    assert found.documents[1].where.place(1) == "given: row 1, index 1"


def test_long_vectors_come_in_pieces(tmp_path: Path) -> None:
    values = -np.random.default_rng(1).random(300_000)
    found = read_file(tmp_path, npy(values))
    assert found.logprobs == values.tolist()
    assert [d.continues for d in found.documents] == [False, True, True]
    last = found.documents[-1]
    assert last.where.place(len(last.logprobs) - 1) == "given: index 299999"


@pytest.mark.parametrize("name", ["logprobs", "log_probs", "transition_scores"])
def test_the_array_of_an_archive_is_known_by_its_name(
    name: str, tmp_path: Path
) -> None:
    content = npz(token_ids=[5, 6], **{name: [-1.5, -0.25]})
    assert read_file(tmp_path, content).logprobs == [-1.5, -0.25]


def test_an_archive_that_does_not_say_names_its_choices(tmp_path: Path) -> None:
    with pytest.raises(LlmcalcError, match="a, b"):
        read_file(tmp_path, npz(a=[-1.0], b=[-2.0]))
    path = tmp_path / "given"
    reading = open_logprobs(Source("given", str(path), "b"), ReadOptions())
    assert [list(d.logprobs) for d in reading.documents] == [[-2.0]]
    reading.close()
    with pytest.raises(LlmcalcError, match="'c'"):
        read_file(tmp_path, path.read_bytes(), ReadOptions(column="c"))


MASKED = {"logprobs": [[-1.5, 0.0], [-2.5, -3.0]], "mask": [[1, 0], [1, 1]]}


def test_a_mask_of_the_archive_says_what_is_scored(tmp_path: Path) -> None:
    found = read_file(tmp_path, npz(**MASKED), ReadOptions(mask="mask"))
    assert [list(d.logprobs) for d in found.documents] == [[-1.5], [-2.5, -3.0]]
    assert found.skipped == 1
    assert found.notes == []


@pytest.mark.parametrize("write", [npy, lambda rows: b"1 0\n1 1\n"])
def test_a_mask_may_be_a_file(write: Callable[[Any], bytes], tmp_path: Path) -> None:
    mask = tmp_path / "mask"
    mask.write_bytes(write(MASKED["mask"]))
    options = ReadOptions(mask=str(mask))
    assert read_file(tmp_path, npy(MASKED["logprobs"]), options).skipped == 1


def test_what_is_masked_is_not_judged(tmp_path: Path) -> None:
    rows = [[math.nan, -1.5, 7.0], [-2.5, -9999.0, -3.0]]
    mask = [[0, 1, 0], [1, 0, 1]]
    options = ReadOptions(mask="mask")
    found = read_file(tmp_path, npz(logprobs=rows, mask=mask), options)
    assert found.logprobs == [-1.5, -2.5, -3.0]
    assert found.documents[1].where.place(1) == "given: row 1, index 2"


def test_a_mask_of_another_shape_is_refused(tmp_path: Path) -> None:
    content = npz(logprobs=[-1.0, -2.0], mask=[1])
    with pytest.raises(LlmcalcError, match="shape"):
        read_file(tmp_path, content, ReadOptions(mask="mask"))


@pytest.mark.parametrize("pad", [0.0, -100.0])
@pytest.mark.parametrize("left", [True, False])
def test_padded_rows_are_remarked(pad: float, left: bool, tmp_path: Path) -> None:
    row = [pad, -1.5, -2.5] if left else [-1.5, -2.5, pad]
    found = read_file(tmp_path, npy([[-3.0, -4.0, -5.0], row]))
    assert any("row 1" in note and "padding" in note for note in found.notes)
    assert read_file(tmp_path, npy(row)).notes == []
    alone = read_file(tmp_path, npy([pad, *row] if left else [*row, pad]))
    assert any(note.startswith("given: 1 of the rows") for note in alone.notes)


@pytest.mark.parametrize(
    ("value", "words"),
    [(math.nan, "nan"), (0.5, "0.5"), (-9999.0, "--sentinel"), (7, "7.0")],
)
def test_a_fault_is_named_with_its_place(
    value: float, words: str, tmp_path: Path
) -> None:
    rows = np.full((2, 3), -1.5)
    rows[1, 2] = value
    with pytest.raises(LlmcalcError, match=f"given: row 1, index 2: .*{words}"):
        read_file(tmp_path, npy(rows))
    with pytest.raises(LlmcalcError, match=f"given: index 2: .*{words}"):
        read_file(tmp_path, npy(rows[1]))


def test_three_axes_and_parts_are_refused(tmp_path: Path) -> None:
    with pytest.raises(LlmcalcError, match="shape"):
        read_file(tmp_path, npy(np.zeros((2, 2, 2))))
    with pytest.raises(LlmcalcError, match="--part"):
        read_file(tmp_path, npy([-1.0]), ReadOptions(part="prompt"))


def test_a_mask_goes_with_arrays_only(tmp_path: Path) -> None:
    with pytest.raises(LlmcalcError, match="--mask"):
        read_file(tmp_path, b"-0.5\n", ReadOptions(mask="mask"))


SPECIAL = [0.0, -0.0, 1e-6, 2e-6, -100.0, -9999.0, -math.inf, math.inf, math.nan, 0.5]
SCALES = st.builds(
    Scale,
    base=st.sampled_from(sorted(LOGS)),
    nll=st.booleans(),
    probs=st.booleans(),
    sentinel=st.sampled_from(["error", "skip", "inf"]),
)


@settings(max_examples=300)
@given(
    hnp.arrays(np.float64, st.integers(0, 6), elements=st.floats(-200, 0.001))
    | st.lists(st.sampled_from(SPECIAL) | st.floats(-50, 0), max_size=6).map(np.array),
    SCALES,
)
def test_arrays_are_judged_as_lists_are(values: Any, scale: Scale) -> None:
    outcomes: list[Any] = []
    values = np.asarray(values, np.float64)
    for judge, given_values in ((checked_array, values), (checked, values.tolist())):
        notes = Notes()
        try:
            found = judge(given_values, scale, str, notes)  # type: ignore[operator]
        except LlmcalcError as error:
            outcomes.append(str(error))
        else:
            logprobs = np.asarray(found.logprobs).tolist()
            outcomes.append((logprobs, list(found.dropped), notes.lines()))
    if isinstance(outcomes[0], str) or not scale.probs:
        assert outcomes[0] == outcomes[1]
    else:
        # Logarithms of arrays may differ in the last place.
        assert outcomes[0][1:] == outcomes[1][1:]
        assert outcomes[0][0] == pytest.approx(outcomes[1][0], rel=1e-15)


class Columns:
    """Tables that pyarrow writes; skipped where it is not installed."""

    def __init__(self, folder: Path, columns: dict[str, Any]) -> None:
        self.folder = folder
        self.arrow = pytest.importorskip("pyarrow")
        self.table = self.arrow.table(columns)

    def read(self, form: str, options: ReadOptions | None = None) -> Found:
        path = self.folder / "table"
        if form == "parquet":
            import pyarrow.parquet

            pyarrow.parquet.write_table(self.table, path)
        else:
            new = getattr(self.arrow.ipc, f"new_{form}")
            with new(str(path), self.table.schema) as writer:
                writer.write_table(self.table)
        return read_file(self.folder, path.read_bytes(), options)


every_form = pytest.mark.parametrize("form", ["parquet", "file", "stream"])


@every_form
def test_a_column_of_numbers_is_a_document_an_id(form: str, tmp_path: Path) -> None:
    ids, values = [1, 1, 2], [-1.5, None, -2.5]
    table = Columns(tmp_path, {"doc_id": ids, "rank": [1, 2, 3], "logprob": values})
    found = table.read(form)
    assert [list(d.logprobs) for d in found.documents] == [[-1.5], [-2.5]]
    assert [d.id for d in found.documents] == ["1", "2"]
    assert (found.skipped, found.reading.format) == (1, "parquet")


@every_form
def test_a_column_of_lists_is_a_document_a_row(form: str, tmp_path: Path) -> None:
    rows = [[-1.5, -2.5], [None, -3.5]]
    tokens = [["a", "b"], ["c", "d"]]
    table = Columns(tmp_path, {"id": ["x", "y"], "tokens": tokens, "logprobs": rows})
    found = table.read(form, ReadOptions(want_tokens=True))
    assert found.logprobs == [-1.5, -2.5, -3.5]
    assert [d.id for d in found.documents] == ["x", "y"]
    assert [d.tokens for d in found.documents] == [["a", "b"], ["d"]]
    assert [d.nbytes for d in found.documents] == [2, 1]


@every_form
def test_faults_of_a_column_are_named_with_their_row(form: str, tmp_path: Path) -> None:
    with pytest.raises(LlmcalcError, match=r"given: row 1: 0\.5 is above 0"):
        Columns(tmp_path, {"logprob": [-1.0, 0.5]}).read(form)
    with pytest.raises(LlmcalcError, match=r"row 1, index 1: 0\.5 is above 0"):
        Columns(tmp_path, {"logprobs": [[-1.0], [-1.0, 0.5]]}).read(form)
    with pytest.raises(LlmcalcError, match="a, b"):
        Columns(tmp_path, {"a": [-1.0], "b": [-1.0]}).read(form)
    with pytest.raises(LlmcalcError, match="--nll"):
        Columns(tmp_path, {"surprisal": [1.0]}).read(form)


def test_a_table_that_is_cut_off_is_refused(tmp_path: Path) -> None:
    pytest.importorskip("pyarrow")
    with pytest.raises(LlmcalcError, match="damaged"):
        read_file(tmp_path, b"PAR1 and no more", None)


def test_a_table_without_the_extra_names_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(__import__("sys").modules, "pyarrow", None)
    with pytest.raises(LlmcalcError, match="extra 'parquet'"):
        read_file(tmp_path, b"PAR1 and no more")
