"""`llmcalc softmax` from end to end: each question in each format, and its errors."""

import io
import json
import math
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from running import run_llmcalc

LN2 = math.log(2)
ROW = ["2", "1", "0.5", "-1"]


def answer(*words: str, **settings: Any) -> dict[str, Any]:
    result = run_llmcalc("softmax", *words, "--json", **settings)
    assert result.exit_code == 0, result.stderr
    found: dict[str, Any] = json.loads(result.stdout)
    return found


def error(*words: str, **settings: Any) -> str:
    result = run_llmcalc("softmax", *words, **settings)
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.count("\n") == 1
    return result.stderr


@pytest.fixture
def zipf(tmp_path: Path) -> str:
    path = tmp_path / "zipf100.txt"
    path.write_text("\n".join(f"{-1.1 * math.log(i + 1):.6f}" for i in range(100)))
    return str(path)


@pytest.fixture
def three(tmp_path: Path) -> str:
    np.save(tmp_path / "rows.npy", np.array([[0, 1, 2], [5, 5, 5], [3, -np.inf, 0]]))
    return str(tmp_path / "rows.npy")


def test_the_object_of_one_row_has_the_keys_of_the_contract_in_order() -> None:
    found = answer(*ROW, "-t", "0.7")
    assert list(found) == [
        "n", "temperature", "order", "logits", "probs", "logprobs", "logsumexp",
        "entropy_nats", "entropy_bits", "effective_choices", "greedy", "ties", "top1",
        "gap", "masked",
    ]  # fmt: skip
    assert found["entropy_bits"] == pytest.approx(found["entropy_nats"] / LN2)
    assert found["logits"] == [2, 1, 0.5, -1]


def test_plain_is_one_probability_a_line_that_reads_back() -> None:
    lines = run_llmcalc("softmax", *ROW, "-t", "0.7").stdout.splitlines()
    assert [float(line) for line in lines] == answer(*ROW, "-t", "0.7")["probs"]
    short = run_llmcalc("softmax", *ROW, "-t", "0.7", "-p", "3").stdout
    assert short == "0.73\n0.175\n0.0856\n0.01\n"


def test_negative_numbers_may_stand_anywhere() -> None:
    found = answer("-3", "-1", "-t", "2", "-.5", "-inf", "-1e308")
    assert found["logits"] == [-3, -1, -0.5, "-Infinity", -1e308]
    assert found["masked"] == [3]


def test_log_and_base_print_logarithms() -> None:
    lines = run_llmcalc("softmax", "0", "-800", "--log").stdout.splitlines()
    assert [float(line) for line in lines] == [0, -800]
    found = answer("1", "1", "--base", "2")
    assert (found["base"], found["logprobs"]) == ("2", [-1.0, -1.0])
    assert "base" not in answer("1", "1")


def test_tsv_is_a_line_a_token_and_jsonl_an_object_a_row(three: str) -> None:
    lines = run_llmcalc("softmax", "1", "0", "-k", "1", "-f", "tsv").stdout.splitlines()
    assert lines[0].split("\t") == ["index", "logit", "prob", "logprob", "kept"]
    assert lines[2].split("\t") == ["1", "0.0", "0.0", "-inf", "false"]
    rows = run_llmcalc("softmax", three, "-f", "jsonl").stdout.splitlines()
    assert [json.loads(row)["row"] for row in rows] == [0, 1, 2]
    assert json.loads(rows[1])["ties"] == 3
    single = run_llmcalc("softmax", "1", "0", "-f", "jsonl").stdout.splitlines()
    assert len(single) == 1
    assert json.loads(single[0]) == answer("1", "0")


def test_rows_and_one_row_write_the_same_lines(three: str) -> None:
    def lines(*words: str) -> list[str]:
        return run_llmcalc("softmax", *words).stdout.splitlines()

    for words in (
        ["--order", "all", "--typical-p", "0.5"],
        ["--order", "all", "--typical-p", "0.5", "-f", "csv"],
        ["--sweep", "1,2"],
        ["--sweep", "1,2", "-f", "tsv"],
        ["--sample", "50", "-k", "2", "-f", "tsv"],
    ):
        one = lines("0", "1", "2", *words)
        header = words[-2] == "-f"
        many = lines("0,1,2", "0,1,2", *words)
        mark = "," if words[-1] == "csv" else "\t"
        expected = [f"0{mark}{line}" for line in one[header:]]
        assert many[header : len(one)] == expected
    assert "0\tvllm\thas no --typical-p" in lines(
        "0,1", "1,2", "--order", "all", "--typical-p", "0.5"
    )


