"""`llmcalc ppl` on large inputs, beside what people use for them now.

    python tests/benchmarks/bench_ppl.py [--llmcalc .venv/bin/llmcalc] [-n 5]
        [--fast LLMCALC] [--polars PYTHON] [--lines 10000000] [--megabytes 300]
        [--folder FOLDER]

Writes lines of 17 digits, vLLM replies with top-5 noise and a .npy to a folder (made
once where one is given), runs everything in turn after a warm-up, and prints medians
and ratios beside the ratios that are wanted. FAST is an installation with the extra
``fast``; PYTHON an interpreter with polars. mawk and jq are left out where they are not
there. Results are compared too: all must agree to 1e-9.
Time a real installation on a machine that does nothing else: an editable one adds its
finder to every start, and two workers need two processors.
"""

import argparse
import json
import math
import os
import random
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

MAWK = '{s+=$1}END{printf "%.17g\\n", exp(-s/NR)}'
JQ = (
    "reduce (inputs | .choices[].prompt_logprobs[] | select(.) | to_entries[0].value"
    ".logprob) as $x ([0, 0]; [.[0] - $x, .[1] + 1]) | .[0] / .[1] | exp"
)
POLARS = """\
import math, sys, polars as pl
read = pl.read_csv(sys.argv[1], has_header=False, schema={"x": pl.Float64})
print(math.exp(-read["x"].mean()))
"""
NUMPY = """\
import sys, numpy as np
print(float(np.exp(-np.load(sys.argv[1]).mean())))
"""
QUIET = {"PYTHONUNBUFFERED", "PYTHONDONTWRITEBYTECODE", "OPENBLAS_CORETYPE"}
ENVIRONMENT = {k: v for k, v in os.environ.items() if k not in QUIET}
WORDS = [" the", " sea", " keeper", "ing", ",", ".", " gull", " of", "\u00e9", " wrote"]


def write_lines(path: Path, n: int) -> None:
    rng = random.Random(1)
    with path.open("w") as file:
        for start in range(0, n, 100_000):
            count = min(100_000, n - start)
            values = (f"{-rng.expovariate(0.5):.17g}\n" for _ in range(count))
            file.write("".join(values))


def write_replies(path: Path, size: int) -> None:
    rng = random.Random(2)
    written = 0
    with path.open("w") as file:
        while written < size:
            positions = [None, *(position(rng) for _ in range(rng.randint(100, 900)))]
            choice = {"index": 0, "text": " It", "prompt_logprobs": positions}
            reply = {"id": f"cmpl-{written}", "choices": [choice]}
            written += file.write(json.dumps(reply) + "\n")


def position(rng: random.Random) -> dict[str, dict[str, object]]:
    """Return the own token first, as vLLM does, then the best five."""
    top = sorted((-rng.expovariate(0.5) for _ in range(5)), reverse=True)
    ids = rng.sample(range(128_000), 6)
    entries = [
        {"logprob": x, "rank": i + 1, "decoded_token": rng.choice(WORDS)}
        for i, x in enumerate(top)
    ]
    if rng.random() < 0.5:
        return dict(zip(map(str, ids), entries, strict=False))
    own = {"logprob": top[-1] - rng.expovariate(0.3), "rank": rng.randint(7, 9999),
           "decoded_token": rng.choice(WORDS)}  # fmt: skip
    return dict(zip(map(str, ids), [own, *entries], strict=True))


def write_array(python: str, path: Path, n: int) -> None:
    program = (
        "import sys, numpy as np\n"
        "x = -np.random.default_rng(3).exponential(2, int(sys.argv[2]))\n"
        "np.save(sys.argv[1], x)"
    )
    subprocess.run([python, "-c", program, str(path), str(n)], check=True)


def made(path: Path, write: Callable[[Path], None]) -> str:
    if not path.exists():
        write(path)
    return str(path)


class Run(NamedTuple):
    seconds: float
    processor: float  # seconds of all its processes
    result: float


