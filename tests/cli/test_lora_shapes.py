"""`llmcalc lora` on typed shapes: formats, sweep, budget, comparison, refusals."""

import json
import subprocess
import sys

import pytest

HUGE = 10**40


def answer(run, *words):
    result = run("lora", *words, "--json")
    assert result.exit_code == 0, result.stderr
    return json.loads(result.stdout)


def test_plain_is_the_number_that_trains(run):
    assert run("lora", "4096", "4096", "-r", "8").stdout == "65536\n"


def test_one_matrix_has_the_keys_of_the_contract(run):
    got = answer(run, "4096", "11008", "-r", "16", "-a", "32")
    assert (got["rank"], got["alpha"], got["scaling"]) == (16, 32, 2.0)
    assert (got["d_in"], got["d_out"]) == (4096, 11008)
    assert got["full_params"] == 4096 * 11008
    assert got["lora_params"] == 16 * (4096 + 11008)
    assert got["ratio"] == 16 * (4096 + 11008) / (4096 * 11008)
    assert got["break_even_rank"] == 4096 * 11008 / (4096 + 11008)
    assert got["adapter_bytes"] == 4 * got["lora_params"]
    by_dtype = {"float32": 4, "bfloat16": 2, "float16": 2}
    by_dtype = {name: n * got["lora_params"] for name, n in by_dtype.items()}
    assert got["adapter_bytes_by_dtype"] == by_dtype
    memory = got["memory"]
    assert memory["base"] == 2 * got["full_params"]
    assert memory["total"] == memory["base"] + 16 * got["lora_params"]
    assert all(item["formula"] and item["source"] for item in memory["items"])
    assert any("activations" in text for text in memory["not_included"])


def test_rslora_scales_by_the_root(run):
    got = answer(run, "8", "8", "-r", "4", "-a", "3", "--rslora")
    assert got["scaling"] == 1.5


def test_alpha_unsaid_is_that_of_peft_and_said_to_be(run):
    got = answer(run, "64", "64", "-r", "16")
    assert (got["alpha"], got["scaling"]) == (8, 0.5)
    assert "lora_alpha = 8" in got["assumed"]
    assert (
        "lora_alpha = 8" not in answer(run, "8", "8", "-r", "4", "-a", "8")["assumed"]
    )


def test_integers_are_exact_at_any_size(run):
    got = answer(run, str(HUGE), str(HUGE + 1), "-r", "3")
    assert got["full_params"] == HUGE * (HUGE + 1)
    assert got["lora_params"] == 3 * (2 * HUGE + 1)


def test_beyond_the_doubles_every_format_still_prints(run):
    side = "9" * 400
    for form in ("plain", "table", "json", "tsv", "csv", "jsonl"):
        result = run("lora", side, side, "-r", "7", "-f", form)
        assert result.exit_code == 0, result.stderr
        digits = result.stdout.replace(",", "").replace("\n", "").replace(" ", "")
        assert str(14 * int(side)) in digits


def test_shapes_counts_and_layers_multiply(run):
    got = answer(run, "4096x11008", "4096x4096x2", "-r", "8", "--layers", "32")
    each = {m["name"]: m for m in got["modules"]}
    assert each["4096x11008"]["count"] == 32
    assert each["4096x4096"]["count"] == 64
    assert each["4096x4096"]["lora_params"] == 8 * 8192
    total = sum(m["count"] * m["lora_params"] for m in got["modules"])
    assert got["lora_params"] == total


def test_sweep_has_a_row_for_each_rank(run):
    got = answer(run, "4096", "4096", "--sweep", "4,8,16")
    assert [row["rank"] for row in got["sweep"]] == [4, 8, 16]
    assert [row["lora_params"] for row in got["sweep"]] == [32768, 65536, 131072]
    assert [row["ratio"] for row in got["sweep"]] == [2 * r / 4096 for r in (4, 8, 16)]
    assert got["full_params"] == 4096 * 4096
    assert "rank" not in got
    lines = run("lora", "4096", "4096", "--sweep", "4,8", "-f", "tsv").stdout
    assert lines.splitlines()[1].startswith("4\t32768\t")