def test_a_comparison_has_the_other_in_each_line() -> None:
    words = ["1", "0", "--compare", "2", "-f", "tsv"]
    first, *rows = run_llmcalc("softmax", *words).stdout.splitlines()
    assert first.endswith("\tother_prob")
    other = [float(row.split("\t")[-1]) for row in rows]
    assert other == answer("1", "0", "-t", "2")["probs"]


def test_many_rows_give_a_list_a_row(three: str) -> None:
    found = answer(three, "-t", "2")
    assert (found["n"], found["rows"], found["temperature"]) == (3, 3, 2)
    assert found["probs"][1] == pytest.approx([1 / 3] * 3)
    assert found["logprobs"][2][1] == "-Infinity"
    assert found["masked"] == [[], [], [1]]
    assert found["ties"] == [1, 3, 1]
    plain = run_llmcalc("softmax", three, "-t", "2").stdout.splitlines()
    printed = [[float(p) for p in line.split("\t")] for line in plain]
    assert printed == found["probs"]


def test_axes_before_the_last_nest(tmp_path: Path) -> None:
    np.save(tmp_path / "x.npy", np.arange(24.0).reshape(2, 3, 4))
    found = answer(str(tmp_path / "x.npy"))
    assert np.shape(found["probs"]) == (2, 3, 4)
    assert np.shape(found["entropy_nats"]) == (2, 3)
    plain = run_llmcalc("softmax", str(tmp_path / "x.npy"), "--field", "probs").stdout
    assert len(plain.splitlines()) == 6


def test_warnings_name_ties_infinities_and_cuts() -> None:
    result = run_llmcalc("softmax", "3", "1", "3", "-t", "0")
    assert "2 logits tie at the maximum" in result.stderr
    assert run_llmcalc("softmax", "3", "1", "3", "-t", "0", "-q").stderr == ""
    assert "argument 2 (inf)" in run_llmcalc("softmax", "1", "inf").stderr
    cut = run_llmcalc("softmax", "1", "1", "1", "--top-p", "0.5")
    assert "--top-p cuts inside a tie" in cut.stderr
    kept = run_llmcalc("softmax", "1", "1", "1", "-k", "2")
    assert "--top-k keeps all that tie" in kept.stderr


def test_ties_are_told_of_every_engine() -> None:
    result = run_llmcalc("softmax", "1", "1", "1", "-k", "2", "--order", "all")
    for order in ("hf", "vllm"):
        assert f"--top-k of {order} keeps all that tie" in result.stderr
    for order in ("llama.cpp", "sglang"):
        assert f"--top-k of {order} cuts inside a tie" in result.stderr


def test_the_orders_of_two_engines_keep_12_and_24(zipf: str) -> None:
    settings = ["-t", "0.7", "-k", "40", "--top-p", "0.9"]
    assert len(answer(zipf, *settings)["kept"]) == 12
    assert len(answer(zipf, *settings, "--order", "llama.cpp")["kept"]) == 24
    found = answer(zipf, *settings, "--order", "all")
    assert found["order"] == "all"
    kept = {point["order"]: len(point["kept"]) for point in found["orders"]}
    assert kept == {"hf": 12, "vllm": 12, "llama.cpp": 24, "sglang": 17}
    assert found["orders"][0]["top1"] == pytest.approx(0.5118, abs=5e-5)
    table = run_llmcalc("softmax", zipf, *settings, "-f", "table").stdout
    assert "12 of 100 kept in the order of hf" in table
    assert "llama.cpp 24" in table


def test_an_engine_without_a_filter_says_so() -> None:
    message = error(*ROW, "--typical-p", "0.9", "--order", "vllm")
    assert "--typical-p: vllm has no such filter; hf, llama.cpp do" in message
    found = answer(*ROW, "--typical-p", "0.9", "--order", "all")
    assert {"order": "vllm", "missing": ["typical_p"]} in found["orders"]
    lines = run_llmcalc("softmax", *ROW, "--typical-p", "0.9", "--order", "all").stdout
    assert "vllm\thas no --typical-p" in lines


