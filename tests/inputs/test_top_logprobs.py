"""Top log-probs of every server: labels, values, sentinels, what is refused."""

import math
from typing import Any

import pytest

from llmcalc.errors import LlmcalcError
from llmcalc.inputs.top_logprobs import Position, positions

INF = math.inf
LISTED = [{"token": " a", "logprob": -0.5}, {"token": "b", "logprob": -1.5}]
TABLE = {" a": -0.5, "b": -1.5}
BY_ID = {
    "11": {"logprob": -0.5, "rank": 1, "decoded_token": " a"},
    "22": {"logprob": -1.5, "rank": 2, "decoded_token": "b"},
}
CHAT = {"choices": [{"logprobs": {"content": [{"top_logprobs": LISTED}]}}]}
PROBS = [
    {"token": " a", "prob": math.exp(-0.5)},
    {"token": "b", "prob": math.exp(-1.5)},
]
OLD = [
    {"tok_str": " a", "prob": math.exp(-0.5)},
    {"tok_str": "b", "prob": math.exp(-1.5)},
]
# One position of " a" at -0.5 and "b" at -1.5, as each server writes it.
REPLIES: dict[str, Any] = {
    "OpenAI chat": CHAT,
    "OpenAI chat reasoning": {
        "choices": [{"logprobs": {"reasoning_content": [{"top_logprobs": LISTED}]}}]
    },
    "a batch line": {"custom_id": "x", "response": {"status_code": 200, "body": CHAT}},
    "completions": {
        "choices": [{"logprobs": {"token_logprobs": [-0.5], "top_logprobs": [TABLE]}}]
    },
    "echo": {
        "choices": [
            {
                "logprobs": {
                    "token_logprobs": [None, -0.5],
                    "top_logprobs": [None, TABLE],
                },
                "prompt_logprobs": [None, BY_ID],
            }
        ]
    },
    "vLLM prompt_logprobs": {"choices": [{"prompt_logprobs": [None, BY_ID]}]},
    "vLLM chat": {"prompt_logprobs": [None, BY_ID], "choices": [{"logprobs": None}]},
    "llama-server": {"completion_probabilities": [{"top_logprobs": LISTED}]},
    "llama-server, post-sampling": {"completion_probabilities": [{"top_probs": PROBS}]},
    "llama-server, old": {"completion_probabilities": [{"content": "b", "probs": OLD}]},
    "Ollama": {"model": "m", "logprobs": [{"token": "b", "top_logprobs": LISTED}]},
    "responses": {
        "output": [
            {"type": "reasoning"},
            {"content": [{"logprobs": [{"top_logprobs": LISTED}]}]},
        ]
    },
    "Gemini": {
        "candidates": [
            {
                "logprobsResult": {
                    "topCandidates": [
                        {
                            "candidates": [
                                {"token": " a", "logProbability": -0.5},
                                {"token": "b", "logProbability": -1.5},
                            ]
                        }
                    ]
                }
            }
        ]
    },
    "SGLang": {
        "meta_info": {
            "input_top_logprobs": [None],
            "output_top_logprobs": [[[-0.5, 11, " a"], [-1.5, 22, "b"]]],
        }
    },
    "TGI": {
        "details": {
            "top_tokens": [
                [
                    {"id": 1, "text": " a", "logprob": -0.5},
                    {"id": 2, "text": "b", "logprob": -1.5},
                ]
            ]
        }
    },
}


def chat(*entries: tuple[str, Any]) -> dict[str, Any]:
    listed = [{"token": token, "logprob": value} for token, value in entries]
    return {"choices": [{"logprobs": {"content": [{"top_logprobs": listed}]}}]}


def read(*replies: Any) -> list[Position]:
    return positions([("", reply) for reply in replies], "x.json")


@pytest.mark.parametrize("name", REPLIES)
def test_every_server_gives_the_same_position(name: str) -> None:
    (position,) = read(REPLIES[name])
    assert position.labels == [" a", "b"]
    assert position.logprobs == pytest.approx([-0.5, -1.5], rel=1e-15)
    assert position.listed_mass == pytest.approx(math.exp(-0.5) + math.exp(-1.5))


