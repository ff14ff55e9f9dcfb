"""Cut and damaged files of every format: vectors, or one line that says what is wrong.

A result is allowed: cut text may well be shorter text. Tracebacks, warnings of numpy
and messages without the file's name are not.
"""

import copy
import json
import random

import numpy as np
import pytest

from llmcalc.errors import LlmcalcError

ROWS = np.array([[0.1, -2.5, 3e-20, 1.0, 0.0, 7.25], [1e30, -0.3, 2.0, 1e-8, 5.5, -1]])
LABELS = ["doc-7", "Zürich"]
REMOVED = object()
CUTS, FLIPS, SPLICES = 16, 24, 6


def survives(read, content, writer):
    try:
        found = read(content, writer.filename, writer.part, dtype=writer.dtype)
    except LlmcalcError as error:
        # A name inside the file may hold a line break: the command line joins lines.
        assert str(error).startswith(writer.filename), str(error)
        return None
    assert found.rows.ndim == 2
    assert min(found.rows.shape) > 0
    assert found.rows.dtype.kind in "fiu"
    assert np.isfinite(found.rows).all()
    assert found.labels is None or len(found.labels) == len(found.rows)
    for row in range(len(found.rows)):
        assert found.where(row).startswith(writer.filename)
    return found


def damaged(content, chance):
    """Yield the content cut, with bytes changed, and with pieces moved about."""
    size = len(content)
    for at in sorted({0, 1, size - 1, *chance.sample(range(size), min(CUTS, size))}):
        yield content[:at]
        yield content[at:]
    for _ in range(FLIPS):
        changed = bytearray(content)
        for _ in range(chance.randint(1, 4)):
            changed[chance.randrange(size)] = chance.choice(
                [0, 10, 32, 34, 44, 45, 46, 91, 93, 123, 125, chance.randrange(256)]
            )
        yield bytes(changed)
    for _ in range(SPLICES):
        start, end = sorted(chance.sample(range(size), 2))
        yield content[:start] + content[end:]
        yield content[:end] + content[start:]


def test_damage_is_an_error_of_one_line(writer, read):
    chance = random.Random(writer.filename)
    content = writer.write(ROWS.astype(np.float32), LABELS)
    for broken in damaged(content, chance):
        survives(read, broken, writer)


@pytest.mark.parametrize("seed", range(12))
def test_noise_is_an_error_of_one_line(read, writers, seed):
    chance = random.Random(seed)
    alphabet = [b"[", b"]", b"{", b"}", b",", b"1", b"-.5", b'"a"', b":", b" ", b"\n"]
    alphabet += [
        b"nan",
        b"null",
        b"\t",
        b"...",
        b"e9",
        b'"embedding"',
        b"\x00",
        b"\xff",
    ]
    raw = next(writer for writer in writers if writer.filename == "blob")
    for _ in range(40):
        noise = b"".join(chance.choices(alphabet, k=chance.randint(1, 30)))
        survives(read, noise, raw)


OTHERS = [
    None,
    True,
    7,
    -0.5,
    "x",
    "",
    [],
    {},
    [1],
    [None],
    ["x"],
    [[1]],
    [{}],
    {"a": 1},
]


def paths(value):
    """Yield the keys and indices that lead to each value inside of a document."""
    entries = value.items() if isinstance(value, dict) else enumerate(value)
    for key, inner in entries:
        yield [key]
        if isinstance(inner, dict | list):
            yield from ([key, *rest] for rest in paths(inner))


def changed(document, path, other):
    *outer, last = path
    copied = copy.deepcopy(document)
    inner = copied
    for key in outer:
        inner = inner[key]
    if other is REMOVED:
        del inner[last]
    else:
        inner[last] = other
    return copied


def test_a_field_that_is_something_else(read, json_writer):
    content = json_writer.write(ROWS.astype(np.float32)[:, :2], LABELS)
    try:
        documents = [json.loads(content)]
    except ValueError:
        documents = [json.loads(line) for line in content.splitlines()]
    *others, document = documents
    before = "".join(json.dumps(other) + "\n" for other in others)
    for path in paths(document):
        for other in [REMOVED, *OTHERS]:
            broken = before + json.dumps(changed(document, path, other))
            survives(read, broken, json_writer)