def run(command: list[str]) -> Run:
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    start = time.perf_counter()
    done = subprocess.run(
        command, env=ENVIRONMENT, check=True, stdout=subprocess.PIPE, text=True
    )
    seconds = time.perf_counter() - start
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    used = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return Run(seconds, used, float(done.stdout))


def compare(
    title: str, commands: dict[str, list[str]], goals: dict[str, float]
) -> None:
    """Time commands in turn; print each median, and its ratio to the first.

    The processor's seconds show what a machine that does other work hides.
    """
    runs: dict[str, list[Run]] = {name: [] for name in commands}
    results = [run(command).result for command in commands.values()]
    assert all(math.isclose(x, results[0], rel_tol=1e-9) for x in results), results
    for _ in range(options.n):
        for name, command in commands.items():
            runs[name].append(run(command))
    print(f"\n{title}")
    peer = statistics.median(one.seconds for one in next(iter(runs.values())))
    for name, found in runs.items():
        times = [one.seconds for one in found]
        median = statistics.median(times)
        used = statistics.median(one.processor for one in found)
        goal = f"   wanted: at most {goals[name]}" if name in goals else ""
        print(
            f"  {name:16} {median:8.3f} s ({min(times):.3f} to {max(times):.3f})"
            f"   processor {used:8.3f} s   ratio {median / peer:5.2f}{goal}"
        )


def main() -> None:
    llmcalc = [options.llmcalc, "ppl"]
    fast = [options.fast, "ppl"] if options.fast else None
    one = ["--workers", "1"]
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(options.folder or scratch)
        lines = made(folder / "lines.txt", lambda p: write_lines(p, options.lines))
        size = options.megabytes * 10**6
        replies = made(folder / "replies.jsonl", lambda p: write_replies(p, size))
        python = str(Path(options.llmcalc).parent / "python")
        array = made(
            folder / "array.npy", lambda p: write_array(python, p, options.lines)
        )
        ours = {"llmcalc": [*llmcalc, lines], "llmcalc, one": [*llmcalc, lines, *one]}
        title = f"{options.lines:,} lines of 17 digits"
        if shutil.which("mawk"):
            compare(title, {"mawk": ["mawk", MAWK, lines], **ours}, {"llmcalc": 0.75})
        compare(
            "two workers", {"llmcalc, one": ours["llmcalc, one"],
                            "llmcalc, two": [*llmcalc, lines, "--workers", "2"]},
            {"llmcalc, two": round(1 / 1.7, 3)},
        )  # fmt: skip
        if options.polars:
            polars = {"polars": [options.polars, "-c", POLARS, lines]}
            best = {"llmcalc": [*(fast or llmcalc), lines]}
            compare(title, polars | best, {"llmcalc": 1.3})
        if shutil.which("jq"):
            ours = {"llmcalc": [*llmcalc, replies, "--by", "none"]}
            ours["llmcalc, one"] = [*ours["llmcalc"], *one]
            if fast:
                ours["llmcalc[fast]"] = [*fast, replies, "--by", "none"]
            title = f"{options.megabytes} MB of vLLM replies"
            goals = {"llmcalc": 0.25, "llmcalc[fast]": 0.15}
            compare(title, {"jq": ["jq", "-n", JQ, replies], **ours}, goals)
        ours = {"llmcalc": [*llmcalc, array]}
        title = f".npy of {options.lines:,} doubles"
        compare(
            title, {"numpy": [python, "-c", NUMPY, array], **ours}, {"llmcalc": 1.3}
        )


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument(
        "--llmcalc", default=str(Path(sys.executable).parent / "llmcalc")
    )
    parser.add_argument("--fast")
    parser.add_argument("--polars")
    parser.add_argument("--lines", type=int, default=10_000_000)
    parser.add_argument("--megabytes", type=int, default=300)
    parser.add_argument("--folder")
    parser.add_argument("-n", type=int, default=5)
    options = parser.parse_args()
    main()