def test_what_an_engine_itself_would_not_do_is_a_warning() -> None:
    for order, temperature, words in (
        ("hf", "0", "refuses T = 0"),
        ("vllm", "3", "refuses T above 2"),
        ("vllm", "0.001", "raises T to 0.01"),
        ("sglang", "1e-9", "takes T below 1e-6 as 0"),
    ):
        result = run_llmcalc("softmax", *ROW, "--order", order, "-t", temperature)
        assert result.exit_code == 0
        assert words in result.stderr
    assert run_llmcalc("softmax", *ROW, "-t", "0").stderr == ""


def test_targets_find_their_temperature() -> None:
    found = answer(*ROW, "--target-entropy", "1")
    assert found["entropy_nats"] == pytest.approx(1, rel=1e-12)
    plain = run_llmcalc("softmax", *ROW, "--target-choices", "2").stdout
    again = answer(*ROW, "-t", plain.strip())
    assert again["effective_choices"] == pytest.approx(2, rel=1e-12)
    assert answer(*ROW, "--target-top1", "0.9")["top1"] == pytest.approx(0.9, rel=1e-12)
    assert "from 1 to 4" in error(*ROW, "--target-choices", "4.5")
    assert "from 0.25 to 1" in error(*ROW, "--target-top1", "0.2")


@pytest.mark.parametrize(
    ("text", "temperatures"),
    [
        ("0.01:100:5", [0.01, 0.1, 1, 10, 100]),
        ("0.25:4:5", [0.25, 0.5, 1, 2, 4]),
        ("4:0.25:5", [4, 2, 1, 0.5, 0.25]),
        ("1e-300:1e300:3", [1e-300, 1, 1e300]),
        ("5:5:3", [5, 5, 5]),
    ],
)
def test_geometric_steps_are_exact(text: str, temperatures: list[float]) -> None:
    found = answer(*ROW, "--sweep", text)
    assert [point["temperature"] for point in found["sweep"]] == temperatures


def test_a_sweep_is_a_row_a_temperature(three: str) -> None:
    found = answer(*ROW, "--sweep", "0.25:4:3")
    assert [point["temperature"] for point in found["sweep"]] == [0.25, 1, 4]
    assert list(found["sweep"][0]) == [
        "temperature", "top1", "entropy_nats", "effective_choices",
    ]  # fmt: skip
    assert found["sweep"][1]["top1"] == found["top1"]
    plain = run_llmcalc("softmax", *ROW, "--sweep", "0,1,inf").stdout.splitlines()
    assert [line.split("\t")[0] for line in plain] == ["0.0", "1.0", "inf"]
    rows = answer(three, "--sweep", "1,2")["sweep"]
    assert rows[1]["top1"] == answer(three, "-t", "2")["top1"]


def test_comparisons_go_both_ways(tmp_path: Path, three: str) -> None:
    to_two = answer(*ROW, "--compare", "2")
    from_two = answer(*ROW, "-t", "2", "--compare", "1")
    assert to_two["kl_nats"] == from_two["kl_reverse_nats"] > 0
    (tmp_path / "other.txt").write_text("1\n1\n1\n1\n")
    other = answer(*ROW, "--compare", str(tmp_path / "other.txt"))
    uniform = math.log(4) - other["entropy_nats"]
    assert other["kl_nats"] == pytest.approx(uniform, rel=1e-12)
    rows = answer("2,1,0", "1,1,1", "--compare", "rows")
    assert rows["kl_nats"] == pytest.approx(math.log(3) - rows["entropy_nats"])
    each = answer(three, "--compare", three)
    assert each["kl_nats"] == [0, 0, 0]
    plain = run_llmcalc("softmax", *ROW, "--compare", "2").stdout
    assert plain.split() == [repr(to_two["kl_nats"]), repr(to_two["kl_reverse_nats"])]


def test_draws_are_reproducible_and_of_allowed_tokens() -> None:
    words = ["2", "1", "0.5", "-inf", "-1", "-k", "2", "--sample", "999", "--seed", "3"]
    found = answer(*words)
    assert found == answer(*words)
    assert sum(found["counts"]) == 999
    assert found["counts"][2:] == [0, 0, 0]
    assert found["seed"] == 3
    plain = run_llmcalc("softmax", *words).stdout.split()
    assert [int(count) for count in plain] == found["counts"]


