"""`llmcalc ppl`: its options, its formats, what it refuses and what it warns of."""

import csv
import io
import json
import math

import pytest

from llmcalc.inputs.logprobs.families import NAMES
from llmcalc.output.fields import FIELDS

CHAT = {
    "id": "chat-1",
    "choices": [
        {
            "index": 0,
            "message": {"role": "assistant", "content": "a bee"},
            "logprobs": {
                "content": [
                    {"token": "a", "logprob": -0.5, "bytes": [97], "top_logprobs": []},
                    {"token": " bee", "logprob": -3.0, "bytes": [32, 98, 101, 101]},
                ]
            },
        }
    ],
}


@pytest.fixture
def files(tmp_path):
    (tmp_path / "a.txt").write_text("-1\n-2\n-3\n")
    (tmp_path / "b.txt").write_text("-1.5\n-2.5\n-3.5\n")
    (tmp_path / "docs.jsonl").write_text(
        '{"id": "x", "logprobs": [-1, -2]}\n{"id": "y", "logprobs": [-4]}\n'
    )
    (tmp_path / "chat.json").write_text(json.dumps(CHAT))
    return tmp_path


def answer(run, files, *words):
    result = run("ppl", *words, "--json", folder=files)
    assert result.exit_code == 0, result.stderr
    return json.loads(result.stdout)


def refusal(run, files, *words):
    result = run("ppl", *words, folder=files)
    assert (result.exit_code, result.stdout) == (2, "")
    line = result.stderr
    assert line.startswith("llmcalc ppl: error: ")
    assert line.count("\n") == 1
    return line


def test_plain_is_the_perplexity(run):
    assert run("ppl", "-0.5", "-1.5").stdout == f"{math.e!r}\n"


def test_numbers_typed_anywhere_are_one_sequence(run, files):
    got = answer(run, files, "-1", "-p", "6", "-2,-3")
    assert (got["n"], got["n_documents"], got["mean_nll"]) == (3, 1, 2.0)


def test_keys_are_those_of_the_contract_in_order(run, files):
    for words in (
        ["docs.jsonl"],
        ["a.txt", "--words", "2", "--by", "file"],
        ["chat.json", "--worst", "1", "--tokens"],
        ["docs.jsonl", "--compare", "docs.jsonl"],
    ):
        keys = [*answer(run, files, *words)]
        assert keys == [key for key in FIELDS["ppl"] if key in keys]
        assert {"n", "skipped", "unit", "ppl", "format", "part", "base"} <= set(keys)


def test_several_files_pool_and_by_shows_each(run, files):
    pooled = answer(run, files, "a.txt", "b.txt")
    assert (pooled["n"], pooled["sum_logprob"]) == (6, -13.5)
    assert [one["id"] for one in pooled["documents"]] == ["a.txt", "b.txt"]
    by_file = answer(run, files, "a.txt", "docs.jsonl", "--by", "file")
    assert [(one["id"], one["n"]) for one in by_file["files"]] == [
        ("a.txt", 3),
        ("docs.jsonl", 3),
    ]
    assert by_file["format"] == "numbers, documents"
    assert "documents" not in by_file
    none = answer(run, files, "docs.jsonl", "--by", "none")
    assert ("documents" in none, none["n_documents"]) == (False, 2)


def test_documents_are_all_listed_when_asked(run, tmp_path):
    lines = [json.dumps({"logprobs": [-1.0 - i % 3]}) for i in range(1200)]
    (tmp_path / "many.jsonl").write_text("\n".join(lines))
    assert len(answer(run, tmp_path, "many.jsonl")["documents"]) == 1000
    got = answer(run, tmp_path, "many.jsonl", "--by", "document")["documents"]
    assert [one["id"] for one in got] == [str(i + 1) for i in range(1200)]


