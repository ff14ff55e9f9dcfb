"""What `lora` draws: at any width, in any encoding, nothing cut."""

import io

import pytest
from rich.console import Console

from llmcalc.cli.lora_ask import Asked, answer
from llmcalc.cli.lora_shapes import estimate_shapes
from llmcalc.cli.lora_words import Setting
from llmcalc.core.lora.matrix import Shape
from llmcalc.output.canvas import Canvas, draw
from llmcalc.output.lora import report
from llmcalc.output.lora_text import bytes_text, percent_text

ONE = [Shape(4096, 4096)]
TWO = [Shape(4096, 11008, 32), Shape(1024, 4096, 64)]
QUESTIONS = {
    "one rank": (ONE, {"setting": Setting(rank=8, base_dtype="nf4")}),
    "several shapes": (TWO, {"setting": Setting(rank=8, dora=True, base_dtype="nf4")}),
    "sweep": (TWO, {"setting": Setting(base_dtype="nf4"), "sweep": "4,8,16"}),
    "budget": (ONE, {"setting": Setting(base_dtype="nf4"), "budget": "1%"}),
    "compare": (
        ONE,
        {"setting": Setting(rank=8, base_dtype="nf4"), "compare": ["-r 64 --rslora"]},
    ),
}


def drawn(shapes, options, width, blocks=True):
    found = report(answer(Asked(**options), lambda s: estimate_shapes(shapes, s)))
    console = Console(file=io.StringIO(), width=width, markup=False, emoji=False)
    draw(found, console, Canvas(width, unicode=blocks))
    return console.file.getvalue()


@pytest.mark.parametrize("name", QUESTIONS)
@pytest.mark.parametrize("width", [40, 80, 200])
def test_tables_fit_their_width_and_are_not_cut(name, width):
    text = drawn(*QUESTIONS[name], width)
    assert max(map(len, text.splitlines())) <= width
    assert "\N{HORIZONTAL ELLIPSIS}" not in text


@pytest.mark.parametrize("name", QUESTIONS)
def test_labels_and_bars_are_ascii_where_blocks_cannot_be_drawn(name):
    text = drawn(*QUESTIONS[name], 80, blocks=False)
    # The rule under a header is the console's own; it knows its encoding.
    assert text.replace("\N{BOX DRAWINGS LIGHT HORIZONTAL}", "").isascii()


def test_a_table_names_figures_with_their_units():
    text = drawn(*QUESTIONS["one rank"], 80)
    for piece in ("65,536", "0.3906 % = 2 r / d", "2048", "exact", "not in it:"):
        assert piece in text
    assert "estimate" not in text


def test_a_budget_shows_the_rank_that_fits_and_the_one_above():
    text = drawn(*QUESTIONS["budget"], 100)
    assert "largest rank within 1%" in text
    assert "0.976562 %" in text
    assert "1.02539 %" in text
    assert "8,192 parameters more" in text


@pytest.mark.parametrize(
    ("size", "binary", "shown"),
    [
        (0, False, "0 B"),
        (999, False, "999 B"),
        (1000, False, "1.000 kB"),
        (9_999_499, False, "9.999 MB"),
        (12_345_678, False, "12.35 MB"),
        (123_456_789, False, "123.5 MB"),
        (1023, True, "1023 B"),
        (1024, True, "1.000 KiB"),
        (24 * 2**30, True, "24.00 GiB"),
        (5 * 10**21, False, "5,000 EB"),
        (10**400, False, f"{10**382:,} EB"),
    ],
)
def test_bytes_have_four_digits_and_a_unit(size, binary, shown):
    assert bytes_text(size, binary=binary) == shown


def test_percent_has_four_digits():
    assert percent_text(2 / 3) == "66.67 %"
    assert percent_text(1e-7) == "1e-05 %"
