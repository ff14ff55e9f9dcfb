"""Nothing is dropped, guessed or repaired in silence: each rule, on several shapes."""

import json
import math
from pathlib import Path
from typing import Any

import pytest
from inputs.logprobs import shapes
from inputs.logprobs.shapes import SHAPES, Shape
from inputs.logprobs.written import read_file, read_text

from llmcalc.errors import LlmcalcError
from llmcalc.inputs.logprobs.document import LOGS, ReadOptions

every_shape = pytest.mark.parametrize("shape", SHAPES, ids=lambda shape: shape.name)
PROMPT, OUTPUT = ReadOptions(part="prompt"), ReadOptions(part="output")
ALL = ReadOptions(part="all")
# Of KenLM's own -inf and SRILM's rule for it see the tests of n-gram toolkits.
INFINITE = [shape for shape in SHAPES if shape.family != "srilm"]


def refused(text: str, *pieces: str, options: ReadOptions | None = None) -> None:
    with pytest.raises(LlmcalcError) as error:
        read_text(text, options)
    for piece in pieces:
        assert piece in str(error.value)


@every_shape
@pytest.mark.parametrize("value", [0.25, 1.5, 1.1e-6])
def test_a_positive_value_is_refused_with_its_place(shape: Shape, value: float) -> None:
    refused(shape.write([-1.5, value, -0.5]), "x", repr(value), "not a log-prob")


@every_shape
def test_a_little_above_zero_counts_as_rounding(shape: Shape) -> None:
    found = read_text(shape.write([-1.5, 1e-6, -0.5]))
    assert found.logprobs[1] == 1e-6 * LOGS[shape.base]


@every_shape
@pytest.mark.parametrize("value", [-9999.0, -3.4028234663852886e38, -1.2676506e30])
def test_a_sentinel_is_refused_unless_an_option_says_what_it_is(
    shape: Shape, value: float
) -> None:
    text = shape.write([-1.5, value, -0.5])
    refused(text, repr(value), "--sentinel")
    skipping = read_text(text, ReadOptions(sentinel="skip"))
    assert len(skipping.logprobs) == 2
    assert skipping.skipped == shape.skipped + 1
    infinite = read_text(text, ReadOptions(sentinel="inf"))
    assert infinite.logprobs[1] == -math.inf
    assert any("placeholder" in note for note in infinite.notes)


JSON_SHAPES = [shape for shape in SHAPES if shape.write([-1.5])[:1] in "[{"]


@pytest.mark.parametrize("shape", JSON_SHAPES, ids=lambda shape: shape.name)
def test_nan_is_refused(shape: Shape) -> None:
    refused(shape.write([-1.5, math.nan, -0.5]), "nan")


@pytest.mark.parametrize("shape", INFINITE, ids=lambda shape: shape.name)
def test_minus_infinity_is_data_and_its_place_is_named(shape: Shape) -> None:
    text = shape.write([-1.5, -math.inf, -0.5])
    found = read_text(text)
    assert found.logprobs[1] == -math.inf
    assert any("-inf" in note and note.startswith("x") for note in found.notes)


def test_a_single_minus_hundred_is_data_and_several_are_remarked() -> None:
    assert read_text("-1\n-100\n").notes == []
    (note,) = read_text("-1\n-100\n-2\n-100\n").notes
    assert note.startswith("x: line 2")
    assert "2 of the log-probs exactly -100" in note


@pytest.mark.parametrize(
    ("text", "server", "ask"),
    [
        (shapes.chat([]).replace("[]", "null"), "openai-chat", '"logprobs": true'),
        ('{"choices": [{"text": "x", "logprobs": null}]}', "completions", "echo"),
        ('{"text": "x", "meta_info": {"id": "a"}}', "sglang", "return_logprob"),
        ('{"generated_text": "x"}', "tgi", "details"),
        ('{"content": "x", "generation_settings": {}}', "llama-server", "n_probs"),
        ('{"candidates": [{"content": {}}]}', "gemini", "responseLogprobs"),
        ('{"object": "response", "output": []}', "responses", "output_text.logprobs"),
        (shapes.responses([]), "responses", "output_text.logprobs"),
        ('{"model": "m", "response": "x", "done": true}', "ollama", "logprobs"),
        ('{"generations": [{"text": "x"}]}', "cohere", "return_likelihoods"),
    ],
)
def test_a_known_reply_without_log_probs_says_what_to_ask_for(
    text: str, server: str, ask: str
) -> None:
    refused(text, "x", server, ask)