@pytest.mark.parametrize("name", ["tsv", "csv", "jsonl"])
def test_rows_are_the_documents_or_the_figures(run, files, name):
    words = ["ppl", "docs.jsonl", "--by", "document", "--format", name]
    text = run(*words, folder=files).stdout
    if name == "jsonl":
        rows = [json.loads(line) for line in text.splitlines()]
    else:
        mark = "\t" if name == "tsv" else ","
        rows = list(csv.DictReader(io.StringIO(text), delimiter=mark))
    assert [row["id"] for row in rows] == ["x", "y"]
    assert float(rows[1]["ppl"]) == math.exp(4)
    one = run("ppl", "a.txt", "--format", "jsonl", folder=files).stdout
    assert json.loads(one)["mean_nll"] == 2.0


def test_base_nll_and_probs_turn_values_into_nats(run, files):
    assert answer(run, files, "-1", "--base", "2")["ppl"] == pytest.approx(2)
    assert answer(run, files, "-1", "--base", "10")["ppl"] == pytest.approx(10)
    assert answer(run, files, "1", "3", "--nll")["mean_nll"] == 2.0
    assert answer(run, files, "0.25", "0.25", "--probs")["ppl"] == pytest.approx(4)
    assert answer(run, files, "2", "--nll", "--base", "2")["base"] == "2"


def test_length_comes_from_options_or_the_text(run, files):
    (files / "text.txt").write_text("a b\u20ac\n")
    given = answer(run, files, "a.txt", "--bytes", "12", "--words", "2")
    assert given["bits_per_byte"] == 0.5 / math.log(2)
    assert given["byte_ppl"] == math.exp(0.5)
    assert given["word_ppl"] == math.exp(3)
    text = answer(run, files, "a.txt", "--text", "text.txt")
    assert (text["bytes"], text["words"]) == (7, 2)
    assert answer(run, files, "chat.json")["bytes"] == 5
    assert answer(run, files, "chat.json", "--bytes", "9")["bytes"] == 9


def test_worst_tokens_come_with_context_and_place(run, files):
    (worst,) = answer(run, files, "chat.json", "--worst", "1")["worst_tokens"]
    assert (worst["token"], worst["logprob"], worst["before"]) == (" bee", -3.0, "a")
    assert worst["place"] == "chat.json: choices[0].logprobs.content[1]"
    assert worst["document"] == "chat-1"
    rows = run("ppl", "a.txt", "--worst", "2", "-f", "tsv", folder=files).stdout
    assert [line.split("\t")[0] for line in rows.splitlines()] == [
        "logprob",
        "-3.0",
        "-2.0",
    ]


def test_tokens_are_rows_and_need_their_text(run, files):
    rows = run("ppl", "chat.json", "--tokens", "-f", "tsv", folder=files).stdout
    assert rows == "token\tlogprob\na\t-0.5\n bee\t-3.0\n"
    line = refusal(run, files, "a.txt", "--tokens")
    assert "a.txt: has no text of tokens, which --tokens shows" in line


def test_two_models_are_compared_on_the_same_tokens(run, files):
    got = answer(run, files, "a.txt", "--compare", "b.txt")
    assert (got["ppl"], got["ppl_b"]) == (math.exp(2), math.exp(2.5))
    assert (got["ln_ratio"], got["se_ln_ratio"], got["p_value"]) == (0.5, 0.0, 0.0)
    assert (got["worse"], got["better"], got["ties"]) == (3, 0, 0)
    same = answer(run, files, "docs.jsonl", "--compare", "docs.jsonl")
    assert [one["ppl_ratio"] for one in same["documents"]] == [1.0, 1.0]
    piped = run("ppl", "a.txt", "--compare", "-", folder=files, stdin=b"-1 -2 -3")
    assert piped.stdout == run("ppl", "a.txt", folder=files).stdout


def test_a_comparison_of_other_tokens_is_refused_with_the_place(run, files):
    (files / "short.txt").write_text("-1\n-2\n")
    line = refusal(run, files, "a.txt", "--compare", "short.txt")
    assert "a.txt: line 3: has no counterpart in short.txt" in line
    line = refusal(run, files, "a.txt", "b.txt", "--compare", "a.txt")
    assert "--compare takes one file" in line


def test_input_format_forces_a_shape_and_lists_them(run, files):
    line = refusal(run, files, "a.txt", "--input-format", "nosuch")
    assert all(name in line for name in NAMES)
    got = answer(run, files, "docs.jsonl", "--input-format", "documents")
    assert got["format"] == "documents"


