"""What `cossim` draws: at any width, in any encoding, nothing cut."""

import io

import numpy as np
import pytest
from rich.console import Console

from llmcalc.core.similarity.background import background
from llmcalc.core.similarity.blocks import Search
from llmcalc.core.similarity.groups import groups
from llmcalc.core.similarity.nearest import nearest
from llmcalc.core.similarity.pair_metric import compare
from llmcalc.core.similarity.pairs import Wanted, best_pairs
from llmcalc.core.similarity.rows import rows_of
from llmcalc.core.similarity.summary import summarise
from llmcalc.output.canvas import Canvas, draw
from llmcalc.output.cossim import Context, Names, Sides, pair_report
from llmcalc.output.cossim_sets import nearest_report, pairs_report
from llmcalc.output.cossim_whole import groups_report, matrix_report, summary_report

STORED = np.random.default_rng(1).standard_normal((60, 5)) + 0.5
STORED[7] = STORED[3]
ROWS = rows_of(STORED)
LABELS = [f"the sentence of row {i}, which is [bold]long[/] enough" for i in range(60)]
NAMES = Names(LABELS, 60)
SIDES = Sides(NAMES, NAMES)
FEW = Names(None, 3)


def context(metric: str = "cosine") -> Context:
    around = background(ROWS)
    return Context(metric, [], summarise(ROWS, around, Search()), around)


def reports():  # type: ignore[no-untyped-def]
    matrix = STORED @ STORED.T
    search = Search()
    for metric in ("cosine", "angular", "dot", "euclidean"):
        yield (
            f"pair {metric}",
            pair_report(
                compare([1, 2], [-1, 1], metric, ("u", "v")), [], Names(LABELS, 2)
            ),
        )
    for metric in ("cosine", "dot", "euclidean"):
        found = best_pairs(ROWS, None, Wanted(5), search._replace(metric=metric))
        yield f"pairs {metric}", pairs_report(found, SIDES, None, context(metric))
    found = best_pairs(ROWS, None, Wanted(200, 0.5), search)
    yield "threshold", pairs_report(found, SIDES, 0.5, context())
    near = nearest(ROWS, ROWS, 3, search)
    yield "nearest", nearest_report(near, SIDES, context())
    yield "groups", groups_report(groups(ROWS, 0.9, search), NAMES, 0.9, context())
    yield "no groups", groups_report([], NAMES, 0.9, context())
    yield "matrix", matrix_report(matrix, SIDES, None, context())
    small = matrix[:3, :3]
    yield "small", matrix_report(small, Sides(FEW, FEW), None,
                                 context())  # fmt: skip
    cross = Sides(Names(None, 3), Names(LABELS[:2], 2))
    yield "cross", matrix_report(matrix[:3, :2], cross, None, context())
    yield "matrix in a file", matrix_report(matrix, SIDES, "m.npy", context())
    yield "summary", summary_report(NAMES, context())


REPORTS = dict(reports())


def drawn(name: str, width: int, blocks: bool = True) -> str:
    console = Console(file=io.StringIO(), width=width, markup=False, emoji=False)
    draw(REPORTS[name], console, Canvas(width, unicode=blocks))
    return console.file.getvalue()  # type: ignore[attr-defined, no-any-return]


@pytest.mark.parametrize("name", REPORTS)
@pytest.mark.parametrize("width", [40, 80, 200])
def test_tables_fit_their_width_and_are_not_cut(name: str, width: int) -> None:
    text = drawn(name, width)
    assert text.strip()
    assert max(map(len, text.splitlines())) <= width
    assert "\N{HORIZONTAL ELLIPSIS}" not in text


@pytest.mark.parametrize("name", REPORTS)
@pytest.mark.parametrize("width", [40, 48, 63, 64])
def test_no_bar_runs_over_and_names_stand_below_each_other(
    name: str, width: int
) -> None:
    lines = drawn(name, width).splitlines()
    assert not any(
        line.strip(" \N{FULL BLOCK}") == "" and line.strip() for line in lines
    )
    assert not any("\\n" in line for line in lines)


@pytest.mark.parametrize("width", [40, 44, 80])
def test_a_legend_is_one_line(width: int) -> None:
    off = (STORED @ STORED.T)[:3, :3][~np.eye(3, dtype=bool)]
    [legend] = [
        x for x in drawn("small", width).splitlines() if f"{off.min():.6g}" in x
    ]
    assert legend.rstrip().endswith(f"{off.max():.6g}")


@pytest.mark.parametrize("name", REPORTS)
def test_labels_and_bars_are_ascii_where_blocks_cannot_be_drawn(name: str) -> None:
    text = drawn(name, 80, blocks=False)
    assert text.replace("\N{BOX DRAWINGS LIGHT HORIZONTAL}", "").isascii()


@pytest.mark.parametrize("name", ["pairs cosine", "nearest", "groups"])
def test_texts_are_shown_whole_and_as_they_are(name: str) -> None:
    assert LABELS[3] in drawn(name, 200)


def test_pairs_say_what_is_normal_in_the_set() -> None:
    text = drawn("pairs cosine", 100)
    for piece in ("mean similarity", "duplicates", "not unit", "1,770 pairs"):
        assert piece in text
    assert "of 1,770 pairs reach 0.5" in drawn("threshold", 100)
    assert "percentile" in drawn("nearest", 100)


def test_rows_that_are_not_shown_are_counted() -> None:
    assert "the first 40 rows of 60 x 60" in drawn("matrix", 80)
    assert "more columns are not shown" in drawn("matrix", 80)
    assert "40 more queries" in drawn("nearest", 80)
    assert "3,600" not in drawn("small", 80)
    assert "60 x 60 values are in m.npy" in drawn("matrix in a file", 80)


def test_long_labels_of_a_matrix_are_named_by_their_index() -> None:
    text = drawn("matrix", 200)
    assert "3 the sentence" in text
    assert text.splitlines()[0].split()[:3] == ["0", "1", "2"]
    assert f"1 {LABELS[1]}" in drawn("cross", 200)


def test_a_heat_map_has_a_legend_of_its_own_range() -> None:
    text = drawn("small", 80)
    off = (STORED @ STORED.T)[:3, :3][~np.eye(3, dtype=bool)]
    assert f"{off.min():.6g}" in text
    assert f"{off.max():.6g}" in text
