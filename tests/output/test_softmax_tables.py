"""What a person sees of softmax: order, dim cuts, one line of rest, every width."""

import json
import re
from pathlib import Path

import numpy as np
import pytest
from rich.console import Console
from running import Run

from llmcalc.core.distribution import analyse
from llmcalc.core.distribution_rows import analyse_rows
from llmcalc.core.filters import Filters
from llmcalc.core.logit_checks import index_place
from llmcalc.core.questions import Settings
from llmcalc.output.canvas import Canvas
from llmcalc.output.softmax_fields import Shown
from llmcalc.output.softmax_summary import summarize
from llmcalc.output.softmax_tables import ranges
from llmcalc.output.softmax_view import view

QUESTIONS = [
    [],
    ["-k", "2", "--top-p", "0.9"],
    ["--order", "all", "-k", "2"],
    ["--sweep", "0.1:10:5"],
    ["--compare", "2"],
    ["--sample", "20000"],
    ["--target-choices", "2"],
    ["--log", "--base", "2"],
    ["--compare", "2", "--sample", "20000", "--log"],
    ["--compare", "2", "--target-choices", "2"],
]


def drawn(width: int, settings: Settings, logits: list[float], **shown: object) -> str:
    row = analyse(logits, settings)
    console = Console(width=width, record=True, force_terminal=True, color_system=None)
    how = Shown(settings, **shown)  # type: ignore[arg-type]
    with console.capture() as capture:
        for renderable in view(row, how, Canvas(width)):
            console.print(renderable)
    return capture.get()


def test_tokens_stand_best_first_with_quoted_labels() -> None:
    text = drawn(80, Settings(), [0.0, 2.0, 1.0], labels=[["a", " b", "c\n"]])
    lines = [line for line in text.splitlines() if "'" in line]
    assert [line.split("'")[1] for line in lines] == [" b", "c\\n", "a"]
    assert [line.split()[:2] for line in lines] == [["1", "1"], ["2", "2"], ["3", "0"]]


def test_bars_are_as_long_as_their_probabilities() -> None:
    text = drawn(100, Settings(), [np.log(0.75), np.log(0.25)])
    long, short = (line.count("█") for line in text.splitlines() if "█" in line)
    assert long == pytest.approx(3 * short, abs=2)


def test_cut_tokens_are_marked_and_the_rest_is_summed() -> None:
    settings = Settings(filters=Filters(top_k=2))
    text = drawn(80, settings, [5.0, 4.0, 3.0, 2.0, 1.0], show=3)
    assert text.count("cut") == 1
    assert "2 more tokens, mass 0; 0 of them are kept" in text
    assert "2 of 5 kept in the order of hf" in text
    assert "would keep: vllm 2, llama.cpp 2, sglang 2" in text


def test_the_rest_has_the_mass_that_is_not_listed() -> None:
    text = drawn(80, Settings(), [0.0] * 8, show=6)
    assert "2 more tokens, mass 0.25" in text


@pytest.mark.parametrize("width", [60, 80, 100, 200])
def test_columns_go_before_numbers_fold(width: int) -> None:
    settings = Settings(draws=1000, compare=3.0, temperature=0.7)
    labels = [["a", "a name that is far longer than others", "c"]]
    logits = [0.123456789, -123.456789, 1e-5]
    text = drawn(width, settings, logits, labels=labels, log=True)
    table = text[: text.index("temperature T")]
    for number in ("-177", "e-77 ", "e-19 ", "drawn", "other"):
        assert number in table
    assert max(map(len, text.splitlines())) <= width
    assert ("rank" in table) == (width >= 100)


def test_draws_stand_beside_what_is_expected() -> None:
    text = drawn(80, Settings(draws=1000, seed=7), [0.0, 0.0])
    assert text.count("500.0") == 2


def test_a_sweep_shows_a_bar_and_a_curve() -> None:
    text = drawn(80, Settings(sweep=(0.5, 1.0, 2.0)), [2.0, 1.0, 0.0])
    assert "exp(H) over the temperatures" in text
    assert text.count("█") > 20


def test_an_engine_without_the_filter_says_so_in_its_line() -> None:
    settings = Settings(filters=Filters(typical_p=0.5), order="all")
    text = drawn(80, settings, [2.0, 1.0, 0.0])
    assert re.search(r"vllm +no --typical-p", text)


@pytest.mark.parametrize(
    ("indices", "words"),
    [
        ([], ""),
        ([4], "4"),
        ([0, 1, 2, 5, 7, 8], "0-2, 5, 7-8"),
        (list(range(0, 40, 2)), "0, 2, 4, 6, 8, 10, 12, 14, 12 more ranges"),
    ],
)
def test_indices_are_shown_as_ranges(indices: list[int], words: str) -> None:
    assert ranges(indices) == words


@pytest.mark.parametrize("words", QUESTIONS)
@pytest.mark.parametrize("width", [40, 80, 200])
def test_nothing_is_cut_off_and_no_number_folds(
    run: Run,
    monkeypatch: pytest.MonkeyPatch,
    words: list[str],
    width: int,
    tmp_path: Path,
) -> None:
    np.save(tmp_path / "rows.npy", np.array([[0.0, 1, 2, 0.5], [5, 4, 3, -np.inf]]))
    for values in (["2", "1", "0.5", "-1"], [str(tmp_path / "rows.npy")]):
        path = tmp_path / "picture.txt"
        monkeypatch.setattr("llmcalc.output.picture.DRAWING_WIDTH", width)
        result = run("softmax", *values, *words, "--save", str(path))
        assert result.exit_code == 0, result.stderr
        text = path.read_text()
        assert "\N{HORIZONTAL ELLIPSIS}" not in text
        assert max(map(len, text.splitlines())) <= width
        # A folded number leaves a line that holds the rest of its digits alone.
        assert not re.search(r"^ +\d{1,3} *$", text, re.MULTILINE)


@pytest.mark.parametrize(
    "settings",
    [
        Settings(),
        Settings(draws=5000),
        Settings(order="all", filters=Filters(top_p=0.9)),
        Settings(sweep=(1.0, 2.0)),
        Settings(filters=Filters(min_p=0.01)),
        Settings(compare=2.0),
    ],
)
def test_a_summary_of_rows_holds_nothing_as_long_as_a_row(settings: Settings) -> None:
    rows = analyse_rows(np.random.default_rng(0).random((2, 3000)), settings)
    summary = summarize(rows, Shown(settings), index_place)
    assert len(summary.n) == 2
    assert len(repr(summary)) < 3000


def test_ascii_terminals_get_ascii(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Console, "encoding", property(lambda _: "ascii"))
    text = run("softmax", "2", "1", "0", "--sweep", "1,2", "-f", "table").stdout
    assert text.isascii()
    assert "####" in text


@pytest.mark.parametrize("ending", ["svg", "html", "txt"])
def test_the_picture_can_be_saved(run: Run, tmp_path: Path, ending: str) -> None:
    path = tmp_path / f"sweep.{ending}"
    found = run("softmax", "2", "1", "--sweep", "1,2", "--save", str(path), "--json")
    assert len(json.loads(found.stdout)["sweep"]) == 2
    assert "exp(H)" in path.read_text()
