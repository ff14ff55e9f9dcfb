"""`llmcalc softmax` beside scipy, beside importing numpy, beside the smallest program.

    python tests/benchmarks/bench_softmax.py [--llmcalc .venv/bin/llmcalc] [-n 7]
        [--rows 1000] [--reference PYTHON]

Prints medians and ratios, each pair timed in turn:
- rows x 128 000 float32 logits: softmax and entropy (llmcalc's blocks) against
  scipy.special.softmax alone on the same array, in one process of PYTHON;
- the whole command on that array as a file, and its memory at a tenth of the rows;
- one row of 128 000 as text against importing numpy and parsing it;
- three typed logits against the smallest Typer application.
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

VOCABULARY = 128_000
ROOT = Path(__file__).parents[2]
SMALLEST = """\
import typer
def main(a: float, b: float) -> None:
    print(a * b)
typer.run(main)
"""
PARSED = "import numpy; numpy.array(open({!r}).read().split(), dtype=float)"
IN_ONE_PROCESS = """\
import statistics, sys, time
import numpy as np
from scipy.special import softmax
from llmcalc.core.softmax_blocks import softmax_blocks
rows, runs = int(sys.argv[1]), int(sys.argv[2])
logits = np.random.default_rng(0).standard_normal((rows, 128_000), dtype=np.float32)
times = {"scipy": [], "llmcalc": []}
for _ in range(runs + 1):
    start = time.perf_counter()
    softmax(logits, axis=-1)
    times["scipy"].append(time.perf_counter() - start)
    start = time.perf_counter()
    entropies = [block.entropy_nats for _, block in softmax_blocks(logits)]
    times["llmcalc"].append(time.perf_counter() - start)
print(*(statistics.median(each[1:]) for each in times.values()))
"""
QUIET = {"PYTHONUNBUFFERED", "PYTHONDONTWRITEBYTECODE", "OPENBLAS_CORETYPE"}
ENVIRONMENT = {k: v for k, v in os.environ.items() if k not in QUIET}


def timed(command: list[str]) -> float:
    start = time.perf_counter()
    subprocess.run(command, stdout=subprocess.DEVNULL, check=True, env=ENVIRONMENT)
    return time.perf_counter() - start


def compare(name: str, ours: list[str], theirs: list[str], runs: int) -> None:
    """Print the medians of two commands timed in turn, and their ratio."""
    pairs = [(timed(ours), timed(theirs)) for _ in range(runs + 1)][1:]
    mine, other = (statistics.median(side) for side in zip(*pairs, strict=True))
    print(f"{name}: {mine:.3f} s against {other:.3f} s, ratio {mine / other:.2f}")


def memory(command: list[str]) -> int:
    """Return the most memory of a command in MB."""
    program = (
        "import resource, subprocess, sys; "
        "subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL, check=True); "
        "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)"
    )
    words = [sys.executable, "-c", program, *command]
    run = subprocess.run(words, capture_output=True, check=True, env=ENVIRONMENT)
    return int(run.stdout) // 1024


def big_arrays(options: argparse.Namespace, folder: Path) -> None:
    """Time the blocks beside scipy, then the command on files of two sizes."""
    environment = {**ENVIRONMENT, "PYTHONPATH": str(ROOT)}
    words = [options.reference, "-c", IN_ONE_PROCESS, str(options.rows), str(options.n)]
    run = subprocess.run(words, capture_output=True, env=environment, check=False)
    if run.returncode:
        print(f"no scipy in {options.reference}: {run.stderr.decode()[-80:]}")
    else:
        scipy, blocks = map(float, run.stdout.split())
        print(
            f"{options.rows} rows: softmax and entropy {blocks:.3f} s against "
            f"{scipy:.3f} s for scipy's softmax alone, ratio {blocks / scipy:.2f}"
        )
    import numpy as np

    for rows in (options.rows // 10, options.rows):
        path = folder / f"{rows}.npy"
        logits = np.random.default_rng(0).standard_normal((rows, VOCABULARY))
        np.save(path, logits.astype(np.float32))
        del logits
        command = [options.llmcalc, "softmax", str(path), "--field", "entropy_nats"]
        print(f"{rows} rows of a file: {timed(command):.2f} s, {memory(command)} MB")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--llmcalc", default=".venv/bin/llmcalc")
    parser.add_argument("--reference", default=sys.executable)
    parser.add_argument("--rows", type=int, default=1000)
    parser.add_argument("-n", type=int, default=7)
    options = parser.parse_args()
    python = str(Path(options.llmcalc).with_name("python"))
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        row = folder / "row.txt"
        logits = (((i * 7919) % 10007) / 1000 - 5 for i in range(VOCABULARY))
        row.write_text("\n".join(map(repr, logits)))
        parsed = [python, "-c", PARSED.format(str(row))]
        ours = [options.llmcalc, "softmax", str(row)]
        figure = [*ours, "--field", "entropy_nats"]
        compare(
            "a row of text, its entropy, against parsing", figure, parsed, options.n
        )
        compare("a row of text, all printed, against parsing", ours, parsed, options.n)
        smallest = folder / "smallest.py"
        smallest.write_text(SMALLEST)
        typed = [options.llmcalc, "softmax", "2", "1", "0.5", "-t", "0.7"]
        least = [python, str(smallest), "2", "1"]
        compare("three typed logits against the least", typed, least, options.n)
        big_arrays(options, folder)


if __name__ == "__main__":
    main()