def test_calibration_fits_a_temperature(tmp_path: Path) -> None:
    np.save(tmp_path / "logits.npy", np.log([[0.8, 0.2]] * 4))
    (tmp_path / "right.txt").write_text("0\n0\n0\n1\n")
    words = [str(tmp_path / "logits.npy"), "--labels", str(tmp_path / "right.txt")]
    found = answer(*words)
    # p / (1 - p) = 4 ^ (1 / T) is 3 where the share of right answers is reached.
    fitted = math.log(4) / math.log(3)
    assert found["fitted_temperature"] == pytest.approx(fitted, rel=1e-9)
    assert found["accuracy"] == 0.75
    assert found["ece"] == pytest.approx(0.05)
    assert found["fitted_ece"] == pytest.approx(0, abs=1e-9)
    assert found["fitted_nll"] < found["nll"]
    plain = run_llmcalc("softmax", *words).stdout
    assert float(plain) == found["fitted_temperature"]


@pytest.mark.parametrize(
    ("answers", "part"),
    [
        ("0\n0\n0\n1\n", ""),
        ("# right ones\n0 0 0 1\n", ""),
        ("y\n0\n0\n0\n1\n", ""),
        ("answer\n0\n0\n0\n1\n", ""),
        ("id,label\n7,0\n8,0\n9,0\n10,1\n", ""),
        ("id\twhat\n7\t0\n8\t0\n9\t0\n10\t1\n", ":what"),
        ("7,0\n8,0\n9,0\n10,1\n", ":1"),
        ("[0, 0, 0, 1]", ""),
    ],
)
def test_answers_are_an_array_or_a_column(
    tmp_path: Path, answers: str, part: str
) -> None:
    np.save(tmp_path / "logits.npy", np.log([[0.8, 0.2]] * 4))
    (tmp_path / "right.csv").write_text(answers)
    path = str(tmp_path / "right.csv") + part
    found = answer(str(tmp_path / "logits.npy"), "--labels", path)
    assert found["accuracy"] == 0.75


@pytest.mark.parametrize(
    ("answers", "words"),
    [
        ("id,x\n7,0\n", "which column?.*id, x"),
        ("label\n0\nx\n0\n1\n", "line 3: no index in column 0"),
        ("label\n0\n0\n5\n1\n", "line 4: 5 is no index"),
        ("label\n", "0 right answers for 4 rows"),
        ("0\n0\n0\n", "3 right answers for 4 rows"),
        ("0\n0\n2\n1\n", "line 3: 2 is no index from 0 to 1"),
        ("0\n0.5\n0\n1\n", "line 2: 0.5 is no index"),
        ("0\n-1\n0\n1\n", "line 2: -1 is no index"),
        ("0\nnan\n0\n1\n", "line 2: nan is no index"),
    ],
)
def test_answers_that_do_not_fit_are_named(
    tmp_path: Path, answers: str, words: str
) -> None:
    np.save(tmp_path / "logits.npy", np.zeros((4, 2)))
    (tmp_path / "right.txt").write_text(answers)
    message = error(
        str(tmp_path / "logits.npy"), "--labels", str(tmp_path / "right.txt")
    )
    assert re.search(words, message)


def test_top_logprobs_say_what_they_list(tmp_path: Path) -> None:
    listed = [("yes", -0.125), ("Yes", -2.5), ("???", -9999.0)]
    top = [{"token": token, "logprob": value} for token, value in listed]
    reply = {"choices": [{"logprobs": {"content": [{"top_logprobs": top}] * 2}}]}
    (tmp_path / "chat.json").write_text(json.dumps(reply))
    path = str(tmp_path / "chat.json")
    found = answer(path, "--position", "1", "-t", "1.5")
    mass = math.exp(-0.125) + math.exp(-2.5)
    assert found["labels"] == ["yes", "Yes", "???"]
    assert found["listed_mass"] == pytest.approx(mass, rel=1e-15)
    assert found["masked"] == [2]
    assert answer(path)["listed_mass"] == [found["listed_mass"]] * 2
    warm = run_llmcalc("softmax", path, "-t", "1.5").stderr
    assert "content[1]: the listed tokens cover 0.964582 of the mass" in warm
    cold = run_llmcalc("softmax", path, "-t", "0.5").stderr
    assert "the listed tokens" not in cold
    assert "2 listed as a server's placeholder" in cold


