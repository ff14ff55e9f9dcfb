"""Tables, charts and pictures: nothing is cut, every width and encoding works."""

import io
import json
import math
import re
from collections.abc import Iterable
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest
from rich.console import Console, RenderableType
from rich.text import Text

from llmcalc.errors import LlmcalcError
from llmcalc.output.canvas import Canvas, draw, facts, grid
from llmcalc.output.charts import bar, condensed, curve, histogram, sparkline
from llmcalc.output.heat import Scale, colour, heat
from llmcalc.output.picture import save_picture
from llmcalc.output.report import Report
from llmcalc.output.show import Output, show


def drawn(renderable: RenderableType, width: int) -> str:
    console = Console(file=io.StringIO(), width=width, markup=False, emoji=False)
    console.print(renderable)
    return console.file.getvalue()  # type: ignore[attr-defined,no-any-return]


@pytest.mark.parametrize("width", [20, 40, 80, 200])
def test_tables_fold_and_never_cut(width: int) -> None:
    canvas = Canvas(width)
    rows = [("a label [bold]of[/] any length :smile:", -1234.5678, 10**20)]
    columns = [("label", "left"), ("x", "right"), ("count", "right")]
    text = drawn(grid(canvas, columns, rows), width)
    text += drawn(facts(canvas, [("perplexity", 9.48396, "per token")]), width)
    assert "…" not in text
    assert all(len(line) <= width for line in text.splitlines())
    whole = re.sub(r"\s+", "", text)
    assert "[bold]" in whole or width == 20
    assert "-1234.57" in whole or width == 20
    assert "9.48396" in whole or width == 20


@pytest.mark.parametrize("fraction", [-1.0, 0.0, 0.3, 1.0, 2.0, math.nan, math.inf])
@pytest.mark.parametrize("blocks", [True, False])
def test_a_bar_stays_in_its_width(fraction: float, blocks: bool) -> None:
    text = bar(Canvas(80, unicode=blocks), fraction, 10).plain
    assert len(text) <= 10
    assert blocks or text.isascii()


@pytest.mark.parametrize(
    "values",
    [[], [1.0], [1.0, 1.0], [0.0, math.inf, math.nan], [-1e308, 1e308], [*range(999)]],
)
@pytest.mark.parametrize("blocks", [True, False])
def test_charts_take_any_values(values: list[float], blocks: bool) -> None:
    canvas = Canvas(40, unicode=blocks)
    for text in (sparkline(canvas, values), curve(canvas, values)):
        assert max(map(len, text.plain.split("\n"))) <= 60
        assert blocks or text.plain.isascii()


def test_what_is_negative_is_drawn_otherwise_without_colour() -> None:
    for blocks in (True, False):
        canvas = Canvas(80, unicode=blocks)
        up, down = bar(canvas, 0.5, 10).plain, bar(canvas, -0.5, 10).plain
        assert len(up) == len(down) == 5
        assert not set(up) & set(down)


def test_names_of_columns_stand_whole_where_there_is_room() -> None:
    names = ["Zuerich", "a longer name"]
    matrix = [[1.0, 0.5], [0.5, 1.0]]
    assert "a longer name" in drawn(
        heat(Canvas(80), matrix, Scale(0, 1), (names, names)), 80
    )


def test_a_sparkline_averages_what_does_not_fit() -> None:
    assert condensed([0.0, 2.0, 4.0, 6.0], 2) == [1.0, 5.0]


def test_a_histogram_has_a_row_a_bin() -> None:
    text = drawn(histogram(Canvas(80), [0.0, 1.0, 2.0], [1, 3], "nats"), 80)
    assert [line.split()[2] for line in text.splitlines() if " to " in line] == [
        "1",
        "3",
    ]


def test_heat_counts_the_columns_that_do_not_fit() -> None:
    matrix = [[i / 30 for i in range(30)]]
    text = drawn(heat(Canvas(40), matrix, Scale(0, 1)), 40)
    assert "24 more columns are not shown" in text
    assert "0.00" in text
    text = drawn(heat(Canvas(40), [row[:7] for row in matrix], Scale(0, 1)), 40)
    assert "1 more column is not shown" in text


def test_the_scale_rises_in_lightness() -> None:
    lightness = [sum(colour(i / 20)) for i in range(21)]
    assert lightness == sorted(lightness)


def report() -> Report:
    def view(canvas: Canvas) -> Iterable[RenderableType]:
        yield facts(canvas, [("similarity", 0.5, "")])
        yield bar(canvas, 0.5, 10)

    return Report({"similarity": 0.5, "labels": ["é"]}, "similarity", view)


