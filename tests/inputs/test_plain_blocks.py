"""Long texts of numbers read the same as short ones, line by line."""

import io
import math
import random

import pytest

from llmcalc.errors import LlmcalcError
from llmcalc.inputs.logprobs import plain_blocks, plain_text
from llmcalc.inputs.logprobs.checks import Scale
from llmcalc.inputs.logprobs.document import ReadOptions
from llmcalc.inputs.logprobs.notes import Notes
from llmcalc.inputs.logprobs.parts import Context
from llmcalc.inputs.logprobs.text_lines import Lines

RANDOM = random.Random(5)
LINES = [repr(-RANDOM.expovariate(0.5)) for _ in range(5000)]


@pytest.fixture(autouse=True)
def short_is_long(monkeypatch):
    monkeypatch.setattr(plain_blocks, "LONG", 100)
    monkeypatch.setattr(plain_blocks, "_BLOCK", 1000)


def context(**scale):
    return Context(ReadOptions(), Scale(**scale), Notes())


def by_blocks(text, **scale):
    said = context(**scale)
    stream = io.BufferedReader(io.BytesIO(text.encode()))
    return said, list(plain_blocks.read(stream, "a.txt", said))


def by_lines(text, **scale):
    said = context(**scale)
    numbered = enumerate(text.removeprefix("\ufeff").split("\n"), 1)
    return said, list(plain_text.read(Lines("a.txt", numbered), said))


def flat(documents):
    return [float(value) for one in documents for value in one.logprobs]


TEXTS = {
    "a number a line": "\n".join(LINES),
    "with a last line end": "\n".join(LINES) + "\n",
    "CRLF": "\r\n".join(LINES),
    "a BOM": "\ufeff" + "\n".join(LINES),
    "blanks and commas": ", ".join(LINES[:2000]).replace("3, ", "3\n\n \t"),
    "comments": "\n".join(
        f"{x} # {i}" if i % 50 == 0 else x for i, x in enumerate(LINES)
    ),
    "nulls": "\n".join("null" if i % 70 == 1 else x for i, x in enumerate(LINES)),
    "infinities": "\n".join("-inf" if i % 90 == 3 else x for i, x in enumerate(LINES)),
    "integers": "\n".join(str(-(i % 60)) for i in range(3000)),
    "one very long line": " ".join(LINES[:1500]) + "\n-1\n",
    "an odd minus": "\n".join(LINES).replace("-1", "\N{MINUS SIGN}1"),
}


@pytest.mark.parametrize("name", TEXTS)
@pytest.mark.parametrize("scale", [{}, {"base": "10"}, {"base": "2"}])
def test_blocks_read_what_lines_read(name, scale):
    said, blocks = by_blocks(TEXTS[name], **scale)
    want_said, lines = by_lines(TEXTS[name], **scale)
    assert flat(blocks) == flat(lines)
    assert sum(one.skipped for one in blocks) == sum(one.skipped for one in lines)
    assert said.notes.lines() == want_said.notes.lines()
    assert [one.continues for one in blocks] == [False] + [True] * (len(blocks) - 1)


def test_surprisals_and_probabilities_read_alike():
    surprisals = "\n".join(LINES).replace("-", "")
    assert flat(by_blocks(surprisals, nll=True)[1]) == flat(by_lines(TEXTS["CRLF"])[1])
    probs = "\n".join(repr(math.exp(float(x))) for x in LINES)
    assert flat(by_blocks(probs, probs=True)[1]) == flat(by_lines(probs, probs=True)[1])


@pytest.mark.parametrize("name", TEXTS)
def test_places_are_lines(name):
    got, want = (
        [one.where.place(i) for one in found for i in range(len(one.logprobs))]
        for found in (by_blocks(TEXTS[name])[1], by_lines(TEXTS[name])[1])
    )
    assert got == want


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ("-0.9.1", "'-0.9.1' is not a number"),
        ("1_000", "'1_000' is not a number"),
        ("0.83", "0.83 is above 0"),
        ("nan", "nan is not a log-prob"),
        ("-9999", "-9999.0 is a server's placeholder"),
        ("-0.5-0.5", "'-0.5-0.5' is not a number"),
        ("--1", "'--1' is not a number"),
    ],
)
@pytest.mark.parametrize("line", [1, 2500, 5001])
def test_faults_are_named_by_line_wherever_they_stand(wrong, words, line):
    lines = [*LINES[: line - 1], wrong, *LINES[line - 1 :]]
    with pytest.raises(LlmcalcError) as caught:
        by_blocks("\n".join(lines))
    assert f"a.txt: line {line}: {words}" in str(caught.value)


def test_bytes_that_are_no_text_are_named_by_line():
    raw = "\n".join(LINES[:3000]).encode() + b"\n\xff\n" + b"-1\n" * 900
    stream = io.BufferedReader(io.BytesIO(raw))
    with pytest.raises(LlmcalcError, match="line 3001: byte 0xff is not UTF-8"):
        list(plain_blocks.read(stream, "a.txt", context()))


def test_a_first_line_counts_from_where_it_is_said():
    stream = io.BufferedReader(io.BytesIO("\n".join([*LINES, "x"]).encode()))
    with pytest.raises(LlmcalcError, match="line 5101: 'x'"):
        list(plain_blocks.read(stream, "a.txt", context(), first_line=101))


def test_sixteen_bit_text_is_read_line_by_line():
    stream = io.BufferedReader(io.BytesIO("\n".join(LINES).encode("utf-16")))
    got = flat(plain_blocks.read(stream, "a.txt", context()))
    assert got == [float(line) for line in LINES]
