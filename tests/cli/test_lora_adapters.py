"""`llmcalc lora ADAPTER`: what it is, and every difference to its config."""

import json
import shutil
from pathlib import Path

import numpy as np
import pytest

ADAPTERS = Path(__file__).parents[1] / "cases" / "lora" / "adapters"
NAMES = sorted(path.name for path in ADAPTERS.iterdir() if path.is_dir())


def tensors_of(path):
    """The file's float32 tensors, read apart from llmcalc."""
    data = path.read_bytes()
    length = int.from_bytes(data[:8], "little")
    header = json.loads(data[8 : 8 + length])
    found = {}
    for name, info in header.items():
        if name != "__metadata__" and info["dtype"] == "F32":
            start, end = (8 + length + offset for offset in info["data_offsets"])
            flat = np.frombuffer(data[start:end], "<f4")
            found[name] = flat.reshape(info["shape"])
    return found


def answer(run, folder):
    result = run("lora", str(folder), "--json")
    assert result.exit_code == 0, result.stderr
    return json.loads(result.stdout), result.stderr


def test_an_adapter_comes_through_a_pipe(run):
    folder = ADAPTERS / "llama-plain-r4"
    tensors = (folder / "adapter_model.safetensors").read_bytes()
    got = json.loads(run("lora", "-", "--json", stdin=tensors).stdout)
    named = answer(run, folder)[0]
    for key in ("rank", "parameters", "adapter_bytes", "adapter_file_bytes"):
        assert got[key] == named[key]
    config = (folder / "adapter_config.json").read_bytes()
    alone = json.loads(run("lora", "--json", stdin=config).stdout)
    assert (alone["rank"], alone["alpha"]) == (named["rank"], named["alpha"])


@pytest.mark.parametrize("name", NAMES)
def test_saved_folder_is_described_without_a_warning(run, name):
    got, warnings = answer(run, ADAPTERS / name)
    want = json.loads((ADAPTERS / f"{name}.expected.json").read_text())
    assert got["rank"] == want["r"]
    assert got["alpha"] == want["lora_alpha"]
    assert got["scaling"] == pytest.approx(want["default_scaling"], rel=1e-12)
    assert got["largest_rank"] == max(want["ranks"])
    assert got["parameters"] == want["file"]["numel"]
    assert sorted(got["dtypes"]) == want["file"]["dtypes"]
    assert got["adapter_bytes"] == want["file"]["payload_bytes"]
    assert got["adapter_header_bytes"] == want["file"]["header_bytes"]
    assert got["adapter_file_bytes"] == want["file"]["bytes"]
    assert sum(m["count"] for m in got["modules"]) == len(want["modules"])
    assert (got["differences"], warnings) == ([], "")


@pytest.mark.parametrize(
    "given", ["", "adapter_config.json", "adapter_model.safetensors"]
)
def test_folder_and_each_of_its_files_say_the_same(run, given):
    whole, _ = answer(run, ADAPTERS / "llama-plain-r4")
    part, _ = answer(run, ADAPTERS / "llama-plain-r4" / given)
    assert part == whole


def test_norms_are_those_of_the_scaled_product(run):
    folder = ADAPTERS / "llama-rslora-r16"
    tensors = tensors_of(folder / "adapter_model.safetensors")
    got, _ = answer(run, folder)
    for module in got["modules"]:
        exact = []
        for layer in (0, 1):
            name = "base_model.model." + module["name"].replace("*", str(layer))
            a = tensors[f"{name}.lora_A.weight"].astype(float)
            b = tensors[f"{name}.lora_B.weight"].astype(float)
            exact.append(module["scaling"] * np.linalg.norm(b @ a))
        assert module["norms"] == pytest.approx(exact, rel=1e-12)
        assert module["mean_norm"] == pytest.approx(np.mean(exact))


def test_bfloat16_has_norms_too(run):
    got, _ = answer(run, ADAPTERS / "llama-bf16-all")
    assert all(norm > 0 for module in got["modules"] for norm in module["norms"])


def edited(tmp_path, name, **changes):
    folder = tmp_path / "adapter"
    shutil.copytree(ADAPTERS / name, folder, copy_function=shutil.copyfile)
    path = folder / "adapter_config.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), **changes}))
    return folder


@pytest.mark.parametrize(
    ("changes", "named"),
    [
        ({"r": 8}, "rank 8 in the config, 4 in the tensors"),
        ({"use_dora": True}, "use_dora is true"),
        ({"target_modules": ["q_proj"]}, "is no target of the config"),
        ({"target_modules": ["q_proj", "v_proj", "w1"]}, "nothing is stored for w1"),
        ({"modules_to_save": ["lm_head"]}, "nothing is stored for lm_head"),
    ],
)
def test_a_config_that_differs_is_said(run, tmp_path, changes, named):
    got, warnings = answer(run, edited(tmp_path, "llama-plain-r4", **changes))
    assert len(got["differences"]) == 1
    assert named in got["differences"][0]
    assert named in warnings
    table = run("lora", str(tmp_path / "adapter"), "-f", "table", "-q")
    assert "differs: " in table.stdout
    assert table.stderr == ""