@pytest.mark.parametrize(
    ("words", "piece"),
    [
        (["-0.5", "0.83"], "0.83"),
        (["a.txt", "--nll"], "negative: not a surprisal"),
        (["1", "--nll", "--probs"], "--nll and --probs contradict"),
        (["0.5", "--probs", "--base", "2"], "--probs has no base"),
        (["a.txt", "--bytes", "3", "--text", "b.txt"], "not both"),
        (["a.txt", "--tokens", "--compare", "b.txt"], "--compare goes without"),
        (["a.txt", "--part", "prompt"], "has no parts"),
        (["a.txt", "--text", "nosuch.txt"], "nosuch.txt: no such file"),
        (["a.txt", "--compare", "nosuch.txt"], "nosuch.txt: no such file"),
        (["nosuch.txt"], "no file of that name"),
    ],
)
def test_what_is_wrong_is_said_in_one_line(run, files, words, piece):
    assert piece in refusal(run, files, *words)


@pytest.mark.parametrize(
    "words",
    [["--part", "half"], ["--base", "3"], ["--by", "token"], ["--worst", "0"],
     ["--workers", "0"], ["--sentinel", "drop"], ["--bytes", "0"]],
)  # fmt: skip
def test_values_of_options_are_checked(run, words):
    result = run("ppl", "-1", *words)
    assert result.exit_code == 2
    assert words[0] in result.stderr


def test_infinity_is_data_and_its_place_is_named(run, files):
    (files / "inf.txt").write_text("-1\n-inf\n")
    result = run("ppl", "inf.txt", folder=files)
    assert (result.exit_code, result.stdout) == (0, "inf\n")
    assert "inf.txt: line 2" in result.stderr
    got = answer(run, files, "inf.txt")
    assert (got["ppl"], got["sum_logprob"]) == ("Infinity", "-Infinity")
    assert run("ppl", "inf.txt", "-q", folder=files).stderr == ""


def test_sentinels_are_refused_skipped_or_taken_for_zero(run, files):
    (files / "s.txt").write_text("-1\n-9999.0\n-3\n")
    assert "s.txt: line 2: -9999.0" in refusal(run, files, "s.txt")
    got = answer(run, files, "s.txt", "--sentinel", "skip")
    assert (got["n"], got["skipped"], got["mean_nll"]) == (2, 1, 2.0)
    assert answer(run, files, "s.txt", "--sentinel", "inf")["ppl"] == "Infinity"


def test_a_certain_text_is_not_believed(run, files):
    (files / "zeros.txt").write_text("0\n" * 40)
    result = run("ppl", "zeros.txt", folder=files)
    assert result.stdout == "1.0\n"
    assert "every log-prob is 0" in result.stderr


def test_nothing_scored_is_refused(run, files):
    (files / "null.json").write_text('{"logprobs": [null, null]}')
    assert "null.json" in refusal(run, files, "null.json")
    (files / "empty.txt").write_text("")
    assert "empty.txt: is empty" in refusal(run, files, "empty.txt")
    (files / "comments.txt").write_text("# nothing\n")
    assert "comments.txt" in refusal(run, files, "comments.txt")


def test_units_do_not_pool(run, files):
    (files / "kenlm.txt").write_text("a=7 1 -1.5\t</s>=2 1 -1.0\tTotal: -2.5 OOV: 0\n")
    line = refusal(run, files, "a.txt", "kenlm.txt")
    assert "kenlm.txt: is scored by word, a.txt by token" in line


def test_bytes_of_some_sequences_only_are_not_taken_for_all(run, files):
    lines = [{"logprobs": [-1], "bytes": 3}, {"logprobs": [-2]}]
    (files / "some.jsonl").write_text("\n".join(map(json.dumps, lines)))
    result = run("ppl", "some.jsonl", "--json", folder=files)
    assert "bytes" not in json.loads(result.stdout)
    assert "some sequences do not give their bytes" in result.stderr
    given = run("ppl", "some.jsonl", "--json", "--bytes", "5", folder=files)
    assert (json.loads(given.stdout)["bytes"], given.stderr) == (5, "")
