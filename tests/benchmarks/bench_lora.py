"""`llmcalc lora` beside the smallest Typer application, and beside PEFT itself.

    python tests/benchmarks/bench_lora.py [--llmcalc .venv/bin/llmcalc] [-n 15]
        [--reference PYTHON]

Times one matrix and the config of a 126-layer model against an application built on
the spot, in turn, and prints medians and ratios. PYTHON names an interpreter with
torch, transformers and peft (left out where it has none): it builds the same model
on the meta device and lets PEFT count; its answer must be ours.
Time a real installation: an editable one adds its finder to every start.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

SMALLEST = """\
import typer
def main(a: float, b: float) -> None:
    print(a * b)
typer.run(main)
"""
# Sizes of Llama-3.1-405B.
CONFIG = {
    "architectures": ["LlamaForCausalLM"],
    "model_type": "llama",
    "hidden_size": 16384,
    "intermediate_size": 53248,
    "num_attention_heads": 128,
    "num_key_value_heads": 8,
    "num_hidden_layers": 126,
    "vocab_size": 128256,
    "max_position_embeddings": 131072,
    "tie_word_embeddings": False,
    "dtype": "bfloat16",
}
PEFT = """\
import sys, torch
from peft import LoraConfig, get_peft_model
from transformers import AutoConfig, AutoModelForCausalLM
config = AutoConfig.from_pretrained(sys.argv[1])
with torch.device("meta"):
    model = AutoModelForCausalLM.from_config(config)
    model = get_peft_model(model, LoraConfig(r=16, target_modules="all-linear"))
print(*model.get_nb_trainable_parameters())
"""
QUIET = {"PYTHONUNBUFFERED", "PYTHONDONTWRITEBYTECODE", "OPENBLAS_CORETYPE"}
ENVIRONMENT = {k: v for k, v in os.environ.items() if k not in QUIET}
# What is timed and the ratio to the smallest application that is wanted.
GOALS = {"lora 4096 4096 -r 8": 1.15, "126-layer config": 1.15 * 1.5}


def run(command: list[str]) -> tuple[float, str]:
    start = time.perf_counter()
    done = subprocess.run(
        command, env=ENVIRONMENT, check=True, stdout=subprocess.PIPE, text=True
    )
    return time.perf_counter() - start, done.stdout


def has_peft(python: str) -> bool:
    command = [python, "-c", "import torch, transformers, peft"]
    return subprocess.run(command, capture_output=True, check=False).returncode == 0


def compare_with_peft(python: str, model: str, ours: list[str]) -> None:
    elapsed, answer = run([python, "-c", PEFT, model])
    trainable, total = map(int, answer.split()[-2:])
    seconds, found = run([*ours, "--json"])
    got = json.loads(found)
    same = (got["trainable"], got["total"]) == (trainable, total)
    print(f"PEFT on the meta device  {elapsed * 1000:7.1f} ms   {trainable:,}")
    print(f"llmcalc                  {seconds * 1000:7.1f} ms   {got['trainable']:,}")
    print(
        f"{elapsed / seconds:.0f} times faster, {'the same' if same else 'DIFFERENT'}"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    here = Path(sys.executable).parent
    parser.add_argument("--llmcalc", default=str(here / "llmcalc"))
    parser.add_argument("--reference", default=sys.executable)
    parser.add_argument("-n", type=int, default=15)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        script = Path(folder) / "smallest.py"
        script.write_text(SMALLEST)
        (Path(folder) / "config.json").write_text(json.dumps(CONFIG))
        config = str(Path(folder) / "config.json")
        python = str(Path(options.llmcalc).parent / "python")
        lora = [options.llmcalc, "lora"]
        of_model = [*lora, config, "-r", "16", "--target", "all-linear"]
        commands = {
            "smallest Typer app": [python, str(script), "4096", "4096"],
            "lora 4096 4096 -r 8": [*lora, "4096", "4096", "-r", "8"],
            "126-layer config": of_model,
        }
        times: dict[str, list[float]] = {name: [] for name in commands}
        for turn in range(options.n + 1):
            for name, command in commands.items():
                elapsed, _ = run(command)
                if turn:
                    times[name].append(elapsed)
        medians = {name: statistics.median(found) for name, found in times.items()}
        for name, median in medians.items():
            ratio = median / medians["smallest Typer app"]
            wanted = f" (wanted {GOALS[name]:.2f})" if name in GOALS else ""
            print(f"{name:24} {median * 1000:7.1f} ms   {ratio:.2f}{wanted}")
        if has_peft(options.reference):
            compare_with_peft(options.reference, config, of_model)


if __name__ == "__main__":
    main()