def test_config_alone_and_tensors_alone_say_what_they_can(run, tmp_path):
    folder = edited(tmp_path, "llama-plain-r4")
    (folder / "adapter_model.safetensors").rename(
        tmp_path / "adapter_model.safetensors"
    )
    got, warnings = answer(run, folder)
    assert (got["rank"], got["scaling"]) == (4, 2.0)
    assert "the config alone" in warnings
    got, warnings = answer(run, tmp_path / "adapter_model.safetensors")
    assert (got["rank"], got["alpha"], got["scaling"]) == (4, None, None)
    assert "alpha and scaling are not known" in warnings


def test_nan_in_a_tensor_is_warned_of(run, tmp_path):
    folder = edited(tmp_path, "llama-plain-r4")
    path = folder / "adapter_model.safetensors"
    data = bytearray(path.read_bytes())
    data[-4:] = np.array([np.nan], "<f4").tobytes()
    path.write_bytes(data)
    got, warnings = answer(run, folder)
    assert "NaN or infinity in the tensors of model.layers.*" in warnings
    assert "NaN" in [m["mean_norm"] for m in got["modules"]]


def save(folder, shapes, **config):
    """Write an adapter of ones with these shapes, apart from llmcalc."""
    header, payload = {}, b""
    for name, shape in shapes.items():
        data = np.ones(shape, "<f4").tobytes()
        offsets = [len(payload), len(payload) + len(data)]
        header[f"base_model.model.{name}"] = {
            "dtype": "F32",
            "shape": list(shape),
            "data_offsets": offsets,
        }
        payload += data
    text = json.dumps(header).encode()
    folder.mkdir()
    file = folder / "adapter_model.safetensors"
    file.write_bytes(len(text).to_bytes(8, "little") + text + payload)
    settings = {"peft_type": "LORA", **config}
    (folder / "adapter_config.json").write_text(json.dumps(settings))
    return folder


@pytest.mark.parametrize(
    ("shapes", "said", "norms"),
    [
        # A and B of another rank: damage.
        ({"q.lora_A.weight": (8, 6), "q.lora_B.weight": (6, 4)}, "different ranks", []),
        # A convolution of two groups: B has the rank of one.
        (
            {"q.lora_A.weight": (8, 6, 3, 3), "q.lora_B.weight": (6, 4, 1, 1)},
            "",
            [],
        ),
        (
            {"q.lora_A.weight": (8, 6, 3, 3), "q.lora_B.weight": (6, 8, 1, 1)},
            "",
            [2 * 8 * np.sqrt(6 * 54)],
        ),
        (
            {"q.lora_embedding_A": (8, 50), "q.lora_embedding_B": (6, 8)},
            "",
            [2 * 8 * np.sqrt(6 * 50)],
        ),
        (
            {"experts.lora_A.weight": (16, 6), "experts.lora_B.weight": (5, 16)},
            "",
            [],
        ),
    ],
)
def test_layers_of_every_kind_are_described(run, tmp_path, shapes, said, norms):
    names = ["q"] if "experts.lora_A.weight" not in shapes else []
    config = {"r": 8, "lora_alpha": 16, "target_modules": names}
    if not names:
        config["target_parameters"] = ["experts.down_proj"]
    got, warnings = answer(run, save(tmp_path / "adapter", shapes, **config))
    assert said in warnings
    assert bool(said) == bool(warnings)
    assert got["modules"][0]["norms"] == pytest.approx(norms)
    assert got["modules"][0]["rank"] == 8


@pytest.mark.parametrize("width", ["plain", "tsv", "csv", "jsonl", "table"])
def test_every_format_prints(run, width):
    result = run("lora", str(ADAPTERS / "llama-saved-head"), "-f", width)
    assert result.exit_code == 0
    assert "4" in result.stdout


def test_plain_is_a_name_and_a_value_a_line(run):
    lines = run("lora", str(ADAPTERS / "llama-plain-r4")).stdout.splitlines()
    assert lines[:3] == ["rank\t4", "alpha\t8", "scaling\t2.0"]
    assert "target_modules\tq_proj,v_proj" in lines


@pytest.mark.parametrize(
    "words",
    [
        ["-r", "8"],
        ["--target", "q_proj"],
        ["--budget", "1%"],
        ["--sweep", "4,8"],
        ["--compare", "-r 8"],
        ["--dtype", "bfloat16"],
        ["--adapter-config", "x.json"],
    ],
)
def test_options_cannot_change_what_was_saved(run, words):
    result = run("lora", str(ADAPTERS / "llama-plain-r4"), *words)
    assert (result.exit_code, result.stdout) == (2, "")
    assert "is a saved adapter" in result.stderr
