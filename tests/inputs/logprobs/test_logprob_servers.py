"""What is peculiar to each server and toolkit."""

import json
import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from inputs.logprobs import shapes
from inputs.logprobs.written import Found, read_text

from llmcalc.errors import LlmcalcError
from llmcalc.inputs.logprobs import vllm_text
from llmcalc.inputs.logprobs.document import LOGS, Ngram, ReadOptions, Total

PROMPT, OUTPUT = ReadOptions(part="prompt"), ReadOptions(part="output")
ALL = ReadOptions(part="all")
VALUES = [-1.5, -0.25, -3.0, -2.0]


def ids(found: Found) -> list[str]:
    return [document.id for document in found.documents]


def test_choices_are_documents_by_their_index() -> None:
    reply = json.loads(shapes.chat([-1.0]))
    reply["choices"] += json.loads(shapes.chat([-2.0, -3.0]))["choices"]
    reply["choices"][0]["index"] = 1
    found = read_text(json.dumps(reply))
    assert found.logprobs == [-2.0, -3.0, -1.0]
    assert ids(found) == ["chatcmpl-1/0", "chatcmpl-1/1"]


def test_choices_that_interleave_in_a_stream_come_apart() -> None:
    chunks = []
    for index, value in ((1, -1.0), (0, -2.0), (1, -3.0), (0, -4.0)):
        chunk = shapes.chat_chunks([value])[1]
        chunk["choices"][0]["index"] = index
        chunks.append(chunk)
    found = read_text(shapes.sse(chunks))
    assert [list(d.logprobs) for d in found.documents] == [[-2.0, -4.0], [-1.0, -3.0]]


def test_streams_after_one_another_are_documents() -> None:
    found = read_text(shapes.chat_stream([-1.0]) + shapes.chat_stream([-2.0]))
    assert [list(d.logprobs) for d in found.documents] == [[-1.0], [-2.0]]


def test_streams_woven_into_one_another_come_apart() -> None:
    one, two = shapes.chat_chunks([-1.0, -2.0, -3.0]), shapes.chat_chunks([-4.0, -5.0])
    two = [{**chunk, "id": "chatcmpl-2"} for chunk in two]
    woven = [chunk for pair in zip(one, two, strict=False) for chunk in pair]
    found = read_text(shapes.sse([*woven, *one[len(two) :]]))
    by_id = {document.id: list(document.logprobs) for document in found.documents}
    assert by_id == {"chatcmpl-1": [-1.0, -2.0, -3.0], "chatcmpl-2": [-4.0, -5.0]}
    assert found.notes == []


def test_replies_after_one_another_need_no_lines() -> None:
    text = json.dumps(json.loads(shapes.chat([-1.0])), indent=2)
    assert read_text(text * 3).logprobs == [-1.0] * 3


def test_the_echo_and_one_generated_token_are_told_apart() -> None:
    text = shapes.legacy_echo([-1.5, -2.5])
    assert read_text(text).logprobs == [-1.5, -2.5]
    assert read_text(text, OUTPUT).logprobs == [-3.5]
    assert read_text(text, ALL).logprobs == [-1.5, -2.5, -3.5]
    place = read_text(text, OUTPUT).documents[0].where.place(0)
    assert place.endswith("choices[0].logprobs.token_logprobs[3]")


def test_prompts_of_one_request_with_nothing_generated_are_prompts() -> None:
    choices = [
        {"index": i, "text": "x", "logprobs": shapes.legacy_lists([None, v])}
        for i, v in enumerate([-1.5, -2.5])
    ]
    usage = {"prompt_tokens": 4, "completion_tokens": 0, "total_tokens": 4}
    found = read_text(json.dumps({"choices": choices, "usage": usage}))
    assert found.reading.part == "prompt"
    assert found.logprobs == [-1.5, -2.5]


