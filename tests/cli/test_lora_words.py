"""The words of lora's options: shapes, ranks, budgets, names, sets to compare."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from llmcalc.cli.lora_budget import parse_budget
from llmcalc.cli.lora_compare import parse_setting, setting_text
from llmcalc.cli.lora_config import (
    comma_list,
    parse_alpha_pattern,
    parse_layers,
    parse_names,
    parse_rank_pattern,
    parse_target,
)
from llmcalc.cli.lora_words import Setting, parse_ranks, parse_shapes
from llmcalc.errors import LlmcalcError

WHOLE = st.integers(1, 10**50)


@given(st.lists(st.tuples(WHOLE, WHOLE, WHOLE), min_size=1), st.integers(1, 200))
def test_shapes_are_read_back(shapes, layers):
    words = [f"{d_in}x{d_out}x{n}" for d_in, d_out, n in shapes]
    assert parse_shapes(words, layers) == [
        (d_in, d_out, n * layers) for d_in, d_out, n in shapes
    ]


@pytest.mark.parametrize("word", ["8X4", "8x4", "8\u00d74", " 8x4 "])
def test_a_shape_may_be_written_in_several_ways(word):
    assert parse_shapes([word], None) == [(8, 4, 1)]


@pytest.mark.parametrize("values", [[], ["config.json"], ["8", "x"], ["8x4", "8x"]])
def test_what_is_no_shape_is_left_to_the_files(values):
    assert parse_shapes(values, None) is None


@pytest.mark.parametrize(
    ("values", "layers", "named"),
    [
        (["8"], None, "D_IN D_OUT"),
        (["8", "8", "8"], None, "4096x11008"),
        (["8", "8x8"], None, "4096x11008"),
        (["0", "8"], None, "d_in: '0'"),
        (["8", "-8"], None, "d_out: '-8'"),
        (["8x0"], None, "8x0: d_out"),
        (["8x8x0"], None, "8x8x0: count"),
        (["8", "8"], 0, "--layers: '0'"),
        (["9" * 5000, "8"], None, "5000 digits"),
    ],
)
def test_a_wrong_shape_is_named(values, layers, named):
    with pytest.raises(LlmcalcError, match=named):
        parse_shapes(values, layers)


@pytest.mark.parametrize(
    ("text", "kind", "amount"),
    [
        ("1000", "parameters", 1000),
        ("10M", "parameters", 10**7),
        ("10m", "parameters", 10**7),
        ("1.5k", "parameters", 1500),
        ("7G", "parameters", 7 * 10**9),
        ("1e6", "parameters", 10**6),
        ("1%", "percent", 1),
        ("0.25 %", "percent", 0.25),
        ("123456B", "file", 123456),
        ("100MB", "file", 10**8),
        ("1.5 GB", "file", 1.5 * 10**9),
        ("24GiB", "memory", 24 * 2**30),
        ("512 mib", "memory", 512 * 2**20),
        ("file:1GiB", "file", 2**30),
        ("memory:80GB", "memory", 80 * 10**9),
    ],
)
def test_the_unit_says_what_a_budget_limits(text, kind, amount):
    budget = parse_budget(text)
    assert budget.kind == kind
    assert budget.numerator == amount * budget.denominator


@given(st.decimals(0, 100, places=6))
def test_a_budget_is_the_decimal_as_written(percent):
    budget = parse_budget(f"{percent:f}%")
    ratio = percent.as_integer_ratio()
    assert budget.numerator * ratio[1] == ratio[0] * budget.denominator


@pytest.mark.parametrize(
    "text",
    [
        "",
        "M",
        "ten",
        "-5M",
        "5 apples",
        "1e9999",
        "file:10",
        "file:1%",
        "10M10",
        "nan%",
    ],
)
def test_no_amount_is_an_error(text):
    with pytest.raises(LlmcalcError, match="is no amount"):
        parse_budget(text)


def test_ranks_keep_their_order_and_come_once():
    assert parse_ranks("64, 8 8,16") == (64, 8, 16)


@pytest.mark.parametrize("text", ["", ",", "8,0", "8,-1", "8,x", "8.5"])
def test_a_wrong_rank_is_an_error(text):
    with pytest.raises(LlmcalcError, match="--sweep"):
        parse_ranks(text)


def test_names_are_a_list_unless_an_expression():
    assert parse_names("--target", "q_proj, v_proj") == ("q_proj", "v_proj")
    whole = "model.layers.1.q_proj"
    assert parse_names("--target", whole) == (whole,)
    assert parse_names("--target", r".*\.(q|v)_proj") == r".*\.(q|v)_proj"
    with pytest.raises(LlmcalcError, match=r"--target: '\(q_proj' is no regular"):
        parse_names("--target", "(q_proj")


READERS = (
    *(comma_list, parse_alpha_pattern, parse_layers, parse_names),
    *(parse_rank_pattern, parse_target),
)


@pytest.mark.parametrize("read", READERS)
@pytest.mark.parametrize("text", ["", " ", ",", " , ,"])
def test_an_option_that_names_nothing_is_an_error(read, text):
    with pytest.raises(LlmcalcError, match=r"^--some: .* names nothing$"):
        read("--some", text)


NO_ALPHAS = ["nan", "inf", "-inf", "1e999", "x", "", "1_0", "\u0661"]


@pytest.mark.parametrize("word", NO_ALPHAS)
def test_an_alpha_must_be_a_finite_number(word):
    with pytest.raises(LlmcalcError, match=r"^--alpha-pattern q: .* is not a"):
        parse_alpha_pattern("--alpha-pattern", f"q={word}")
    with pytest.raises(LlmcalcError, match="is not a"):
        parse_setting(f"-a '{word}'", Setting())


SETTINGS = st.builds(
    Setting,
    rank=st.integers(1, 10**9),
    alpha=st.none() | st.integers(1, 512),
    rslora=st.booleans(),
    dora=st.booleans(),
    bias=st.none() | st.sampled_from(["none", "all", "lora_only"]),
    optimizer=st.none() | st.sampled_from(["adamw", "adamw8bit", "sgd"]),
    base_dtype=st.none() | st.sampled_from(["float16", "nf4"]),
    dtype=st.none() | st.sampled_from(["float32", "bfloat16"]),
    target=st.none() | st.sampled_from(["q_proj,v_proj", "all-linear", "attn.c_proj"]),
)


@given(SETTINGS)
def test_a_setting_written_out_is_read_back(setting):
    assert parse_setting(setting_text(setting), Setting()) == setting


@pytest.mark.parametrize("text", ["-r8", "-r 8", "-r=8", "--rank=8", "--rank 8"])
def test_a_rank_may_be_written_as_on_the_command_line(text):
    assert parse_setting(text, Setting()).rank == 8


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("-r", "-r needs a value"),
        ("-r 8 --target", "--target needs a value"),
        ("8", "'8' is none of"),
        ("-r x", "-r: 'x' is not"),
        ("-a x", "'x' is not a number"),
        ("--rank=0", "-r: '0'"),
        ("--budget 1M", "'--budget' is none of"),
        ("--optimizer lion", "'lion' is none of adamw"),
        ("--base-dtype int3", "'int3' is none of"),
        ("--dora=yes", "'--dora' is none of"),
        ("-r '8", "no closing quotation"),
    ],
)
def test_a_wrong_set_is_named(text, named):
    with pytest.raises(LlmcalcError, match=named):
        parse_setting(text, Setting())
