"""Messages name where an entry stands, and what is forced must be there."""

import io
import json
import sys
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from inputs.logprobs import shapes
from inputs.logprobs.written import read_file, read_text

from llmcalc.errors import LlmcalcError
from llmcalc.inputs.logprobs.document import ReadOptions
from llmcalc.inputs.logprobs.families import FAMILIES, Family
from llmcalc.inputs.logprobs.reader import open_logprobs
from llmcalc.inputs.source import STDIN, Source

ALL = ReadOptions(part="all")


def refused(text: str, options: ReadOptions, folder: Path | None = None) -> str:
    with pytest.raises(LlmcalcError) as error:
        read_file(folder, text, options) if folder else read_text(text, options)
    return str(error.value)


def chat(reasoning: list[float], content: list[float]) -> str:
    lists = {"reasoning_content": reasoning, "content": content}
    logprobs = {
        name: [{"token": "a", "logprob": value} for value in values]
        for name, values in lists.items()
    }
    return json.dumps({"choices": [{"message": {}, "logprobs": logprobs}]})


def test_an_entry_of_joined_lists_is_named_by_its_own_list() -> None:
    assert "reasoning_content[1]: 0.5" in refused(chat([-1, 0.5], [-1]), ALL)
    assert "logprobs.content[0]: 0.5" in refused(chat([-1, -2], [0.5]), ALL)
    assert "logprobs.content[1]: 0.5" in refused(chat([], [-1, 0.5]), ALL)


def test_an_entry_of_prompt_and_output_is_named_by_its_part() -> None:
    reply = json.loads(shapes.vllm_chat([-1.5, -2.0]))
    reply["choices"][0]["logprobs"]["content"][1]["logprob"] = 0.5
    assert "choices[0].logprobs.content[1]: 0.5" in refused(json.dumps(reply), ALL)
    reply = json.loads(shapes.vllm_chat([-1.5, 0.5]))
    assert "x: line 1: prompt_logprobs[2]: 0.5" in refused(json.dumps(reply), ALL)
    reply = json.loads(shapes.together_echo([-1.5, -2.0]))
    reply["choices"][0]["logprobs"]["token_logprobs"][0] = 0.5
    place = "choices[0].logprobs.token_logprobs[0]: 0.5"
    assert place in refused(json.dumps(reply), ALL)


def test_the_second_half_of_an_echo_keeps_its_indices() -> None:
    lists = {"tokens": ["a", "b", "c"], "token_logprobs": [None, -1.0, 0.5]}
    reply = {
        "choices": [{"text": "abc", "logprobs": lists}],
        "usage": {"prompt_tokens": 2, "completion_tokens": 1},
    }
    for part in ("output", "all"):
        found = refused(json.dumps(reply), ReadOptions(part=part))
        assert "token_logprobs[2]: 0.5" in found


def test_a_record_of_a_line_is_named_by_it(tmp_path: Path) -> None:
    good, bad = '{"id": "a", "logprobs": [-1]}', '{"id": "b", "logprobs": [1]}'
    lines = refused(f"{good}\n{good}\n{bad}\n", ALL, tmp_path)
    assert lines.startswith("given: line 3: logprobs[0]: 1.0")
    pretty = json.dumps(json.loads(good), indent=1)
    spread = refused(f"{pretty}\n{bad}\n", ALL, tmp_path)
    assert spread.startswith("given: record 2 (line 7): logprobs[0]: 1.0")
    assert refused(bad, ALL, tmp_path).startswith("given: logprobs[0]: 1.0")


OF_ANOTHER_KIND = [family for family in FAMILIES if family.kind != "text"]


@pytest.mark.parametrize("family", OF_ANOTHER_KIND, ids=lambda family: family.name)
def test_a_forced_format_is_never_ignored(family: Family) -> None:
    forced = ReadOptions(input_format=family.name)
    assert refused("-1\n-2\n", forced) == f"x: is text, not {family.name}"
    if family.kind == "array":
        assert refused("[-1, -2]", forced) == f"x: is JSON, not {family.name}"


def test_ids_given_as_text_are_ids() -> None:
    lists = {
        "tokens": ["token_id:17", "token_id:4"],
        "token_logprobs": [None, -1.0],
    }
    text = json.dumps({"choices": [{"text": "x", "logprobs": lists}]})
    (document,) = read_text(text, ReadOptions(want_tokens=True)).documents
    assert (document.token_ids, document.tokens, document.nbytes) == ([4], None, None)


def test_spelt_bytes_are_remarked_once() -> None:
    lists = {
        "tokens": ["a", "bytes:\\xe2\\x82", "bytes:\\xac", "bytes:", "\\x"],
        "token_logprobs": [-1.0] * 5,
    }
    found = read_text(json.dumps({"choices": [{"text": "x", "logprobs": lists}]}))
    assert found.documents[0].nbytes == 1 + 2 + 1 + 6 + 2
    assert [note.count("x: line 1") for note in found.notes] == [1]


def test_nothing_scored_names_the_file_once(tmp_path: Path) -> None:
    text = json.dumps({"choices": [{"text": "x", "logprobs": {"token_logprobs": []}}]})
    message = refused(text, ReadOptions(), tmp_path)
    assert message.startswith("given: no token is scored: 1 of the replies")
    assert message.count("given") == 1


def test_a_rank_that_is_no_json_is_refused_as_json() -> None:
    entry = '{"7": {"logprob": -1.0, "rank": 01, "decoded_token": "a"}}'
    message = refused(f'{{"prompt_logprobs": [null, {entry}]}}', ALL)
    assert "not JSON" in message


def test_an_archive_and_its_mask_come_through_a_pipe(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    content = io.BytesIO()
    np.savez(content, scores=np.array([-1.0, -2.0, -4.0]), kept=np.array([1, 0, 1]))
    pipe = SimpleNamespace(buffer=io.BytesIO(content.getvalue()))
    monkeypatch.setattr(sys, "stdin", pipe)
    reading = open_logprobs(Source(STDIN, None), ReadOptions(mask="kept"))
    assert [list(one.logprobs) for one in reading.documents] == [[-1.0, -4.0]]


@pytest.mark.parametrize(
    ("first", "second", "part"),
    [
        ("[null]", "[null, -1.5]", "all"),
        ('{"logprobs": [null]}', '{"logprobs": [null, -1.5]}', "all"),
        (shapes.vllm([]), shapes.vllm([-1.5]), "prompt"),
    ],
)
def test_a_first_sequence_of_one_token_decides_nothing(
    first: str, second: str, part: str
) -> None:
    lines = [json.dumps(json.loads(text)) for text in (first, second)]
    found = read_text("\n".join(lines))
    assert (found.logprobs, found.reading.part) == ([-1.5], part)
    assert found.skipped >= 1


def test_nothing_but_nulls_is_nothing_scored() -> None:
    assert read_text("[null, null]").logprobs == []