@pytest.mark.parametrize("order", ["ids", "ranks"])
def test_entries_that_were_sorted_anew_are_refused(order: str) -> None:
    reply = json.loads(shapes.vllm(VALUES * 3))
    for position in reply["choices"][0]["prompt_logprobs"][1:]:
        entries = sorted(position.items(), key=lambda entry: int(entry[0]))
        position.clear()
        position.update(entries)
        if order == "ids":  # without ranks, only the order of ids can tell
            for entry in position.values():
                del entry["rank"]
    with pytest.raises(LlmcalcError, match="sorted anew"):
        read_text(json.dumps(reply))
    reply["choices"][0]["prompt_token_ids"] = [1, *range(900, 912)]
    found = read_text(json.dumps(reply), ReadOptions(want_tokens=True))
    assert found.logprobs == VALUES * 3
    assert found.documents[0].token_ids == list(range(900, 912))


def test_an_early_build_that_put_its_own_token_last_is_refused() -> None:
    reply = json.loads(shapes.vllm(VALUES))
    positions = reply["choices"][0]["prompt_logprobs"]
    positions[1:] = [dict(reversed(position.items())) for position in positions[1:]]
    with pytest.raises(LlmcalcError, match="sorted anew"):
        read_text(json.dumps(reply))


def test_choices_of_one_prompt_count_it_once() -> None:
    reply = json.loads(shapes.vllm(VALUES))
    reply["choices"] += [{**reply["choices"][0], "index": 1}]
    found = read_text(json.dumps(reply))
    assert found.logprobs == VALUES
    assert "repeat the prompt" in found.notes[0]


def test_prompts_of_one_request_are_documents() -> None:
    reply = json.loads(shapes.vllm(VALUES))
    reply["choices"] += json.loads(shapes.vllm([-9.5]))["choices"]
    reply["choices"][1]["index"] = 1
    assert read_text(json.dumps(reply)).logprobs == [*VALUES, -9.5]


def test_an_echo_beside_prompt_logprobs_is_the_same_tokens() -> None:
    text = shapes.vllm_echo(VALUES)
    assert read_text(text, ALL).logprobs == VALUES
    assert read_text(shapes.vllm_chat(VALUES), ALL).logprobs == [*VALUES, -1.25, -2.5]
    assert read_text(shapes.vllm_chat(VALUES), OUTPUT).logprobs == [-1.25, -2.5]


def slowly(text: str) -> Found | str:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(vllm_text, "FIELD", "no such field")
        return found_or_error(text)


def found_or_error(text: str) -> Found | str:
    try:
        return read_text(text, ReadOptions(want_tokens=True))
    except LlmcalcError as error:
        return str(error)


def same(text: str) -> None:
    quick, slow = found_or_error(text), slowly(text)
    if isinstance(quick, str) or isinstance(slow, str):
        assert quick == slow
        return
    assert quick.logprobs == slow.logprobs
    assert quick.documents == slow.documents


TEXT = st.text(st.characters(exclude_categories=()), max_size=6)
NUMBERS = st.floats(-1e4, 0.0) | st.integers(-5, 0) | st.floats()


@settings(max_examples=150)
@given(st.data(), st.sampled_from([(",", ":"), (", ", ": "), (" , ", ": ")]))
def test_the_quick_way_of_vllm_reads_what_json_reads(
    data: st.DataObject, separators: tuple[str, str]
) -> None:
    entry = st.fixed_dictionaries(
        {"logprob": NUMBERS, "rank": st.integers(0, 3), "decoded_token": TEXT}
    )
    key = st.integers(0, 5).map(str)
    position = st.none() | st.dictionaries(key, entry, min_size=1, max_size=3)
    positions = data.draw(st.lists(position, max_size=4))
    choice = {"prompt_logprobs": positions, "text": data.draw(TEXT)}
    ensure = data.draw(st.booleans())
    text = json.dumps({"choices": [choice] * 2}, separators=separators)
    if not ensure:
        text = json.dumps({"choices": [choice]}, ensure_ascii=False)
        text = text.encode("utf-8", "replace").decode()
    same(text)