@pytest.mark.parametrize("ending", [".svg", ".html", ".txt"])
def test_a_picture_holds_the_table_and_needs_no_network(
    tmp_path: Path, ending: str
) -> None:
    path = tmp_path / f"picture{ending}"
    save_picture(report(), str(path), None)
    text = path.read_text(encoding="utf-8")
    assert "similarity" in text
    assert "@font-face" not in text
    assert "█" in text
    save_picture(report(), str(path), None)
    assert path.read_text(encoding="utf-8") == text


@pytest.mark.parametrize("encoding", ["utf-8", "ascii", "latin-1"])
def test_a_table_survives_every_encoding(
    monkeypatch: pytest.MonkeyPatch, encoding: str
) -> None:
    stream = io.TextIOWrapper(io.BytesIO(), encoding=encoding)
    monkeypatch.setattr("sys.stdout", stream)
    for name in ("table", "plain", "tsv", "csv", "json", "jsonl"):
        show(report(), Output(name, None, None, None, True))
    stream.flush()
    written = stream.buffer.getvalue().decode(encoding)  # type: ignore[attr-defined]
    assert written.count("0.5") >= 6
    assert '"labels": ["' in written


# Escapes of a terminal, line ends, a line turned round, half a pair, no characters.
HOSTILE = "a\x1b[31m\x9b1m\r\n\t\x00\u2028\u202e\ud83d\uffff\x7f<b>&"


def hostile() -> Report:
    def view(canvas: Canvas) -> Iterable[RenderableType]:
        yield facts(canvas, [(HOSTILE, HOSTILE, HOSTILE)], HOSTILE)
        yield grid(canvas, [(HOSTILE, "left")], [(HOSTILE,), (Text(HOSTILE),)])
        yield heat(canvas, [[0.5]], Scale(0, 1), ([HOSTILE], [HOSTILE]))

    return Report({"labels": [HOSTILE]}, "labels", view)


@pytest.mark.parametrize("encoding", ["utf-8", "ascii"])
def test_no_text_moves_the_cursor_of_a_table(
    monkeypatch: pytest.MonkeyPatch, encoding: str
) -> None:
    stream = io.TextIOWrapper(io.BytesIO(), encoding=encoding)
    monkeypatch.setattr("sys.stdout", stream)
    show(hostile(), Output("table", None, None, None, True))
    stream.flush()
    written = stream.buffer.getvalue().decode(encoding)  # type: ignore[attr-defined]
    controls = {c for c in written if not c.isprintable()}
    assert controls == {"\n"}
    assert r"a\x1b[31m\x9b1m" in written


@pytest.mark.parametrize("ending", [".svg", ".html", ".txt"])
def test_any_text_can_be_saved(ending: str, tmp_path: Path) -> None:
    path = tmp_path / f"picture{ending}"
    save_picture(hostile(), str(path), None)
    text = path.read_text(encoding="utf-8")
    assert not {c for c in text if not c.isprintable()} - {"\n", "\xa0"}
    if ending == ".svg":
        ElementTree.fromstring(text)


@pytest.mark.parametrize("form", ["tsv", "csv", "jsonl", "json", "plain", "table"])
@pytest.mark.parametrize("field", ["scalar", "list", "array", "rows", "object"])
def test_one_field_is_written_in_every_format(
    form: str, field: str, capsys: pytest.CaptureFixture[str]
) -> None:
    fields = {
        "scalar": 1.5,
        "list": [1.5, 2.5],
        "array": np.array([1.5, 2.5]),
        "rows": [{"x": 1.5, "y": 2}, {"x": 2.5, "y": 3}],
        "object": {"x": 1.5, "y": 2},
    }
    lines = {"scalar": 1, "list": 2, "array": 2, "rows": 2, "object": 1}[field]
    show(Report(fields, "list", lambda _: []), Output(form, field, None, None, True))
    written = capsys.readouterr().out.splitlines()
    assert any("1.5" in line for line in written)
    if form in ("tsv", "csv"):
        assert written[0] in (field, "x\ty", "x,y")
        assert len(written) == 1 + lines
    if form == "jsonl":
        assert len(written) == lines
        assert all(json.loads(line) for line in written)


def test_a_field_that_is_not_there_names_those_that_are() -> None:
    with pytest.raises(LlmcalcError, match="no field 'ppl' here; .*similarity, labels"):
        show(report(), Output("plain", "ppl", None, None, True))


def test_the_view_is_drawn_once_in_order() -> None:
    console = Console(file=io.StringIO(), width=80)
    draw(report(), console, Canvas(80))
    text = console.file.getvalue()  # type: ignore[attr-defined]
    assert text.index("similarity") < text.index("█")
