"""What PEFT itself counted, held against the command line (cases/lora/README.md)."""

import json
from pathlib import Path
from typing import Any

import pytest
from running import CASES, Run

from llmcalc.output.fields import FIELDS

LORA = CASES / "lora"
MODELS = {
    path.stem: json.loads(path.read_text())
    for path in sorted(LORA.glob("*.json"))
    if path.stem not in ("dims", "budget")
}
NAMES = {data["name"]: stem for stem, data in MODELS.items()}


def numbered(cases: list[Any], name: str) -> list[Any]:
    return [pytest.param(case, id=f"{name}-{i}") for i, case in enumerate(cases)]


def write_config(folder: Path, lora: dict[str, Any]) -> str:
    path = folder / "adapter_config.json"
    path.write_text(json.dumps({"peft_type": "LORA", **lora}))
    return str(path)


def check_counts(run: Run, words: list[str], case: dict[str, Any], at: Path) -> None:
    result = run("lora", *words, "--dtype", "float32", "--json", folder=at)
    if "error" in case:
        assert (result.exit_code, result.stdout) == (2, ""), case["error"]
        assert result.stderr.count("\n") == 1
        return
    assert result.exit_code == 0, result.stderr
    got = json.loads(result.stdout)
    assert got.keys() <= set(FIELDS["lora"])
    assert (got["trainable"], got["total"]) == (case["trainable"], case["total"])
    assert f"{got['percent']:.4f}" == case["percent"]
    if "adapter" in case:
        assert got["adapter_file_bytes"] == case["adapter"]["file_bytes_f32"]


@pytest.mark.parametrize("model", MODELS)
def test_a_config_counts_as_peft_does(model: str, tmp_path: Path, run: Run) -> None:
    config = tmp_path / "config.json"
    config.write_text(json.dumps(MODELS[model]["config"]))
    for number, case in enumerate(MODELS[model]["cases"]):
        adapter = write_config(tmp_path, case["lora"])
        try:
            words = [str(config), "--adapter-config", adapter]
            check_counts(run, words, case, tmp_path)
        except AssertionError as error:
            raise AssertionError(f"{model}-{number}: {case['lora']}") from error


DIMS = json.loads((LORA / "dims.json").read_text())["dims"]


@pytest.mark.parametrize("case", numbered(DIMS, "dims"))
def test_one_matrix(case: dict[str, Any], run: Run) -> None:
    words = [str(case["d_in"]), str(case["d_out"]), "-r", str(case["r"])]
    dora = ["--dora"] if case["use_dora"] else []
    got = json.loads(run("lora", *words, *dora, "--json").stdout)
    assert got.keys() <= set(FIELDS["lora"])
    assert got["lora_params"] == case["params"]
    assert got["full_params"] == case["full"]
    assert got["ratio"] == pytest.approx(case["ratio"], rel=1e-15)


BUDGETS = json.loads((LORA / "budget.json").read_text())["budgets"]


@pytest.mark.parametrize("case", numbered(BUDGETS, "budget"))
def test_a_budget_backwards(case: dict[str, Any], tmp_path: Path, run: Run) -> None:
    config = tmp_path / "config.json"
    config.write_text(json.dumps(MODELS[NAMES[case["model"]]]["config"]))
    [(kind, amount)] = case["budget"].items()
    dtype = "bfloat16" if kind.endswith("bf16") else "float32"
    unit = {"percent": "%", "params": ""}.get(kind, "B")
    words = ["--dtype", dtype, "--budget", f"{amount}{unit}", "--json"]
    adapter = write_config(tmp_path, case["lora"])
    result = run("lora", str(config), "--adapter-config", adapter, *words)
    if case["largest_r"] is None:
        assert (result.exit_code, result.stdout) == (2, "")
        return
    got = json.loads(result.stdout)
    assert got.keys() <= set(FIELDS["lora"])
    assert got["max_rank"] == case["largest_r"]
    assert got["trainable"] == case["at"]["trainable"]


ADAPTERS = sorted(LORA.glob("adapters/*.expected.json"))


@pytest.mark.parametrize("path", ADAPTERS, ids=lambda path: path.name.split(".")[0])
def test_an_adapter_folder_is_what_was_saved(path: Path, run: Run) -> None:
    want = json.loads(path.read_text())
    result = run("lora", path.name.split(".")[0], "--json", folder=path.parent)
    assert result.exit_code == 0, result.stderr
    got = json.loads(result.stdout)
    assert got.keys() <= set(FIELDS["lora"])
    assert got["rank"] == want["r"]
    assert got["alpha"] == want["lora_alpha"]
    assert got["scaling"] == pytest.approx(want["default_scaling"], rel=1e-12)
    assert got["adapter_file_bytes"] == want["file"]["bytes"]


BASES = sorted(LORA.glob("base/*.expected.json"))


@pytest.mark.parametrize("path", BASES, ids=lambda path: path.name.split(".")[0])
def test_a_checkpoint_header_counts_as_peft_does(
    path: Path, tmp_path: Path, run: Run
) -> None:
    for case in json.loads(path.read_text())["cases"]:
        adapter = write_config(tmp_path, case["lora"])
        words = [path.name.split(".")[0], "--adapter-config", adapter]
        check_counts(run, words, case, path.parent)
