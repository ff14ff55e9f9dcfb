"""`llmcalc attn-scale` beside its peers: start-up, arrays, memory.

    python tests/benchmarks/bench_attention.py [--llmcalc .venv/bin/llmcalc] [-n 7]
        [--reference PYTHON]

Times the typed pair against the smallest Typer application, and attention over
arrays in this process against the same formula in plain numpy, in turn, and prints
medians and ratios; then the memory of a table over 4 and over 16 heads. PYTHON names
an interpreter with torch (left out where it has none): its scaled_dot_product_attention
in double precision on the same arrays. Time a real installation: an editable one adds
its finder to every start.
"""

import argparse
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

from llmcalc.core.attention import AttentionOptions, Keep, attention_scores

SMALLEST = """\
import typer
def main(a: float, b: float) -> None:
    print(a * b)
typer.run(main)
"""
TORCH = """\
import statistics, sys, time, numpy, torch
names = [f"{sys.argv[1]}/{name}.npy" for name in "qkv"]
q, k, v = (torch.from_numpy(numpy.load(name)).double() for name in names)
times = []
for _ in range(int(sys.argv[2])):
    start = time.perf_counter()
    torch.nn.functional.scaled_dot_product_attention(q, k, v)
    times.append(time.perf_counter() - start)
print(statistics.median(times))
"""
QUIET = {"PYTHONUNBUFFERED", "PYTHONDONTWRITEBYTECODE", "OPENBLAS_CORETYPE"}
HEADS, POSITIONS, WIDTH = 8, 512, 64


def plain_numpy(q: np.ndarray, k: np.ndarray, v: np.ndarray) -> np.ndarray:
    """The formula as most people write it, in double precision."""
    q, k, v = (array.astype(np.float64) for array in (q, k, v))
    scores = q @ np.swapaxes(k, -1, -2) / np.sqrt(q.shape[-1])
    weights = np.exp(scores - scores.max(axis=-1, keepdims=True))
    weights /= weights.sum(axis=-1, keepdims=True)
    return weights @ v


def medians(jobs: dict[str, Callable[[], object]], n: int) -> dict[str, float]:
    """Run the jobs in turn, n times, after one run that does not count."""
    times: dict[str, list[float]] = {name: [] for name in jobs}
    for job in jobs.values():
        job()
    for _ in range(n):
        for name, job in jobs.items():
            start = time.perf_counter()
            job()
            times[name].append(time.perf_counter() - start)
    return {name: statistics.median(values) for name, values in times.items()}


def show(found: dict[str, float], peer: str) -> None:
    for name, seconds in found.items():
        ratio = seconds / found[peer]
        print(f"  {name:34} {seconds * 1e3:9.1f} ms  {ratio:6.2f} x {peer}")


def command(words: list[str]) -> Callable[[], object]:
    environment = {k: v for k, v in os.environ.items() if k not in QUIET}
    return lambda: subprocess.run(
        words, env=environment, check=True, stdout=subprocess.DEVNULL
    )


def startup(llmcalc: str, folder: str, n: int) -> None:
    program = Path(folder) / "smallest.py"
    program.write_text(SMALLEST)
    python = str(Path(llmcalc).parent / "python")
    jobs = {
        "smallest": command([python, str(program), "1", "2"]),
        "attn-scale 1,2,3,4 .5,-1,2,.25": command(
            [llmcalc, "attn-scale", "1,2,3,4", ".5,-1,2,.25"]
        ),
        "attn-scale --d-k 64": command([llmcalc, "attn-scale", "--d-k", "64"]),
        "import typer, numpy": command([python, "-c", "import typer, numpy"]),
    }
    print("start-up of the whole process")
    show(medians(jobs, n), "smallest")


def arrays(folder: str, n: int, reference: str | None) -> None:
    q, k, v = (np.load(f"{folder}/{name}.npy") for name in "qkv")
    all_of_it = AttentionOptions()
    figures = Keep(raw=False, scores=False, weights=False, output=True)
    found = medians(
        {
            "numpy": lambda: plain_numpy(q, k, v),
            "all tables, saturation twice": lambda: attention_scores(q, k, v),
            "output and saturation alone": lambda: attention_scores(
                q, k, v, all_of_it, figures
            ),
        },
        n,
    )
    if reference:
        run = subprocess.run(
            [reference, "-c", TORCH, folder, str(n)], capture_output=True, text=True
        )
        if run.returncode == 0:
            found["torch, float64"] = float(run.stdout)
    print(f"{HEADS} heads of {POSITIONS} x {POSITIONS} scores, width {WIDTH}, float32")
    show(found, "numpy")


def memory(llmcalc: str, folder: str) -> None:
    print("largest memory of a table")
    for heads in (4, 16):
        for name in "qkv":
            path = Path(folder) / f"{name}{heads}.npy"
            shape = (heads, 1024, WIDTH)
            np.save(path, np.random.default_rng(0).standard_normal(shape, np.float32))
        names = [f"{folder}/{name}{heads}.npy" for name in "qkv"]
        command([llmcalc, "attn-scale", *names, "-f", "table"])()
        most = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
        scores = f"{heads * 8} MiB is one table of its scores"
        print(f"  {heads:3} heads: {most / 1024:.0f} MiB; {scores}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument(
        "--llmcalc", default=str(Path(sys.executable).parent / "llmcalc")
    )
    parser.add_argument("-n", type=int, default=7)
    parser.add_argument("--reference", help="an interpreter with torch")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        generator = np.random.default_rng(0)
        for name in "qkv":
            shape = (HEADS, POSITIONS, WIDTH)
            np.save(
                f"{folder}/{name}.npy", generator.standard_normal(shape, np.float32)
            )
        # First, since the largest memory is that of any process so far.
        memory(options.llmcalc, folder)
        startup(options.llmcalc, folder, options.n)
        arrays(folder, options.n, options.reference)


if __name__ == "__main__":
    main()
