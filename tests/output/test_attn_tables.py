"""What `attn-scale` draws: at any width, in any encoding, nothing cut."""

import io
import math

import numpy as np
import pytest
from rich.console import Console

from llmcalc.core.attention import (
    AttentionOptions,
    Keep,
    attention_scores,
    saturation_of_scores,
)
from llmcalc.core.attention_scale import HeadWidth, scale_facts
from llmcalc.core.attention_simulation import Simulation, simulate_variance
from llmcalc.errors import LlmcalcError
from llmcalc.inputs.models.attention_config import attention_of_config
from llmcalc.output.attn_plot import Line, plot
from llmcalc.output.attn_scale import attention_report, scale_report
from llmcalc.output.attn_scale_view import ratio_words
from llmcalc.output.attn_simulation import simulation_report
from llmcalc.output.canvas import Canvas, draw

PLAIN = AttentionOptions()
MODEL = attention_of_config(
    {
        "model_type": "deepseek_v2",
        "qk_nope_head_dim": 128,
        "qk_rope_head_dim": 64,
        "rope_scaling": {
            "type": "yarn",
            "factor": 40,
            "mscale": 1.0,
            "mscale_all_dim": 0.707,
        },
        "attn_logit_softcapping": 50,
    },
    "config.json",
)


def vectors():
    generator = np.random.default_rng(0)
    q, k = (
        generator.standard_normal((2, 4, 40, 8)),
        generator.standard_normal((2, 2, 60, 8)),
    )
    options = AttentionOptions(
        causal="lower-right",
        mask=np.arange(60) > 20,
        sink=[0.0, 1.0, 2.0, 3.0],
        softcap=20.0,
        temperature=0.7,
        names=("q", "k", "v", "a-mask-with-a-name-that-is-long.npy"),
    )
    found = attention_scores(q, k, k[..., :3], options, Keep(head=5))
    return attention_report(found, options, None, 5)


def pair():
    found = attention_scores([1, 2, 3, 4], [0.5, -1, 2, 0.25])
    return attention_report(found, PLAIN, None, 0)


def given():
    found = saturation_of_scores([8.0, 0.0, -math.inf], 64, PLAIN, Keep(head=0))
    return attention_report(found, PLAIN, MODEL, 0)


def config():
    return scale_report([scale_facts(MODEL.width, MODEL.scale, MODEL.source)], MODEL)


def several():
    return scale_report([scale_facts(HeadWidth(d, None)) for d in (1, 64, 4096)], None)


def drawn_pairs():
    plan = Simulation(trials=20, keys=8)
    found = [simulate_variance(d_k, plan) for d_k in (1, 4, 64, 1024)]
    return simulation_report(found, plan)


def one_width():
    plan = Simulation(trials=20, keys=8)
    return simulation_report([simulate_variance(64, plan)], plan)


REPORTS = [vectors, pair, given, config, several, drawn_pairs, one_width]


def table(report, width, blocks=True):
    console = Console(file=io.StringIO(), width=width, markup=False, emoji=False)
    draw(report, console, Canvas(width, unicode=blocks))
    return console.file.getvalue()


@pytest.mark.parametrize("report", REPORTS)
@pytest.mark.parametrize("width", [40, 80, 200])
def test_tables_fit_their_width_and_are_not_cut(report, width):
    text = table(report(), width)
    assert max(map(len, text.splitlines())) <= width
    assert "\N{HORIZONTAL ELLIPSIS}" not in text


@pytest.mark.parametrize("report", REPORTS)
def test_labels_and_bars_are_ascii_where_blocks_cannot_be_drawn(report):
    text = table(report(), 80, blocks=False)
    # The rule under a header is the console's own; it knows its encoding.
    assert text.replace("\N{BOX DRAWINGS LIGHT HORIZONTAL}", "").isascii()


@pytest.mark.parametrize("width", [40, 80])
def test_figures_and_headers_are_on_one_line(width):
    text = table(drawn_pairs(), width)
    for piece in ("Var(q.k)", "std error", "choices", "0.0312"):
        assert piece in text


def test_a_pair_shows_its_product_and_its_scale():
    text = table(pair(), 80)
    for piece in ("5.5", "2.75", "5.5 x 0.5", "1/sqrt(d_k)"):
        assert piece in text


def test_a_config_shows_what_set_the_scale_and_how_far_it_is_off():
    text = table(config(), 80)
    for piece in ("deepseek_v2", "rope_scaling.mscale_all_dim", "above the default"):
        assert piece in text
    assert "cos and sin carry" in text


def test_the_map_shows_the_head_that_is_asked_for():
    text = table(vectors(), 200)
    assert "weights of head 1,1" in text
    assert "8 more rows are not shown" in text
    assert "more columns are not shown" in text


def test_a_head_that_is_not_there_is_refused():
    found = attention_scores(np.ones((2, 1, 1)), np.ones((2, 3, 1)))
    with pytest.raises(LlmcalcError, match="there are 2"):
        attention_report(found, PLAIN, None, 2)


def test_saturation_stands_side_by_side_with_bars_that_follow_it():
    text = table(given(), 80)
    line = next(line for line in text.splitlines() if line.startswith(" top1"))
    left, right = line.index("\N{FULL BLOCK}"), line.rindex("\N{FULL BLOCK}")
    assert 0 < left < right


@pytest.mark.parametrize("width", [40, 80, 200])
def test_a_curve_passes_its_points_between_zero_and_one(width):
    text = plot(
        Canvas(width),
        ["1", "10", "100"],
        [
            Line("flat", "x", "cyan", [1.0] * 3),
            Line("fall", "o", "red", [1.0, 0.5, 0.0]),
        ],
    ).plain.splitlines()
    rows = [line[5:] for line in text]
    assert set(rows[0]) == {"x"}
    assert rows[4].strip(" ") != ""
    assert rows[4].index("o") < len(rows[0]) / 2 < rows[4].rindex("o") + 2
    assert rows[8].rstrip().endswith("o")
    assert text[0].startswith("1.00")
    assert text[9].split() == ["1", "10", "100"]
    assert text[10].split() == ["x", "flat", "o", "fall"]


def test_ratios_in_words():
    canvas = Canvas(80)
    assert ratio_words(1.0, canvas) == "the default"
    assert ratio_words(0.943, canvas) == "5.7 % below the default"
    assert ratio_words(1.8739, canvas) == "87.4 % above the default"