@settings(max_examples=300)
@given(st.data())
def test_the_quick_way_of_vllm_accepts_nothing_that_json_does_not(
    data: st.DataObject,
) -> None:
    text = data.draw(st.sampled_from([shapes.vllm, shapes.vllm_compact]))(VALUES)
    start = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(start, min(len(text), start + 12)))
    pieces = ["", "}", "}, {", '"', "\\", "0", "null", ",", '"901": ', text[start:end]]
    text = text[:start] + data.draw(st.sampled_from(pieces)) + text[end:]
    same(text)


def test_an_id_twice_in_one_object_is_read_as_json_does() -> None:
    same('{"prompt_logprobs": [{"7": {"logprob": -1.0, "rank": 1, "decoded_token": "a"}'
         ', "7": {"logprob": -2.0, "rank": 2, "decoded_token": "b"}}]}')  # fmt: skip


@pytest.mark.parametrize("leading", [0, 1])
def test_tensorrt_prompts_have_one_entry_less_or_one_too_many(leading: int) -> None:
    positions = [{str(t): {"logprob": -float(t), "rank": 1}} for t in (2, 3)]
    positions += [{"9": {"logprob": -9.0, "rank": 1}}] * leading
    output = {"prompt_logprobs": positions, "logprobs": None, "token_ids": []}
    reply = {"prompt_token_ids": [1, 2, 3], "outputs": [output]}
    assert read_text(json.dumps(reply)).logprobs == [-2.0, -3.0]


def test_tensorrt_without_ids_is_not_guessed() -> None:
    output = json.loads(shapes.tensorrt(VALUES))["outputs"][0]
    del output["token_ids"]
    with pytest.raises(LlmcalcError, match="token_ids"):
        read_text(json.dumps({"outputs": [output]}))


def test_triton_beams_are_documents() -> None:
    found = read_text('{"output_log_probs": [[-1.0], [-2.0, -3.0]]}')
    assert [len(document.logprobs) for document in found.documents] == [1, 2]


def test_old_llama_servers_give_probabilities_of_candidates() -> None:
    def item(content: str, *candidates: tuple[str, float]) -> dict[str, object]:
        probs = [{"tok_str": text, "prob": prob} for text, prob in candidates]
        return {"content": content, "probs": probs}

    items = [item(" a", (" b", 0.5), (" a", 0.25)), item(" c", (" c", 1.0))]
    reply = {"content": "x", "stop": True, "completion_probabilities": items}
    assert read_text(json.dumps(reply)).logprobs == [math.log(0.25), 0.0]
    items.append(item(" d", (" b", 0.5)))
    with pytest.raises(LlmcalcError, match="n_probs"):
        read_text(json.dumps(reply))


def test_the_closing_event_of_old_llama_servers_repeats_the_list() -> None:
    item = {"content": "a", "probs": [{"tok_str": "a", "prob": 0.5}]}
    events = [{"content": "a", "stop": False, "completion_probabilities": [item]}] * 2
    last = {"content": "", "stop": True, "tokens_predicted": 2}
    found = read_text(
        shapes.sse([*events, {**last, "completion_probabilities": [item] * 2}])
    )
    assert found.logprobs == [math.log(0.5)] * 2
    assert found.notes == []


def test_probabilities_after_the_samplers_are_remarked() -> None:
    item = {"id": 1, "token": "a", "bytes": [97], "prob": 0.5, "top_probs": []}
    found = read_text(json.dumps({"completion_probabilities": [item], "stop": True}))
    assert found.logprobs == [math.log(0.5)]
    assert "post_sampling_probs" in found.notes[0]