def test_output_holds_the_rows_and_needs_no_memory(tmp_path: Path, three: str) -> None:
    path = tmp_path / "probs.npy"
    run_llmcalc("softmax", three, "-t", "2", "--output", str(path))
    np.testing.assert_array_equal(np.load(path), answer(three, "-t", "2")["probs"])
    run_llmcalc("softmax", "1", "0", "--log", "--output", str(path))
    assert np.load(path).tolist() == answer("1", "0")["logprobs"]


def test_output_that_fails_leaves_what_was_there(tmp_path: Path) -> None:
    path = tmp_path / "probs.npy"
    path.write_text("mine")
    np.save(tmp_path / "rows.npy", np.array([[0.0, 1.0], [np.nan, 0.0]]))
    message = error(str(tmp_path / "rows.npy"), "--output", str(path))
    assert "row 1, index 0: the logit is NaN" in message
    assert path.read_text() == "mine"
    assert sorted(p.name for p in tmp_path.iterdir()) == ["probs.npy", "rows.npy"]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["1", "2", "-t", "-0.5"], "temperature: -0.5"),
        (["1", "2", "-t", "nan"], "temperature: nan"),
        (["-inf", "-inf"], "every logit is -inf"),
        (["1", "nan"], "argument 2 (nan): the logit is NaN"),
        (["inf", "1", "inf"], "argument 1 (inf) and argument 3 (inf): two logits"),
        (["1", "x.txt"], "'x.txt' is not a number"),
        (["1", "2", "--top-p", "1.5"], "--top-p: 1.5 is not from 0 to 1"),
        (["1", "2", "-k", "-2"], "--top-k: -2"),
        (["1", "2", "--sweep", "1:2"], "is not LO:HI:N"),
        (["1", "2", "--sweep", "0:2:3"], "above 0 and finite"),
        (["1", "2", "--sweep", "1,x"], "'x' is not a number"),
        (["1", "2", "--sweep", ","], "no temperature is given"),
        (["1", "2", "--sweep", "1,-1"], "temperature: -1"),
        (
            ["1", "2", "--compare", "x.txt"],
            "'x.txt' is neither a temperature nor a file",
        ),
        (["1", "2", "--compare", "-1"], "temperature: -1"),
        (["1", "2", "--compare", "rows"], "takes two rows"),
        (["1", "2", "--sample", "0"], "--sample: 0"),
        (["1", "2", "--target-entropy", "0.1", "-t", "2"], "leave --temperature out"),
        (["1", "2", "--target-entropy", "0.1", "-k", "1"], "leave --top-k out"),
        (
            ["1", "2", "--target-entropy", "0.1", "--target-top1", "0.9"],
            "two questions",
        ),
        (["1", "2", "--target-choices", "nan"], "not a finite number"),
        (["1", "2", "--order", "all", "--sweep", "1,2"], "leave --sweep out"),
        (["1", "2", "--order", "all", "--output", "x.npy"], "name one --order"),
        (["1", "2", "--sweep", "1,2", "--compare", "2"], "two questions"),
        (["1", "2", "--position", "1"], "positions 0 to 0"),
        (["1,2", "3,4,5", "--output", "x.npy"], "differ in length"),
        (
            ["1,2", "3,4,5", "--compare", "rows"],
            "argument 2 (3,4,5): 3 tokens, argument 1 (1,2) has 2",
        ),
        (["1", "2", "--column", "x"], "typed numbers have no part 'x'"),
        (["1", "2", "--compare", ""], "'' is neither a temperature nor a file"),
        (["1", "2", "--output", "x.npy", "--sweep", "1"], "leave --sweep out"),
        (["1,2", "--labels", "x", "--output", "x.npy"], "question of its own"),
        (["1,2", "--labels", "x", "--position", "0"], "question of its own"),
        (["-", "--compare", "-"], "can be read only once"),
        (["-", "--labels", "-"], "can be read only once"),
        (["--compare", "-"], "can be read only once"),
    ],
)
def test_what_is_wrong_is_one_line(words: list[str], said: str) -> None:
    assert said in error(*words)


