"""What `lora` draws of models and adapters, at any width."""

import io
import json
from pathlib import Path

import pytest
from rich.console import Console

from llmcalc.cli.lora_ask import Asked
from llmcalc.cli.lora_model import model_report
from llmcalc.cli.lora_words import Setting
from llmcalc.output.canvas import Canvas, draw

CASES = Path(__file__).parents[1] / "cases" / "lora"
ADAPTERS = sorted(path for path in (CASES / "adapters").iterdir() if path.is_dir())


def drawn(report, width, *, blocks=True):
    console = Console(file=io.StringIO(), width=width, markup=False, emoji=False)
    draw(report, console, Canvas(width, unicode=blocks))
    return console.file.getvalue()


@pytest.fixture
def report(tmp_path):
    def of_model(name="llama-3.2-1b", **options):
        config = json.loads((CASES / f"{name}.json").read_text())["config"]
        path = tmp_path / "config.json"
        path.write_text(json.dumps(config))
        asked = Asked(Setting(**options.pop("setting")), **options)
        return model_report([str(path)], asked, None, None)

    return of_model


QUESTIONS = [
    {"setting": {"rank": 8, "target": "all-linear", "modules_to_save": "lm_head"}},
    {"setting": {"target": "all-linear"}, "sweep": "4,8,16,32"},
    {"setting": {"target": "all-linear"}, "budget": "1%"},
    {"setting": {"rank": 8}, "compare": ["--target all-linear", "--base-dtype nf4"]},
]


@pytest.mark.parametrize("question", QUESTIONS)
@pytest.mark.parametrize("width", [40, 80, 200])
@pytest.mark.parametrize("blocks", [True, False])
def test_tables_of_a_model_fit(report, question, width, blocks):
    text = drawn(report(**question), width, blocks=blocks)
    assert max(map(len, text.splitlines())) <= width
    assert "\N{HORIZONTAL ELLIPSIS}" not in text
    rule = "\N{BOX DRAWINGS LIGHT HORIZONTAL}"
    assert blocks or text.replace(rule, "").isascii()


def test_a_model_s_table_has_peft_s_line_and_what_was_assumed(report):
    text = drawn(report(**QUESTIONS[0]), 120)
    assert "trainable params: 268,304,384 || all params: 1,504,118,784" in text
    assert "lora_alpha = 8" in text
    assert "saved modules" in text
    assert "0-15" in text


def test_modules_stand_under_their_place_and_are_not_folded_at_80_columns(report):
    text = drawn(report(**QUESTIONS[0]), 80)
    lines = [line.split() for line in text.splitlines()]
    assert ["model.layers.*"] in lines
    for line in ("self_attn.q_proj 16", "mlp.down_proj 16 8,192 2,048 8 1 1,310,720"):
        assert any(found[: len(line.split())] == line.split() for found in lines)


MIXTRAL = {"name": "mixtral-8x7b", "setting": {"rank": 8, "target": "q_proj,w1,w2,w3"}}


@pytest.mark.parametrize("width", [40, 64, 76, 80, 99, 100])
def test_no_number_is_folded(report, width):
    text = drawn(report(**MIXTRAL), width)
    words = text.split()
    for whole in ("46,876,856,320", "696,280,816", "134,217,728", "89.58"):
        assert whole in words
    assert width < 80 or "mlp.experts.gate_up_proj" in words
    text = drawn(report(**MIXTRAL, compare=["-r 7"]), width)
    assert "174,063,616" in text.split()
    assert "-r 7" in text


def test_a_scaling_of_its_own_is_shown(report):
    for setting, shown in (({"rank_pattern": "q_proj=2"}, True), ({}, False)):
        question = {**MIXTRAL, "setting": {**MIXTRAL["setting"], **setting}}
        table = drawn(report(**question), 80).partition("count")[2]
        assert (" scaling " in table) == shown


@pytest.mark.parametrize("path", ADAPTERS, ids=lambda path: path.name)
@pytest.mark.parametrize("width", [40, 80, 200])
def test_tables_of_an_adapter_fit(path, width):
    report = model_report([str(path)], Asked(Setting()), None, None)
    text = drawn(report, width)
    assert max(map(len, text.splitlines())) <= width
    assert "\N{HORIZONTAL ELLIPSIS}" not in text
    assert "config and tensors agree" in text