def test_a_mean_alone_is_a_mean_of_unknown_count() -> None:
    candidate = {"content": {}, "avgLogprobs": -0.5, "finishReason": "STOP"}
    (document,) = read_text(json.dumps({"candidates": [candidate]})).documents
    assert document.total == Total(-0.5, None)
    assert len(document.logprobs) == 0


def test_a_log_prob_that_gemini_leaves_out_is_skipped() -> None:
    text = shapes.gemini([-1.5, -2.5]).replace(', "logProbability": -1.5', "")
    found = read_text(text)
    assert (found.logprobs, found.skipped) == ([-2.5], 1)


ROLLING = {
    "doc_id": 3,
    "resps": [["-12.5"]],
    "filtered_resps": ["-12.5"],
    "word_perplexity": [-12.5, 4],
    "byte_perplexity": [-12.5, 21],
    "bits_per_byte": [-12.5, 21],
}


def test_lm_eval_rolling_counts_words_and_bytes() -> None:
    found = read_text(json.dumps(ROLLING))
    (document,) = found.documents
    assert found.reading.unit == "word"
    assert document.total == Total(-12.5, 4)
    assert (document.id, document.words, document.nbytes) == ("3", 4, 21)


def test_lm_eval_without_words_is_of_documents() -> None:
    record = {k: v for k, v in ROLLING.items() if k != "word_perplexity"}
    found = read_text(json.dumps(record))
    assert found.reading.unit == "document"
    assert found.logprobs == [-12.5]
    assert found.documents[0].nbytes == 21


@pytest.mark.parametrize("target", [1, "1", "no"])
def test_lm_eval_multiple_choice_scores_the_answer(target: object) -> None:
    arguments = {f"gen_args_{i}": {"arg_1": t} for i, t in enumerate([" yes", " no"])}
    record = {"doc_id": 0, "target": target, "arguments": arguments}
    responses = [["-0.5", "True"], ["-2.5", "False"]]
    text = json.dumps({**record, "filtered_resps": responses})
    assert read_text(text).logprobs == [-2.5]
    with pytest.raises(LlmcalcError, match="target"):
        read_text(text.replace(json.dumps(target), '"maybe"', 1))


KENLM = (
    "the=7 1 -1.0\tslept=0 1 -5.0\t</s>=2 1 -1.5\tTotal: -7.5 OOV: 1\n"
    "gulls=45 1 -3.0\t</s>=2 3 -0.5\tTotal: -3.5 OOV: 0\n"
)
SUMMARY = (
    "Perplexity including OOVs:\t158.489319246111\n"
    "Perplexity excluding OOVs:\t31.6227766016838\nOOVs:\t1\nTokens:\t5\n"
)
TEN = LOGS["10"]


def test_kenlm_words_are_scored_and_unknown_ones_counted() -> None:
    found = read_text(KENLM + SUMMARY)
    assert found.logprobs == [v * TEN for v in (-1.0, -5.0, -1.5, -3.0, -0.5)]
    first, second = found.documents
    assert first.ngram == Ngram(1, 1, Total(-2.5 * TEN, 2))
    assert second.ngram == Ngram(0, 1, Total(-3.5 * TEN, 2))


def test_kenlm_sentences_alone_have_no_words() -> None:
    totals = "Total: -7.5 OOV: 1\nTotal: -3.5 OOV: 0\n"
    found = read_text(totals)
    assert found.reading.unit == "document"
    assert found.logprobs == [-7.5 * TEN, -3.5 * TEN]
    (document,) = read_text(totals + SUMMARY).documents
    assert document.total == Total(-11.0 * TEN, 5)


def test_kenlm_summary_alone_has_totals() -> None:
    found = read_text(SUMMARY)
    (document,) = found.documents
    assert found.reading.unit == "word"
    assert document.total is not None
    assert document.total.n == 5
    assert math.isclose(document.total.sum_logprob, -11.0 * TEN, rel_tol=1e-12)
    assert document.ngram is not None
    assert document.ngram.oov == 1


