"""`llmcalc lora` on a model's config: options, budget, sweep, refusals, formats."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

CASES = Path(__file__).parents[1] / "cases" / "lora"


@pytest.fixture
def config(tmp_path):
    """Return a function that writes a case's config.json and names it."""

    def write(name, **changes):
        data = json.loads((CASES / f"{name}.json").read_text())
        path = tmp_path / "config.json"
        path.write_text(json.dumps({**data["config"], **changes}))
        return str(path)

    return write


def answer(run, *words):
    result = run("lora", *words, "--json")
    assert result.exit_code == 0, result.stderr
    return json.loads(result.stdout)


@pytest.mark.parametrize(
    ("name", "taken"), [("llama-3-8b", "q_proj, v_proj"), ("gpt2", "c_attn")]
)
def test_targets_that_peft_took_by_itself_are_said(run, config, name, taken):
    words = f"target_modules = {taken} (PEFT's default)"
    assert words in answer(run, config(name), "-r", "8")["assumed"]
    named = answer(run, config(name), "-r", "8", "--target", taken.replace(" ", ""))
    assert not [word for word in named["assumed"] if "target_modules" in word]


def test_model_has_the_keys_of_the_contract(run, config):
    got = answer(run, config("llama-3-8b"), "-r", "16", "--target", "all-linear")
    assert got["trainable"] == got["lora_params"] == 41_943_040
    assert got["total"] == 8_072_204_288
    assert got["percent"] == 100 * 41_943_040 / 8_072_204_288
    assert got["peft_line"] == (
        "trainable params: 41,943,040 || all params: 8,072,204,288 "
        "|| trainable%: 0.5196"
    )
    assert got["full_params"] == 6_979_321_856
    assert got["ratio"] == 41_943_040 / 6_979_321_856
    assert got["adapter_bytes"] == 4 * 41_943_040
    assert got["adapter_file_bytes"] == 167_832_240
    assert got["adapter_bytes_by_dtype"]["bfloat16"] == 2 * 41_943_040
    assert got["unmatched"] == []
    assert "mlp_bias = false" in got["assumed"]
    down = got["modules"][-1]
    assert (down["name"], down["kind"]) == ("model.layers.*.mlp.down_proj", "Linear")
    assert (down["d_in"], down["d_out"], down["count"]) == (14336, 4096, 32)
    assert (down["rank"], down["scaling"], down["layers"]) == (16, 0.5, "0-31")
    assert down["lora_params"] == 16 * (14336 + 4096)