def test_a_prompt_that_the_server_did_not_score_says_what_to_ask_for(
    tmp_path: Path,
) -> None:
    with pytest.raises(LlmcalcError, match="enable-prefill-logprobs"):
        read_file(tmp_path, shapes.tgi([-1.5]), PROMPT)


@pytest.mark.parametrize(
    "text",
    [
        '{"foo": [-1.0, -2.0], "scores": [-1]}',
        '{"usage": {"prompt_tokens": 3}, "created": 17, "choices": 3}',
        '[{"embedding": [0.5, -0.25]}]',
        "{}",
        '{"text": "x", "values": {"logprob": [-1]}}',
    ],
)
def test_unknown_json_is_refused_naming_the_shapes_that_are_known(text: str) -> None:
    refused(text, "openai-chat", "vllm", "lm-eval")


def failed(name: str, **fields: Any) -> str:
    return json.dumps({"id": "b", "custom_id": name, **fields}) + "\n"


FAILURES = [
    failed("two", response=None, error={"message": "overloaded"}),
    failed("two", response={"status_code": 400, "body": {"error": {"message": "no"}}}),
    failed("two", response={"status_code": 500, "body": {}}, error=None),
    failed("two", error="overloaded"),
]


@pytest.mark.parametrize("failure", FAILURES)
def test_a_request_that_failed_in_a_batch_is_named(failure: str) -> None:
    good = shapes.batch([-1.5])
    found = read_text(good + failure + good.replace("one", "three"))
    assert [document.id for document in found.documents] == ["one", "three"]
    (note,) = found.notes
    assert "line 2" in note
    assert "'two'" in note
    refused(failure, "'two'")


def test_many_failures_make_one_remark() -> None:
    lines = [failed(f"n{i}", response=None, error="e") for i in range(99)]
    (note,) = read_text("".join(lines) + shapes.batch([-1.5])).notes
    assert "99 of the requests failed" in note
    assert "and 94 more" in note


def test_a_reply_without_log_probs_among_others_is_named() -> None:
    good = shapes.batch([-1.5])
    found = read_text(good + good.replace('{"content": [', '{"nothing": ['))
    assert len(found.documents) == 1
    (note,) = found.notes
    assert "line 2" in note
    assert '"logprobs": true' in note


def test_two_shapes_are_not_read_as_one() -> None:
    text = f"{shapes.chat([-1.5])}\n{shapes.vllm([-2.5])}\n"
    refused(text, "line 2", "vllm", "openai-chat")


@pytest.mark.parametrize("whole", [shapes.chat([-1.5]), shapes.batch([-1.5])])
def test_json_that_is_cut_off_is_refused_with_its_line(whole: str) -> None:
    refused(whole[:-20], "line 1", "cut off")
    refused(f"{whole.strip()}\n{whole[:-20]}", "line 2", "cut off")


def test_an_event_that_is_cut_off_is_refused_with_its_line() -> None:
    text = shapes.chat_stream([-1.5, -2.5])
    refused(text[: text.rindex("}]")], "cut off")


def test_a_stream_without_its_end_is_remarked() -> None:
    events = shapes.chat_stream([-1.5, -2.5]).split("\n\n")
    found = read_text("\n\n".join(events[:3]) + "\n\n")
    assert found.logprobs == [-1.5, -2.5]
    assert any("cut off" in note for note in found.notes)