def test_kenlm_lines_of_something_else_are_refused() -> None:
    with pytest.raises(LlmcalcError, match="line 3"):
        read_text(KENLM + "the=7 1\n")


SENTENCE = (
    "a b c\n"
    "\tp( a | <s> ) \t= [2gram] 0.1 [ -1 ]\n"
    "\tp( <unk> | a ...) \t= [OOV] 0 [ -inf ]\n"
    "\tp( c | <unk> ...) \t= [1gram] 0 [ -inf ]\n"
    "\tp( </s> | c ...) \t= [2gram] 0.01 [ -2 ]\n"
)
COUNTS = (
    "1 sentences, 3 words, 1 OOVs\n1 zeroprobs, logprob= -3 ppl= 31.6 ppl1= 1000\n\n"
)


@pytest.mark.parametrize("words", [SENTENCE, "a b c\n", ""])
def test_srilm_leaves_unknown_words_out_at_every_level(words: str) -> None:
    file = COUNTS if words else ""
    found = read_text(f"{words}{file}file a.txt: {COUNTS}")
    (document,) = found.documents
    n = len(document.logprobs) if document.total is None else document.total.n
    total = math.fsum(document.logprobs) if document.total is None else None
    assert n == 2
    assert (total or document.total.sum_logprob) == -3 * TEN  # type: ignore[union-attr]
    assert document.ngram == Ngram(1, 1)
    assert document.skipped == 1


def test_srilm_words_may_be_bars_and_brackets() -> None:
    text = SENTENCE.replace("p( a |", "p( | |")
    found = read_text(text, ReadOptions(want_tokens=True))
    assert found.documents[0].tokens == ["|", "</s>"]


def test_fairseq_hypotheses_of_one_id_are_documents() -> None:
    text = shapes.fairseq([-1.0, -2.0]).replace("Generate", "x")
    assert ids(read_text(text + text)) == ["0", "0/1"]


def test_fairseq_without_scores_of_tokens_is_refused() -> None:
    with pytest.raises(LlmcalcError, match="P- lines"):
        read_text("S-0\tx\nH-0\t-0.5\tx\n")


def test_tokens_of_several_documents_come_apart() -> None:
    rows = [
        {"doc_id": d, "token": "a", "logprob": v} for d, v in ((1, -1.0), (2, -2.0))
    ]
    found = read_text("".join(json.dumps(row) + "\n" for row in [*rows, rows[1]]))
    assert ids(found) == ["1", "2"]
    table = "doc_id,logprob\n1,-1.0\n2,-2.0\n2,-2.0\n"
    assert ids(read_text(table)) == ["1", "2"]
    assert read_text(table).logprobs == found.logprobs == [-1.0, -2.0, -2.0]


def test_long_sequences_come_in_pieces() -> None:
    n = 70_000
    for text in (
        shapes.token_lines([-0.5] * n),
        shapes.tsv_table([-0.5] * n),
        shapes.lines([-0.5] * n),
    ):
        found = read_text(text)
        assert len(found.logprobs) == n
        first, *rest = found.documents
        assert not first.continues
        assert all(document.continues for document in rest)
        assert max(len(document.logprobs) for document in found.documents) < n


def test_server_sent_events_with_windows_line_ends_and_without_blank_lines() -> None:
    text = shapes.chat_stream(VALUES)
    assert read_text(text.replace("\n", "\r\n")).logprobs == VALUES
    assert read_text(text.replace("\n\n", "\n")).logprobs == VALUES


def test_an_event_over_several_lines_is_one() -> None:
    reply = json.dumps(json.loads(shapes.chat(VALUES)), indent=1)
    lines = "".join(f"data: {line}\n" for line in reply.splitlines())
    assert read_text(lines + "\n").logprobs == VALUES


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16"])
def test_json_of_every_encoding(encoding: str) -> None:
    assert read_text(shapes.chat(VALUES).encode(encoding)).logprobs == VALUES