def test_positions_stand_in_order_and_each_says_where() -> None:
    content = [{"top_logprobs": LISTED}, {"top_logprobs": []}, {"top_logprobs": LISTED}]
    found = read({"choices": [{"logprobs": {"content": content}}]}, CHAT)
    assert [position.path for position in found] == [
        "choices[0].logprobs.content[0]",
        "choices[0].logprobs.content[2]",
        "choices[0].logprobs.content[0]",
    ]


@pytest.mark.parametrize(
    "value", [-9999.0, -9999, -3.4028234663852886e38, -1.2676506e30]
)
def test_a_sentinel_is_masked_and_counted(value: float) -> None:
    (position,) = read(chat(("a", -0.5), ("b", value)))
    assert position.logprobs == [-0.5, -INF]
    assert position.sentinels == 1
    assert position.listed_mass == math.exp(-0.5)


@pytest.mark.parametrize("value", [-INF, "-Infinity", "-inf"])
def test_an_infinity_is_masked_and_no_sentinel(value: Any) -> None:
    (position,) = read(chat(("a", -0.5), ("b", value)))
    assert (position.logprobs, position.sentinels) == ([-0.5, -INF], 0)


def test_a_probability_of_zero_is_masked() -> None:
    listed = [{"token": "a", "prob": 1.0}, {"token": "b", "prob": 0.0}]
    (position,) = read({"completion_probabilities": [{"top_probs": listed}]})
    assert position.logprobs == [0.0, -INF]


def test_a_token_without_text_is_named_by_its_id() -> None:
    triples = [[-0.5, 11, None], [-1.5, 22, None]]
    (position,) = read({"meta_info": {"output_top_logprobs": [triples]}})
    assert position.labels == ["11", "22"]


@pytest.mark.parametrize("value", [0.5, math.nan, None, True, "x", 2])
def test_what_is_no_logprob_is_named(value: Any) -> None:
    where = r"x\.json: choices\[0\]\.logprobs\.content\[0\]: 'b'"
    with pytest.raises(LlmcalcError, match=where):
        read(chat(("a", -0.5), ("b", value)))


@pytest.mark.parametrize("value", [-0.1, 1.5, math.nan])
def test_what_is_no_probability_is_named(value: float) -> None:
    listed = [{"token": "a", "prob": value}]
    with pytest.raises(LlmcalcError, match=f"'a': {value} is no probability"):
        read({"completion_probabilities": [{"top_probs": listed}]})


@pytest.mark.parametrize(
    "reply",
    [
        {"choices": [{"logprobs": {"content": [{"token": "a", "logprob": -1.0}]}}]},
        {"logprobs": [{"token": "a", "logprob": -1.0}]},
        {"completion_probabilities": [{"token": "a", "logprob": -1.0}]},
        {"choices": [{"logprobs": {"token_logprobs": [-1], "top_logprobs": None}}]},
        {"choices": [{"message": {"content": "a"}, "logprobs": None}]},
        {"choices": [{"delta": {"content": "a"}}]},
        {"choices": [{"text": "a"}]},
        {"model": "m", "response": "a", "done": True},
    ],
)
def test_a_reply_without_top_lists_says_what_to_ask_for(reply: Any) -> None:
    with pytest.raises(LlmcalcError, match="ask the server for top_logprobs"):
        read(reply)


@pytest.mark.parametrize(
    "reply", [{}, {"a": 1}, {"logprobs": [-1.0, -2.0]}, [1], 3, "x"]
)
def test_other_json_is_refused_with_what_is_known(reply: Any) -> None:
    with pytest.raises(LlmcalcError, match="known are OpenAI chat, OpenAI completions"):
        read(reply)


@pytest.mark.parametrize(
    "reply",
    [
        {"choices": 3},
        {"choices": [3]},
        {"choices": [{"logprobs": {"content": [{"top_logprobs": [{"token": "a"}]}]}}]},
        {"completion_probabilities": [{"top_logprobs": ["a"]}]},
        {"meta_info": {"output_top_logprobs": [[[-0.5, 1]]]}},
    ],
)
def test_a_damaged_reply_is_one_error(reply: Any) -> None:
    message = r"x\.json: [A-Za-z -]+: the reply is damaged or of another shape"
    with pytest.raises(LlmcalcError, match=message):
        read(reply)
