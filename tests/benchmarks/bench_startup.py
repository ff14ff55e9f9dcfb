"""Start-up beside the floor: the smallest Typer application and the imports alone.

    python tests/benchmarks/bench_startup.py [--llmcalc .venv/bin/llmcalc] [-n 15]

Builds the peers on the spot, runs all commands in turn, prints medians and ratios.
Time a real installation: an editable one adds its finder to every start.
"""

import argparse
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
QUIET = {"PYTHONUNBUFFERED", "PYTHONDONTWRITEBYTECODE", "OPENBLAS_CORETYPE"}
# What is timed, the peer it is held against, the ratio that is wanted.
GOALS = [
    ("lora 4096 4096 -r 8", "smallest", 1.15),
    ("ppl -0.5 -1.2", "imports", 1.10),
    ("--help", "smallest", 1.15),
    ("ppl --help", "smallest", 1.15),
    ("softmax 2 1 0.5", "imports", 1.10),
    ("cossim 1,2,3 4,5,6", "imports", 1.10),
    ("attn-scale 1,2,3 4,5,6", "imports", 1.10),
]


def seconds(command: list[str], environment: dict[str, str]) -> float:
    start = time.perf_counter()
    subprocess.run(command, env=environment, check=True, stdout=subprocess.DEVNULL)
    return time.perf_counter() - start


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument(
        "--llmcalc", default=str(Path(sys.executable).parent / "llmcalc")
    )
    parser.add_argument("-n", type=int, default=15)
    options = parser.parse_args()
    python = str(Path(options.llmcalc).parent / "python")
    environment = {k: v for k, v in os.environ.items() if k not in QUIET}
    with tempfile.TemporaryDirectory() as folder:
        script = Path(folder) / "smallest.py"
        script.write_text(SMALLEST)
        commands = {
            "smallest": [python, str(script), "4096", "4096"],
            "imports": [python, "-c", "import typer, numpy"],
        }
        for line, *_ in GOALS:
            commands[line] = [options.llmcalc, *line.split()]
        times: dict[str, list[float]] = {name: [] for name in commands}
        for turn in range(options.n + 1):
            for name, command in commands.items():
                elapsed = seconds(command, environment)
                if turn:
                    times[name].append(elapsed)
    medians = {name: statistics.median(found) for name, found in times.items()}
    for name in ("smallest", "imports"):
        print(f"{name:24} {medians[name] * 1000:7.1f} ms")
    for line, peer, goal in GOALS:
        ratio = medians[line] / medians[peer]
        shown = f"{ratio:.2f} of {peer} (wanted {goal:.2f})"
        print(f"{line:24} {medians[line] * 1000:7.1f} ms   {shown}")


if __name__ == "__main__":
    main()