@pytest.mark.parametrize(
    ("budget", "rank"),
    [
        ("65536", 8),
        ("65535", 7),
        ("1M", 122),
        ("1%", 20),
        ("262144B", 8),
        ("262143B", 7),
        ("33MiB", 8),
        ("memory:34603007B", 7),
    ],
)
def test_budget_gives_the_largest_rank_and_what_one_more_costs(run, budget, rank):
    got = answer(run, "4096", "4096", "--budget", budget)
    assert got["max_rank"] == got["rank"] == rank
    assert got["next"]["rank"] == rank + 1
    assert got["next"]["lora_params"] == 8192 * (rank + 1)
    assert run("lora", "4096", "4096", "--budget", budget).stdout == f"{rank}\n"


def test_a_base_in_four_bits_is_compared_with_one_in_sixteen(run):
    words = ["4096", "4096", "-r", "8", "--compare", "--base-dtype nf4"]
    sixteen, four = answer(run, *words)["compare"]
    assert sixteen["lora_params"] == four["lora_params"]
    saved = sixteen["memory_bytes"] - four["memory_bytes"]
    assert saved == 2 * 4096**2 - (4096**2 // 2 + 4096**2 // 64 + 4 * 1024)


def test_sets_are_compared_side_by_side(run):
    words = ["64", "32", "-r", "8", "--compare", "-r 16 --dora", "--compare=-a 4"]
    got = answer(run, *words)["compare"]
    assert [row["options"] for row in got] == ["-r 8", "-r 16 --dora", "-a 4"]
    assert [row["lora_params"] for row in got] == [768, 16 * 96 + 32, 768]
    assert [row["scaling"] for row in got] == [1.0, 0.5, 0.5]
    assert len(run("lora", *words).stdout.splitlines()) == 3


@pytest.mark.parametrize(
    ("words", "named"),
    [
        (["3", "5", "-r", "4"], "rank 4 is above the smaller dimension of 3x5"),
        (["3", "5", "-r", "4"], "trains more than the matrix holds: 32 against 15"),
        (["8", "8", "-r", "2", "-a", "0"], "the scaling is 0"),
    ],
)
def test_a_rank_that_makes_no_sense_is_warned_of(run, words, named):
    result = run("lora", *words)
    assert result.exit_code == 0
    assert named in result.stderr
    assert run("lora", *words, "-q").stderr == ""


@pytest.mark.parametrize(
    ("words", "named"),
    [
        (["8", "8"], "the rank is missing"),
        (["8", "8", "-r", "0"], "rank: 0"),
        (["8", "8", "-r", "-4"], "rank: -4"),
        (["-8", "8", "-r", "4"], "d_in: '-8'"),
        (["8", "8", "-r", "4", "-a", "nan"], "alpha: nan"),
        (["8", "8", "-r", "4", "--target", "q_proj"], "--target needs a model"),
        (["8", "8", "-r", "4", "--modules-to-save", "x"], "--modules-to-save needs"),
        (["8", "8", "-r", "4", "--budget", "1M"], "leave out -r"),
        (["8", "8", "--budget", "15"], "rank 1 already needs 16 parameters"),
        (["8", "8", "--budget", "7B"], "rank 1 already needs a file of 64 bytes"),
        (["8", "8", "--budget", "1GB", "--sweep", "x"], "--sweep: 'x'"),
        (["8", "8", "-r", "4", "--adapter-config", "a.json"], "needs a model"),
    ],
)
def test_what_cannot_be_done_is_one_line(run, words, named):
    result = run("lora", *words)
    assert (result.exit_code, result.stdout) == (2, "")
    assert named in result.stderr
    assert result.stderr.startswith("llmcalc lora: error: ")
    assert result.stderr.count("\n") == 1


@pytest.mark.parametrize("words", [["-r", "8.5"], ["-r", "x"], ["--dtype", "int3"]])
def test_what_the_parser_refuses_is_a_usage_error(run, words):
    result = run("lora", "8", "8", *words)
    assert (result.exit_code, result.stdout) == (2, "")
    assert "Usage" in result.stderr


def test_typed_shapes_load_no_library():
    code = (
        "import sys; sys.argv = ['llmcalc', 'lora', '4096', '4096', '-r', '8']\n"
        "from llmcalc.__main__ import main\n"
        "try: main()\n"
        "except SystemExit: pass\n"
        "print(*sorted(sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    number, modules = done.stdout.splitlines()
    assert number == "65536"
    unwanted = {"numpy", "rich", "json", "csv", "dataclasses", "fractions", "decimal"}
    unwanted |= {"llmcalc.inputs.models.families", "llmcalc.core.lora.peft"}
    assert unwanted.isdisjoint(modules.split())