def test_a_config_loads_neither_numpy_nor_rich(config):
    code = (
        f"import sys; sys.argv = ['llmcalc', 'lora', {config('gpt2')!r}, '-r', '8']\n"
        "from llmcalc.__main__ import main\n"
        "try: main()\n"
        "except SystemExit: pass\n"
        "print(*sorted(sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    number, modules = done.stdout.splitlines()
    assert number == "294912"
    assert {"numpy", "rich", "csv", "dataclasses"}.isdisjoint(modules.split())


def test_plain_is_what_trains(run, config):
    words = ["lora", config("llama-3-8b"), "-r", "16", "--target", "all-linear"]
    assert run(*words).stdout == "41943040\n"


BASE = CASES / "base"
MODEL = ("-r", "2", "--target", "all-linear", "--json")


@pytest.mark.parametrize("name", ["tiny-llama", "tiny-gpt2"])
def test_a_model_comes_through_a_pipe(run, tmp_path, name):
    file = BASE / name / "model.safetensors"
    alone = tmp_path / "alone.safetensors"
    alone.write_bytes(file.read_bytes())
    piped = json.loads(run("lora", "-", *MODEL, stdin=file.read_bytes()).stdout)
    assert piped == json.loads(run("lora", str(alone), *MODEL).stdout)


@pytest.mark.parametrize(
    ("file", "named"),
    [
        ("tiny-llama-nf4/model.safetensors", "give the file itself"),
        ("tiny-llama-sharded/model.safetensors.index.json", "give its path"),
    ],
)
def test_what_a_pipe_cannot_give_is_said(run, file, named):
    result = run("lora", "-", *MODEL, stdin=(BASE / file).read_bytes())
    assert (result.exit_code, result.stdout) == (2, "")
    assert "<stdin>" in result.stderr
    assert named in result.stderr


def test_config_comes_through_a_pipe(run, config):
    text = Path(config("gpt2")).read_bytes()
    for words in ([], ["-"]):
        result = run("lora", *words, "-r", "8", stdin=text)
        assert result.stdout == "294912\n"


@pytest.mark.parametrize(
    ("words", "fields"),
    [
        (["--target", "q_proj,v_proj"], {"target_modules": ["q_proj", "v_proj"]}),
        (["--target", "default"], {}),
        (["--target", r".*\.[qv]_proj"], {"target_modules": r".*\.[qv]_proj"}),
        (
            ["--target", "all-linear", "--exclude", "o_proj, down_proj"],
            {
                "target_modules": "all-linear",
                "exclude_modules": ["o_proj", "down_proj"],
            },
        ),
        (["--dora"], {"use_dora": True}),
        (["--lora-bias"], {"lora_bias": True}),
        (["--rslora", "-a", "64"], {"use_rslora": True, "lora_alpha": 64}),
        (["--bias", "all"], {"bias": "all"}),
        (
            ["--modules-to-save", "lm_head,norm"],
            {"modules_to_save": ["lm_head", "norm"]},
        ),
        (
            ["--target", "q_proj", "--layers-to-transform", "0-2,7"],
            {"target_modules": ["q_proj"], "layers_to_transform": [0, 1, 2, 7]},
        ),
        (["--rank-pattern", "q_proj=3"], {"rank_pattern": {"q_proj": 3}}),
        (["--alpha-pattern", "q_proj=3.5"], {"alpha_pattern": {"q_proj": 3.5}}),
        (["--task-type", "SEQ_CLS"], {"task_type": "SEQ_CLS"}),
    ],
)
def test_options_are_the_fields_of_an_adapter_config(
    run, config, tmp_path, words, fields
):
    model = config("qwen2.5-0.5b")
    adapter = tmp_path / "adapter_config.json"
    adapter.write_text(json.dumps({"peft_type": "LORA", "r": 4, **fields}))
    by_options = answer(run, model, "-r", "4", *words)
    by_config = answer(run, model, "--adapter-config", str(adapter))
    by_options.pop("assumed")
    by_config.pop("assumed")
    assert by_options == by_config


def test_options_win_over_the_adapter_config(run, config, tmp_path):
    adapter = tmp_path / "adapter_config.json"
    fields = {"r": 4, "lora_alpha": 4, "target_modules": ["q_proj"], "use_dora": True}
    adapter.write_text(json.dumps(fields))
    words = ["--adapter-config", str(adapter), "-r", "16", "--target", "k_proj"]
    got = answer(run, config("llama-3-8b"), *words)
    assert (got["rank"], got["alpha"]) == (16, 4)
    assert [m["name"] for m in got["modules"]] == ["model.layers.*.self_attn.k_proj"]
    assert got["parts"]["dora_magnitude"] == 32 * 1024


def test_what_a_config_leaves_out_or_calls_otherwise_is_said(run, config, tmp_path):
    adapter = tmp_path / "adapter_config.json"
    adapter.write_text('{"peft_type": "LORA", "lora_rank": 64}')
    words = [config("gpt2"), "--adapter-config", str(adapter)]
    result = run("lora", *words, "--json")
    assert "'lora_rank' is no field of PEFT's LoraConfig" in result.stderr
    assumed = json.loads(result.stdout)["assumed"]
    assert {"r = 8", "lora_alpha = 8"} <= set(assumed)
    said = answer(run, *words, "-r", "8", "-a", "8")["assumed"]
    assert {"r = 8", "lora_alpha = 8"}.isdisjoint(said)


def test_names_that_match_nothing_are_warned_of_and_listed(run, config):
    words = [config("phi-3-mini"), "-r", "16", "--target", "q_proj,o_proj,up_proj"]
    result = run("lora", *words)
    assert "nothing in the model matches q_proj, up_proj" in result.stderr
    assert answer(run, *words)["unmatched"] == ["q_proj", "up_proj"]


def test_budget_shows_the_rank_above(run, config):
    words = [config("llama-3-8b"), "--target", "all-linear", "--budget", "1%"]
    got = answer(run, *words)
    assert (got["max_rank"], got["trainable"]) == (30, 78_643_200)
    assert got["next"]["rank"] == 31
    assert got["next"]["trainable"] == 81_264_640
    assert got["next"]["percent"] > 1 > got["budget"]["used"]
    assert run("lora", *words).stdout == "30\n"
    rows = run("lora", *words, "-f", "csv").stdout.splitlines()
    assert [row.partition(",")[0] for row in rows] == ["rank", "30", "31"]


def test_memory_budget_counts_base_and_training(run, config):
    words = ["--target", "all-linear", "--base-dtype", "nf4", "--budget", "8GiB"]
    got = answer(run, config("llama-3-8b"), *words)
    assert got["memory"]["total"] <= 8 * 2**30 < got["next"]["memory_bytes"]
    assert got["budget"]["kind"] == "memory"
    assert got["memory"]["base"] < 6 * 2**30
    assert got["memory"]["kbit_preparation"] == 2 * 1_050_939_392


def test_budget_leaves_patterned_layers_alone(run, config):
    words = ["--target", "q_proj,o_proj", "--rank-pattern", "o_proj=64"]
    everything = [*words, "--rank-pattern", "q_proj=1,o_proj=64", "--budget", "1G"]
    got = answer(run, config("llama-2-7b"), *words, "--budget", "30M")
    assert {m["rank"] for m in got["modules"]} == {got["max_rank"], 64}
    result = run("lora", config("llama-2-7b"), *everything)
    assert result.exit_code == 2
    assert "every rank fits" in result.stderr


def test_budget_keeps_to_ranks_that_groups_divide(run, config, tmp_path):
    sizes = {"hidden_size": 64, "num_attention_heads": 4, "num_hidden_layers": 2}
    fields = {"model_type": "deberta-v2", "architectures": ["DebertaV2Model"], **sizes}
    model = tmp_path / "deberta.json"
    model.write_text(json.dumps({**fields, "conv_kernel_size": 3, "conv_groups": 4}))
    words = [str(model), "--target", "conv.conv,query_proj"]
    # A of the convolution 3 x 64, B 64 / 4; of two projections 64 + 64 each.
    per_rank = 3 * 64 + 16 + 2 * 128
    got = answer(run, *words, "--budget", str(11 * per_rank))
    assert (got["max_rank"], got["trainable"]) == (8, 8 * per_rank)
    assert (got["next"]["rank"], got["next"]["trainable"]) == (12, 12 * per_rank)
    below = run("lora", *words, "--budget", str(4 * per_rank - 1))
    assert f"rank 4 already needs {4 * per_rank:,} parameters" in below.stderr
    fixed = answer(run, *words, "--rank-pattern", "conv.conv=4", "--budget", "5k")
    assert fixed["next"]["rank"] == fixed["max_rank"] + 1


def test_sets_are_compared_at_the_rank_of_a_budget(run, config):
    words = ["--budget", "1M", "--compare", "--target attn.c_proj", "--compare=-r 4"]
    first, *others = answer(run, config("gpt2"), *words)["compare"]
    assert first["options"] == f"-r {first['rank']}"
    assert [row["rank"] for row in others] == [first["rank"], 4]


def test_an_adapter_s_folder_stands_for_its_config(run, config):
    folder = CASES / "adapters" / "llama-plain-r4"
    by_folder, by_file = (
        answer(run, config("llama-3-8b"), "--adapter-config", str(path))
        for path in (folder, folder / "adapter_config.json")
    )
    assert by_folder == by_file


def test_sweep_and_comparison_have_a_row_each(run, config):
    model = config("gpt2")
    got = answer(run, model, "--sweep", "4,8")
    assert [row["trainable"] for row in got["sweep"]] == [147_456, 294_912]
    assert [row["rank"] for row in got["sweep"]] == [4, 8]
    got = answer(run, model, "-r", "8", "--compare", "-r 4 --target attn.c_proj")
    assert [row["trainable"] for row in got["compare"]] == [294_912, 12 * 4 * 1536]


@pytest.mark.parametrize("form", ["tsv", "csv", "jsonl"])
def test_every_format_names_the_modules(run, config, form):
    words = [config("gpt2"), "-r", "8", "-f", form]
    assert "transformer.h.*.attn.c_attn" in run("lora", *words).stdout


def test_config_dtype_is_the_base_s(run, config):
    half = answer(run, config("gpt2", dtype="float16"), "-r", "8")
    full = answer(run, config("gpt2", torch_dtype="float32"), "-r", "8")
    unsaid = answer(run, config("gpt2"), "-r", "8")
    assert full["memory"]["base"] == 2 * half["memory"]["base"]
    assert unsaid["memory"]["base"] == half["memory"]["base"]
    assert "base dtype = bfloat16" in unsaid["assumed"]
    assert not any("base dtype" in text for text in half["assumed"])


@pytest.mark.parametrize(
    ("words", "named"),
    [
        ([], "the rank is missing"),
        (["-r", "0"], "0 is not"),
        (["-r", "8", "--target", "query"], "query matches no layer"),
        (["-r", "8", "--layers", "4"], "--layers-to-transform"),
        (["-r", "8", "--budget", "1M"], "leave out -r"),
        (["-r", "8", "--layers-to-transform", "3-1"], "'3-1' is no range"),
        (["-r", "8", "--layers-to-transform", "x"], "'x' is no number"),
        (["-r", "8", "--rank-pattern", "q_proj"], "'q_proj' is not NAME=NUMBER"),
        (["-r", "8", "--rank-pattern", "q_proj=0"], "q_proj: '0'"),
        (["-r", "8", "--alpha-pattern", "q_proj=x"], "'x' is not a number"),
        (["-r", "8", "--target", "(q"], "--target: '(q' is no regular expression"),
        (["-r", "8", "--modules-to-save", ""], "--modules-to-save: '' names nothing"),
        (["-r", "8", "--alpha-pattern", "c_attn=inf"], "is not a finite number"),
        (["--budget", "-5M"], "'-5M' is no amount"),
        (["8x8", "-r", "8"], "8x8: a shape beside a file"),
        (["-r", "8", "--adapter-config", "none.json"], "none.json: no such file"),
        (["-r", "8", "--compare", "-r 8 --target x"], "x matches no layer"),
    ],
)
def test_what_cannot_be_done_is_one_line(run, config, words, named):
    result = run("lora", config("gpt2"), *words)
    assert (result.exit_code, result.stdout) == (2, "")
    assert named in result.stderr
    assert result.stderr.count("\n") == 1


@pytest.mark.parametrize(
    ("values", "named"),
    [
        (["none.json"], "none.json"),
        (["4096.5", "4096"], "'4096.5' is no whole number"),
        (["a", "b"], "one model at a time"),
        (["a:lm_head"], "a: is taken as a whole; leave out 'lm_head'"),
    ],
)
def test_what_is_no_model_is_named(run, tmp_path, values, named):
    for name in ("a", "b"):
        (tmp_path / name).write_text("{}")
    result = run("lora", *values, "-r", "8", folder=tmp_path)
    assert (result.exit_code, result.stdout) == (2, "")
    assert named in result.stderr