@pytest.mark.parametrize("width", ["table", "tsv", "csv", "jsonl", "plain", "json"])
@pytest.mark.parametrize(
    "words",
    [
        [],
        ["-k", "2", "--top-p", "0.9"],
        ["--order", "all", "-k", "2"],
        ["--sweep", "0.5,1,2"],
        ["--compare", "2"],
        ["--sample", "10"],
        ["--target-choices", "2"],
        ["--log", "--base", "2"],
    ],
)
def test_every_question_is_written_in_every_format(
    words: list[str], width: str, tmp_path: Path
) -> None:
    np.save(tmp_path / "rows.npy", np.array([[0.0, 1, 2], [5, 4, 3]]))
    for values in (["0", "1", "2"], [str(tmp_path / "rows.npy")]):
        result = run_llmcalc("softmax", *values, *words, "-f", width)
        assert result.exit_code == 0, result.stderr
        assert result.stdout.strip()
        assert "NaN" not in result.stdout.replace('"NaN"', "")


def labelled(path: Path, **logits: float) -> str:
    path.write_text("".join(f"{name}\t{z}\n" for name, z in logits.items()))
    return str(path)


def test_tokens_that_both_name_are_compared_by_name(tmp_path: Path) -> None:
    one = labelled(tmp_path / "one.tsv", a=1, b=2, c=4)
    turned = labelled(tmp_path / "turned.tsv", c=4, a=1, b=2)
    assert answer(one, "--compare", turned)["kl_nats"] == 0
    assert answer(one, turned, "--compare", "rows")["kl_nats"] == 0
    assert answer(one, turned, "--compare", turned)["kl_nats"] == [0, 0]
    unnamed = answer(one, "--compare", labelled(tmp_path / "x.tsv", a=4, b=1, c=2))
    assert unnamed["kl_nats"] > 0.1
    other = labelled(tmp_path / "other.tsv", a=1, b=2, d=4)
    message = error(one, "--compare", other)
    assert "other.tsv: has no token 'c' of" in message
    bad = labelled(tmp_path / "bad.tsv", b=1, a=math.nan, c=0)
    assert "bad.tsv: line 2, 'a': the logit is NaN" in error(one, "--compare", bad)


def test_tokens_of_one_name_are_compared_in_order(tmp_path: Path) -> None:
    (tmp_path / "one.tsv").write_text("a\t1\na\t2\nb\t3\n")
    (tmp_path / "two.tsv").write_text("b\t3\na\t1\na\t2\n")
    words = [str(tmp_path / "one.tsv"), "--compare", str(tmp_path / "two.tsv")]
    assert answer(*words)["kl_nats"] == 0
    (tmp_path / "two.tsv").write_text("b\t3\na\t1\nb\t2\n")
    assert "has no token 'a'" in error(*words)


def test_what_it_prints_it_reads(tmp_path: Path, three: str) -> None:
    for name, words in {
        "typed": ["1", "-inf", "0.1"],
        "named": [labelled(tmp_path / "x.tsv", a=1, b=-math.inf)],
        "rows": [three],
    }.items():
        path = tmp_path / f"{name}.json"
        path.write_text(run_llmcalc("softmax", *words, "--json").stdout)
        assert answer(str(path)) == answer(*words)


@pytest.mark.parametrize("name", ["pipe", "link.npy", "new.npy"])
def test_output_leaves_pipes_and_links_what_they_are(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    if name == "pipe":
        os.mkfifo(path)
        reading = subprocess.Popen(["cat", str(path)], stdout=subprocess.PIPE)
        answer("1", "0", "--output", str(path))
        content, _ = reading.communicate()
        assert path.is_fifo()
    else:
        if name == "link.npy":
            path.symlink_to(tmp_path / "real.npy")
        answer("1", "0", "--output", str(path))
        assert path.is_symlink() == (name == "link.npy")
        content = path.read_bytes()
    found = np.load(io.BytesIO(content)).tolist()
    assert found == answer("1", "0")["probs"]


@pytest.mark.parametrize("path", ["/dev/full", "/nowhere/x.npy", "/dev"])
def test_output_that_cannot_be_written_is_named(path: str) -> None:
    result = run_llmcalc("softmax", "1", "0", "--output", path)
    assert (result.exit_code, result.stdout) == (1, "")
    assert result.stderr.startswith(f"llmcalc softmax: error: {path}: ")


def test_typed_numbers_load_neither_numpy_nor_rich_nor_json() -> None:
    program = (
        "import sys\nfrom llmcalc.cli import app\n"
        "try:\n    app(['softmax', '2', '1', '0.5', '-t', '0.7'])\n"
        "except SystemExit:\n    pass\n"
        "print(sorted({'numpy', 'rich', 'json', 'csv'} & set(sys.modules)))"
    )
    run = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, check=True
    )
    assert run.stdout.decode().splitlines()[-1] == "[]"
