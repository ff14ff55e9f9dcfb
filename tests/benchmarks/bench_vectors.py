"""Reading speed of vector files beside what people write by hand, in one run.

    python tests/benchmarks/bench_vectors.py [--rows N] [--dim D] [--runs R]

Prints medians in seconds and ratios (peer / llmcalc: above 1 llmcalc is quicker).
Each run of the product is a call of read_vectors on a file in the page cache.
"""

import argparse
import base64
import json
import statistics
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

from llmcalc.inputs.source import Source
from llmcalc.inputs.vectors.vector_set import VectorOptions, read_vectors


def openai_lines(rows, encode):
    for number, row in enumerate(rows):
        entry = {"object": "embedding", "index": 0, "embedding": encode(row)}
        usage = {"prompt_tokens": 5, "total_tokens": 5}
        reply = {"object": "list", "data": [entry], "model": "m", "usage": usage}
        yield json.dumps({**reply, "id": number}) + "\n"


def decimals(row):
    return [float(f"{x:.9g}") for x in row]


def b64(row):
    return base64.b64encode(row.tobytes()).decode()


def product(path):
    return read_vectors(Source(str(path), str(path)), VectorOptions()).rows


def json_a_line(path):
    with path.open() as lines:
        return np.stack(
            [np.array(json.loads(line)["data"][0]["embedding"]) for line in lines]
        )


def json_base64_a_line(path):
    with path.open() as lines:
        replies = (json.loads(line)["data"][0]["embedding"] for line in lines)
        return np.stack([np.frombuffer(base64.b64decode(v), "<f4") for v in replies])


def split_a_line(path):
    with path.open(encoding="utf-8") as lines:
        return np.stack(
            [np.array(line.rstrip().split(" ")[1:], "f8") for line in lines]
        )


def loadtxt(path):
    return np.loadtxt(path)


def load(path):
    return np.load(path).copy()


def cases(folder, rows):
    floats = folder / "floats.jsonl"
    floats.write_text("".join(openai_lines(rows, decimals)))
    yield "OpenAI floats, a reply a line", floats, json_a_line
    packed = folder / "base64.jsonl"
    packed.write_text("".join(openai_lines(rows, b64)))
    yield "OpenAI base64, a reply a line", packed, json_base64_a_line
    words = folder / "glove.txt"
    words.write_text(
        "".join(
            f"word{i} {' '.join(f'{x:.6f}' for x in row)}\n"
            for i, row in enumerate(rows)
        )
    )
    yield "GloVe", words, split_a_line
    numbers = folder / "numbers.txt"
    np.savetxt(numbers, rows[: len(rows) // 4])
    yield "numbers of savetxt", numbers, loadtxt
    array = folder / "rows.npy"
    np.save(array, rows)
    yield "npy (mapped; the peer reads it)", array, load


def median(function, path, runs):
    seconds = []
    for _ in range(runs):
        start = time.perf_counter()
        found = function(path)
        seconds.append(time.perf_counter() - start)
    return statistics.median(seconds), found


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--rows", type=int, default=5000)
    parser.add_argument("--dim", type=int, default=1536)
    parser.add_argument("--runs", type=int, default=3)
    asked = parser.parse_args()
    chance = np.random.default_rng(0)
    rows = chance.normal(0, 0.03, (asked.rows, asked.dim)).astype(np.float32)
    try:
        import orjson

        fast = f"orjson {orjson.__version__}"
    except ModuleNotFoundError:
        fast = "no orjson"
    print(f"{asked.rows} x {asked.dim}, numpy {np.__version__}, {fast}")
    with tempfile.TemporaryDirectory() as name:
        for title, path, peer in cases(Path(name), rows):
            ours, found = median(product, path, asked.runs)
            theirs, wanted = median(peer, path, asked.runs)
            np.testing.assert_array_equal(found, wanted)
            size = path.stat().st_size / 1e6
            print(
                f"{title:34} {size:7.1f} MB  llmcalc {ours:7.3f} s  {peer.__name__} "
                f"{theirs:7.3f} s  ratio {theirs / ours:6.2f}"
            )


if __name__ == "__main__":
    sys.exit(main())