def test_a_chunk_of_text_without_log_probs_is_counted_as_skipped() -> None:
    chunks = shapes.chat_chunks([-1.5, -2.5])
    delta = {"index": 0, "delta": {"content": " lost"}, "logprobs": None}
    chunks.insert(2, {**chunks[1], "choices": [delta]})
    found = read_text(shapes.sse(chunks))
    assert found.logprobs == [-1.5, -2.5]
    assert found.skipped == 1


def test_auto_does_not_mix_parts() -> None:
    generated, prompted = shapes.sglang([-1.5]), shapes.sglang_prompt([-2.5])[1:-1]
    text = f"{generated}\n{prompted}\n"
    refused(text, "line 2", "--part")
    assert read_text(text, OUTPUT).logprobs == [-1.5, -1.5, -2.5]


def test_a_prompt_of_one_token_among_longer_ones_is_remarked() -> None:
    text = f"{shapes.sglang_prompt([-2.5])[1:-1]}\n{shapes.sglang([-1.5])}\n"
    found = read_text(text)
    assert found.logprobs == [-2.5]
    assert any("line 2" in note and "prompt" in note for note in found.notes)


def test_parts_that_cannot_be_told_apart_are_scored_together() -> None:
    lists = shapes.legacy_lists([None, -1.5, -2.5])
    text = json.dumps({"choices": [{"text": "x", "logprobs": lists}]})
    assert read_text(text).reading.part == "all"
    refused(text, "--part all", options=PROMPT)


def test_plain_numbers_have_no_parts() -> None:
    refused("-0.5\n", "--part", options=PROMPT)


def test_what_was_asked_for_is_not_what_it_is() -> None:
    forced = ReadOptions(input_format="vllm")
    refused(shapes.chat([-1.5]), "openai-chat", "vllm", options=forced)
    refused("-0.5\n", "KenLM", options=ReadOptions(input_format="kenlm"))
    refused("-0.5\n", "known: ", options=ReadOptions(input_format="nonesuch"))


@pytest.mark.parametrize("header", ["surprisal", "nll", "Surprisal"])
def test_surprisals_need_an_option(header: str) -> None:
    text = f"word\t{header}\nthe\t3.5\ncat\t0.25\n"
    refused(text, "--nll", header)
    assert read_text(text, ReadOptions(nll=True)).logprobs == [-3.5, -0.25]
    bits = read_text(text, ReadOptions(nll=True, base="2")).logprobs
    assert bits == [-3.5 * LOGS["2"], -0.25 * LOGS["2"]]


def test_probabilities_need_an_option() -> None:
    refused("0.5\n0.25\n", "line 1", "--probs")
    found = read_text("0.5\n1\n0\n", ReadOptions(probs=True))
    assert found.logprobs == [math.log(0.5), 0.0, -math.inf]
    refused("0.5\n1.5\n", "line 2", "1.5", options=ReadOptions(probs=True))
    refused("0.5\n-0.5\n", "line 2", "-0.5", options=ReadOptions(probs=True))
    refused("0.5\n-0.5\n", "line 2", "-0.5", options=ReadOptions(nll=True))


@pytest.mark.parametrize(
    "text",
    [
        *(
            "[[-1, -2, 0.0], [-1, -2, -3]]",
            "[-1, -2, -100, -100]\n",
            "[-1, 0.0, 0.0]\n",
        ),
        '{"id": "a", "logprobs": [-1, -2, 0.0, 0.0]}',
        '{"logprobs": [{"logprob": -1}, {"logprob": -100}, {"logprob": -100}]}',
    ],
)
def test_rows_that_seem_padded_are_remarked(text: str) -> None:
    assert any("padding" in note for note in read_text(text).notes)


def test_the_entries_of_mlx_with_top_logprobs_are_remarked() -> None:
    text = shapes.mlx([-1.5]).replace("}]", ', "top_logprobs": [{"id": 1}]}]', 1)
    (note,) = read_text(text).notes
    assert "mlx_lm" in note


def test_sampling_log_probs_never_stand_in_for_those_of_the_model() -> None:
    refused('[{"token": "a", "sampling_logprob": -1.5}]', "no shape of log-probs")
    text = shapes.fireworks([-1.5]).replace('"logprob": -1.5', '"other": 1')
    refused(text, "'logprob' is missing")


def test_two_columns_that_may_be_meant_are_not_chosen_from() -> None:
    text = "a\tb\n-1\t-2\n"
    refused(text, "a, b", "--column")
    assert read_text(text, ReadOptions(column="b")).logprobs == [-2.0]
    refused("-1,-2,x\n-3,-4,y\n", "--column")
    assert read_text("-1,x\n-3,y\n").logprobs == [-1.0, -3.0]


@pytest.mark.parametrize(
    "text",
    ['token,logprob\n",-1.2\nfoo,-0.3\n",-0.5\n', "token,logprob\na,b,-0.5\n"],
)
def test_quotes_that_are_no_quotes_do_not_swallow_rows(text: str) -> None:
    refused(text, "line 2")


def test_bytes_come_from_bytes_and_doubtful_texts_are_remarked() -> None:
    halves = [
        {"token": "\\xe2\\x82", "bytes": [226, 130]},
        {"token": "", "bytes": [172]},
    ]
    items = [{**half, "logprob": -1.0} for half in halves]
    assert read_text(json.dumps(items)).documents[0].nbytes == 3
    for token, size in (("\N{REPLACEMENT CHARACTER}", 3), ("Ġthe", 5), ("▁a", 4)):
        found = read_text(json.dumps([{"token": token, "logprob": -1.0}]))
        assert found.documents[0].nbytes == size
        assert len(found.notes) == 1


def test_legacy_tokens_that_spell_bytes_count_what_they_spell() -> None:
    lists = {"tokens": ["bytes: \\xe2\\x82", "é"], "token_logprobs": [-1.0, -2.0]}
    found = read_text(json.dumps({"choices": [{"text": "x", "logprobs": lists}]}))
    assert found.documents[0].nbytes == 1 + 2 + 2
    assert len(found.notes) == 1


def test_the_bytes_of_what_is_not_scored_do_not_count() -> None:
    found = read_text(shapes.sglang_prompt([-1.5]).replace("null]", '"abc"]', 1), ALL)
    assert found.skipped == 1
    lists = {"tokens": ["abc", "de"], "token_logprobs": [None, -2.0]}
    found = read_text(json.dumps({"choices": [{"text": "x", "logprobs": lists}]}))
    assert found.documents[0].nbytes == 2


@pytest.mark.parametrize(
    ("text", "column", "logprobs"),
    [
        ("logprob\n-1\n-2\n", None, [-1.0, -2.0]),
        ('"log_prob"\r\n-1\r\n-2\r\n', None, [-1.0, -2.0]),
        ("score\n-1\n-2\n", "score", [-1.0, -2.0]),
        ("-1,5\n-2,7\n", "0", [-1.0, -2.0]),
        ("5\t-1\n7\t-2\n", "1", [-1.0, -2.0]),
        ("a;b\n5;-1\n7;-2\n", "b", [-1.0, -2.0]),
        ("the\t-1\ncat\t-2\n", None, [-1.0, -2.0]),
        ("# made by x\ntoken,logprob\na,-1\nb,\nc,-2\n", None, [-1.0, -2.0]),
    ],
)
def test_the_column_of_a_table_is_known_or_chosen(
    text: str, column: str | None, logprobs: list[float]
) -> None:
    assert read_text(text, ReadOptions(column=column)).logprobs == logprobs


@pytest.mark.parametrize("text", ["[-1.5]", shapes.kenlm([-1.5]), "a,b\n1,2\n"])
def test_a_column_that_is_not_there_is_refused(text: str) -> None:
    refused(text, "--column", options=ReadOptions(column="c"))


@pytest.mark.parametrize("row", ['"\t-1', '"x"y\t-1', 'a\t"-1'])
def test_a_quote_that_is_not_doubled_is_named(row: str) -> None:
    refused(f"token\tlogprob\nb\t-2\n{row}\n", "line 3", "double a quote")
