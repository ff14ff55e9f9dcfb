"""A small writer for every shape of log-probs that the reader knows.

Each takes a sequence of log-probs (as the file has them: base 10 for KenLM) and
returns the text of a file as the server or toolkit writes it, noise included:
alternatives with sentinels, nulls, usage, counters.
"""

import json
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

SENTINEL = -3.4028234663852886e38
Values = Sequence[float]


class Shape(NamedTuple):
    """A writer, what its text is recognised as, and how much of it is no token."""

    name: str
    family: str
    write: Callable[[Values], str]
    part: str = "output"
    base: str = "e"
    skipped: int = 0
    documents: bool = True  # one document holds it all


def word(index: int) -> str:
    return f" w{index}"


def chat_items(values: Values, **extra: Any) -> list[dict[str, Any]]:
    noise = {"token": " no", "logprob": -9999.0, "bytes": [32, 110, 111]}
    return [
        {
            "token": word(i),
            "logprob": v,
            "bytes": list(word(i).encode()),
            "top_logprobs": [noise],
            **extra,
        }
        for i, v in enumerate(values)
    ]


def chat(values: Values, name: str = "content") -> str:
    logprobs = {"content": None, "refusal": None, name: chat_items(values)}
    choice = {"index": 0, "message": {"role": "assistant"}, "logprobs": logprobs}
    reply = {"id": "chatcmpl-1", "object": "chat.completion", "created": 17}
    return json.dumps({**reply, "choices": [{**choice, "finish_reason": "stop"}]})


def refusal(values: Values) -> str:
    return chat(values, "refusal")


def reasoning(values: Values) -> str:
    cut = len(values) // 2
    lists = {
        "content": chat_items(values[cut:]),
        "reasoning_content": chat_items(values[:cut]),
    }
    return json.dumps({"choices": [{"message": {}, "logprobs": lists}]})


def fireworks(values: Values) -> str:
    items = chat_items(values, sampling_logprob=-0.001, token_id=5)
    return json.dumps({"choices": [{"message": {}, "logprobs": {"content": items}}]})


def mlx(values: Values) -> str:
    items = [{"id": 7, "logprob": v} for v in values]
    return json.dumps({"choices": [{"message": {}, "logprobs": {"content": items}}]})


def sse(events: Sequence[Any], done: bool = True) -> str:
    lines = [f"data: {json.dumps(event)}\n\n" for event in events]
    return ": keep-alive\n\n" + "".join(lines) + ("data: [DONE]\n\n" if done else "")


def _chunk(choices: list[dict[str, Any]]) -> dict[str, Any]:
    head = {"id": "chatcmpl-1", "object": "chat.completion.chunk", "model": "m"}
    return {**head, "choices": choices}


def chat_chunks(values: Values) -> list[dict[str, Any]]:
    """Two tokens a chunk, a role first, an end and a usage last."""
    delta = {"role": "assistant", "content": ""}
    chunks = [_chunk([{"index": 0, "delta": delta, "logprobs": None}])]
    items = chat_items(values)
    for i in range(0, len(items), 2):
        pair = items[i : i + 2]
        text = "".join(item["token"] for item in pair)
        choice = {"index": 0, "delta": {"content": text}, "finish_reason": None}
        chunks.append(_chunk([{**choice, "logprobs": {"content": pair}}]))
    end = {"index": 0, "delta": {}, "logprobs": None, "finish_reason": "stop"}
    return [*chunks, _chunk([end]), {**_chunk([]), "usage": {"total_tokens": 9}}]


def chat_stream(values: Values) -> str:
    return sse(chat_chunks(values))


def chat_chunk_lines(values: Values) -> str:
    return "".join(json.dumps(chunk) + "\n" for chunk in chat_chunks(values))


def legacy_lists(values: Sequence[float | None]) -> dict[str, Any]:
    return {
        "tokens": [word(i) for i in range(len(values))],
        "token_logprobs": list(values),
        "top_logprobs": [{" no": -9999.0} if v else None for v in values],
        "text_offset": [3 * i for i in range(len(values))],
    }


def legacy(values: Values) -> str:
    choice = {"index": 0, "text": "x", "logprobs": legacy_lists(values)}
    usage = {"prompt_tokens": len(values) + 3, "completion_tokens": len(values)}
    return json.dumps({"id": "cmpl-1", "choices": [choice], "usage": usage})


def legacy_echo(values: Values) -> str:
    """A prompt, echoed, and one generated token, which auto does not score."""
    lists = legacy_lists([None, *values, -3.5])
    choice = {"index": 0, "text": "x", "logprobs": lists, "finish_reason": "length"}
    usage = {"prompt_tokens": len(values) + 1, "total_tokens": len(values) + 2}
    return json.dumps({"id": "cmpl-1", "choices": [choice], "usage": usage})


def legacy_stream(values: Values) -> str:
    choices = [
        {"index": 0, "text": word(i), "logprobs": legacy_lists([v])}
        for i, v in enumerate(values)
    ]
    choices = [{**choice, "finish_reason": None} for choice in choices]
    choices[-1]["finish_reason"] = "length"
    return sse([{"id": "cmpl-1", "choices": [choice]} for choice in choices])


def responses(values: Values) -> str:
    part = {"type": "output_text", "text": "x", "logprobs": chat_items(values)}
    output = [
        {"type": "reasoning", "summary": []},
        {"type": "message", "role": "assistant", "content": [part]},
    ]
    head = {"id": "resp_1", "object": "response", "temperature": 0.5}
    return json.dumps({**head, "top_logprobs": 2, "output": output})


def responses_stream(values: Values) -> str:
    """The same tokens five times."""
    items = chat_items(values)
    bare = [{k: v for k, v in item.items() if k != "bytes"} for item in items]
    place = {"output_index": 1, "content_index": 0, "item_id": "msg_1"}
    part = {"type": "output_text", "text": "x", "logprobs": items}
    message = {"type": "message", "content": [part]}
    whole = {"id": "resp_1", "output": [{"type": "reasoning"}, message]}
    kinds: list[tuple[str, dict[str, Any]]] = [("created", {"response": {"id": "r"}})]
    for item in bare:
        delta = {"delta": item["token"], "logprobs": [item]}
        kinds.append(("output_text.delta", {**place, **delta}))
    kinds += [
        ("output_text.done", {**place, "text": "x", "logprobs": bare}),
        ("content_part.done", {**place, "part": part}),
        ("output_item.done", {"output_index": 1, "item": message}),
        ("completed", {"response": whole}),
    ]
    events = [
        f"event: response.{kind}\ndata: "
        + json.dumps({"type": f"response.{kind}", **fields})
        for kind, fields in kinds
    ]
    return "\n\n".join(events) + "\n\n"


def batch(values: Values) -> str:
    body = json.loads(chat(values))
    response = {"status_code": 200, "request_id": "r", "body": body}
    line = {"id": "b", "custom_id": "one", "response": response, "error": None}
    return json.dumps(line) + "\n"


def vllm_positions(values: Values, k: int = 2) -> list[dict[str, Any] | None]:
    """The own token first: at odd places among the top ones, at even ones not."""
    positions: list[dict[str, Any] | None] = [None]
    for i, v in enumerate(values):
        rank = 1 if i % 2 else k + 5
        own = {"logprob": v, "rank": rank, "decoded_token": word(i)}
        position: dict[str, Any] = {str(900 + i): own}
        for j in range(1, k + 1):
            if j != rank:
                noise = {"logprob": -9999.0, "rank": j, "decoded_token": " no"}
                position[str(100 - j)] = noise
        positions.append(position)
    return positions


def vllm(values: Values) -> str:
    choice = {"index": 0, "text": " It", "logprobs": None}
    choice["prompt_logprobs"] = vllm_positions(values)
    return json.dumps(
        {"id": "cmpl-2", "object": "text_completion", "choices": [choice]}
    )


def vllm_compact(values: Values) -> str:
    return json.dumps(json.loads(vllm(values)), separators=(",", ":"))


def vllm_pretty(values: Values) -> str:
    return json.dumps(json.loads(vllm(values)), indent=1)


def vllm_chat(values: Values) -> str:
    choices = json.loads(chat([-1.25, -2.5]))["choices"]
    return json.dumps(
        {"id": "c", "choices": choices, "prompt_logprobs": vllm_positions(values)}
    )


def vllm_echo(values: Values) -> str:
    choice = {"index": 0, "text": "x", "logprobs": legacy_lists([None, *values])}
    choice["prompt_logprobs"] = vllm_positions(values)
    return json.dumps({"id": "cmpl-3", "choices": [choice]})


def vllm_offline(values: Values) -> str:
    output = {"index": 0, "text": "x", "token_ids": [4], "logprobs": None}
    return json.dumps(
        {
            "request_id": "7",
            "prompt_token_ids": [1, *range(900, 900 + len(values))],
            "prompt_logprobs": vllm_positions(values),
            "outputs": [output],
        }
    )


def vllm_bare(values: Values) -> str:
    return json.dumps(vllm_positions(values))


def tensorrt(values: Values) -> str:
    """The own token after the top one, told by its id."""
    positions = [
        {"5": {"logprob": -0.01, "rank": 1}, str(900 + i): {"logprob": v, "rank": 4}}
        for i, v in enumerate(values)
    ]
    ids = list(range(900, 900 + len(values)))
    output = {"index": 0, "token_ids": ids, "logprobs": positions}
    output["prompt_logprobs"] = []
    return json.dumps({"outputs": [{**output, "cumulative_logprob": -1.0}]})


def tensorrt_floats(values: Values) -> str:
    return json.dumps({"outputs": [{"logprobs": list(values), "text": "x"}]})


def triton(values: Values) -> str:
    reply = {"cum_log_probs": -3.5, "output_log_probs": list(values)}
    return json.dumps({**reply, "text_output": "x", "sequence_end": False})


def sglang_meta(values: Values, **extra: Any) -> dict[str, Any]:
    triples = [[v, 10 + i, word(i)] for i, v in enumerate(values)]
    noise = [[[-9999.0, 3, " no"]] for _ in values]
    meta = {"id": "s1", "finish_reason": None, "completion_tokens": len(values)}
    lists = {"output_token_logprobs": triples, "output_top_logprobs": noise}
    return {**meta, "input_token_logprobs": [[None, 1, "a"]], **lists, **extra}


def sglang(values: Values) -> str:
    meta = sglang_meta(values, finish_reason={"type": "length"})
    return json.dumps({"text": "x", "meta_info": meta})


def sglang_prompt(values: Values) -> str:
    triples = [[None, 1, None], *[[v, 2, None] for v in values]]
    meta = sglang_meta([-1.5, -2.5], finish_reason={"type": "stop"})
    return json.dumps([{"meta_info": {**meta, "input_token_logprobs": triples}}])


def sglang_stream(values: Values) -> str:
    """Each event repeats all tokens so far."""
    metas = [sglang_meta(values[: i + 1]) for i in range(len(values))]
    metas[-1]["finish_reason"] = {"type": "stop"}
    return sse([{"text": "x", "meta_info": meta} for meta in metas])


def sglang_increments(values: Values) -> str:
    """Each event has its own token only."""
    metas = [sglang_meta([v], completion_tokens=i + 1) for i, v in enumerate(values)]
    metas[-1]["finish_reason"] = {"type": "stop"}
    return sse([{"text": "x", "meta_info": meta} for meta in metas])


def tgi_tokens(values: Sequence[float | None]) -> list[dict[str, Any]]:
    return [
        {"id": i, "text": word(i), "logprob": v, "special": False}
        for i, v in enumerate(values)
    ]


def tgi(values: Values) -> str:
    details = {"finish_reason": "length", "prefill": [], "tokens": tgi_tokens(values)}
    details["top_tokens"] = [tgi_tokens([-9999.0]) for _ in values]
    return json.dumps([{"generated_text": "x", "details": details}])


def tgi_prefill(values: Values) -> str:
    details = {"prefill": tgi_tokens([None, *values]), "tokens": tgi_tokens([-0.5])}
    best = [{"tokens": tgi_tokens([-1.0]), "generated_text": "y"}]
    return json.dumps(
        {"generated_text": "x", "details": {**details, "best_of_sequences": best}}
    )


def tgi_stream(values: Values) -> str:
    events = [
        {"index": i, "token": token, "generated_text": None, "details": None}
        for i, token in enumerate(tgi_tokens(values))
    ]
    events[-1]["generated_text"] = "x"
    lines = [f"data:{json.dumps(event)}\n\n" for event in events]
    return "".join(lines)


def llama_items(values: Values) -> list[dict[str, Any]]:
    noise = {"id": 1, "token": " no", "bytes": [32], "logprob": SENTINEL}
    return [
        {
            "id": i,
            "token": word(i),
            "bytes": list(word(i).encode()),
            "logprob": v,
            "top_logprobs": [noise],
        }
        for i, v in enumerate(values)
    ]


def llama_server(values: Values) -> str:
    reply = {"index": 0, "content": "x", "stop": True, "id_slot": 0}
    reply["tokens_predicted"] = len(values)
    return json.dumps({**reply, "completion_probabilities": llama_items(values)})


def llama_server_stream(values: Values) -> str:
    events: list[dict[str, Any]] = [
        {"content": word(i), "stop": False, "completion_probabilities": [item]}
        for i, item in enumerate(llama_items(values))
    ]
    last = {"content": "", "stop": True, "tokens_predicted": len(values)}
    return sse([*events, last], done=False)


def ollama(values: Values) -> str:
    reply = {"model": "m", "response": "x", "done": True, "done_reason": "stop"}
    return json.dumps({**reply, "logprobs": chat_items(values), "eval_count": 9})


def ollama_lines(values: Values) -> str:
    events: list[dict[str, Any]] = [
        {"model": "m", "message": {"content": "x"}, "done": False, "logprobs": [item]}
        for item in chat_items(values)
    ]
    last = {"model": "m", "done": True, "done_reason": "stop", "eval_count": 4}
    return "".join(json.dumps(event) + "\n" for event in [*events, last])


def gemini_result(values: Values) -> dict[str, Any]:
    chosen = [
        {"token": word(i), "tokenId": i, "logProbability": v}
        for i, v in enumerate(values)
    ]
    noise = {"token": " no", "tokenId": 1, "logProbability": -1.2676506e30}
    top = [{"candidates": [noise]} for _ in values]
    return {"chosenCandidates": chosen, "topCandidates": top}


def gemini(values: Values) -> str:
    candidate = {"content": {"parts": []}, "finishReason": "STOP", "avgLogprobs": -1.0}
    candidate["logprobsResult"] = gemini_result(values)
    return json.dumps({"candidates": [candidate], "responseId": "g"})


def gemini_python(values: Values) -> str:
    chosen = [
        {"token": word(i), "token_id": i, "log_probability": v}
        for i, v in enumerate(values)
    ]
    candidate = {"logprobs_result": {"chosen_candidates": chosen}, "index": 0}
    return json.dumps({"candidates": [{**candidate, "finish_reason": "STOP"}]})


def gemini_chunks(values: Values) -> str:
    """A list of chunks, as streamGenerateContent writes without alt=sse."""
    chunks: list[dict[str, Any]] = [
        {"candidates": [{"logprobsResult": gemini_result([v])}], "responseId": "g"}
        for v in values
    ]
    chunks[-1]["candidates"][0]["finishReason"] = "STOP"
    return json.dumps(chunks)


def together_echo(values: Values) -> str:
    prompt = {"text": "x", "logprobs": legacy_lists([None, *values])}
    choice = {"index": 0, "message": {}, "logprobs": legacy_lists([-0.5])}
    return json.dumps({"id": "t", "prompt": [prompt], "choices": [choice]})


def together_chat(values: Values) -> str:
    choice = {"index": 0, "message": {}, "logprobs": legacy_lists(values)}
    return json.dumps({"id": "t", "prompt": [], "choices": [choice]})


def together_stream(values: Values) -> str:
    events: list[dict[str, Any]] = [
        {
            "id": "t",
            "object": "chat.completion.chunk",
            "choices": [{"index": 0, "delta": {"content": word(i)}, "logprobs": v}],
        }
        for i, v in enumerate(values)
    ]
    events[-1]["choices"][0]["finish_reason"] = "stop"
    return sse(events)


def cohere_chunks(values: Values) -> list[dict[str, Any]]:
    pairs = [values[i : i + 2] for i in range(0, len(values), 2)]
    return [
        {"text": word(i), "token_ids": [5] * len(pair), "logprobs": list(pair)}
        for i, pair in enumerate(pairs)
    ]


def cohere(values: Values) -> str:
    reply = {"id": "c", "finish_reason": "COMPLETE", "message": {"role": "assistant"}}
    return json.dumps({**reply, "logprobs": cohere_chunks(values)})


def cohere_stream(values: Values) -> str:
    deltas = [
        {"type": "content-delta", "index": 0, "logprobs": chunk}
        for chunk in cohere_chunks(values)
    ]
    start, end = {"type": "message-start", "id": "c"}, {"type": "message-end"}
    return sse([start, *deltas, end])


def cohere_v1(values: Values) -> str:
    likelihoods = [{"token": word(i), "likelihood": v} for i, v in enumerate(values)]
    generation = {"id": "g", "text": "x", "likelihood": -1.0}
    generation["token_likelihoods"] = likelihoods
    return json.dumps({"id": "r", "generations": [generation], "prompt": "p"})


def cohere_v1_all(values: Values) -> str:
    reply = json.loads(cohere_v1(values))
    reply["generations"][0]["token_likelihoods"].insert(0, {"token": "<BOS>"})
    return json.dumps(reply)


def lm_eval_target(values: Values) -> str:
    lines = [
        {
            "doc_id": i,
            "target": " x",
            "resps": [[[str(v), "False"]]],
            "filtered_resps": [[str(v), "False"]],
            "perplexity": v,
        }
        for i, v in enumerate(values)
    ]
    return "".join(json.dumps(line) + "\n" for line in lines)


def lm_eval_choice(values: Values) -> str:
    lines = [
        {
            "doc_id": i,
            "target": "1",
            "filtered_resps": [["-0.5", "True"], [repr(v), "False"]],
            "acc": 0.0,
        }
        for i, v in enumerate(values)
    ]
    return "".join(json.dumps(line) + "\n" for line in lines)


def token_lines(values: Values) -> str:
    items = [{"token": word(i), "logprob": v} for i, v in enumerate(values)]
    return "".join(json.dumps(item) + "\n" for item in items)


def token_list(values: Values) -> str:
    return json.dumps(chat_items(values))


def document(values: Values) -> str:
    return json.dumps({"id": "d", "logprobs": list(values)})


def number_list(values: Values) -> str:
    return json.dumps([None, *values])


def lines(values: Values) -> str:
    return "".join(f"{v!r}\n" for v in values)


def jq_lines(values: Values) -> str:
    return "null\n" + lines(values)


def csv_table(values: Values) -> str:
    rows = [f'"w,""{i}",{v!r}' for i, v in enumerate(values)]
    return "token,logprob\r\n" + "\r\n".join(rows) + "\r\n"


def tsv_table(values: Values) -> str:
    rows = [f"{i}\t{7 * i}\t{v!r}\t3.5" for i, v in enumerate(values)]
    return "pos\ttoken_id\tlog_prob\tentropy\n" + "\n".join(rows) + "\n"


def kenlm(values: Values) -> str:
    words = [f"w{i}={i + 1} 1 {v!r}" for i, v in enumerate(values[:-1])]
    body = "\t".join([*words, f"</s>=2 1 {values[-1]!r}"])
    total = f"Total: {sum(values)} OOV: 0"
    summary = "Perplexity including OOVs:\t9.5\nPerplexity excluding OOVs:\t9.5\n"
    return f"{body}\t{total}\n{summary}OOVs:\t0\nTokens:\t{len(values)}\n"


def kenlm_words(values: Values) -> str:
    """-v word alone: no line ends at all."""
    return kenlm(values).partition("Total:")[0]


def srilm(values: Values, tail: str = "") -> str:
    words = [*[f"w{i}" for i in range(len(values) - 1)], "</s>"]
    rows = [
        f"\tp( {w} | x ...) \t= [2gram] 0.5 [ {v!r} ]{tail}"
        for w, v in zip(words, values, strict=True)
    ]
    counts = f"1 sentences, {len(values) - 1} words, 0 OOVs\n"
    sums = f"0 zeroprobs, logprob= {sum(values)} ppl= 9 ppl1= 9\n"
    body = "the text\n" + "\n".join(rows) + f"\n{counts}{sums}\n"
    return f"{body}file a.txt: {counts}{sums}"


def srilm_debug3(values: Values) -> str:
    return srilm(values, " / 1.000")


def fairseq(values: Values) -> str:
    text = " ".join(f"w{i}" for i in range(len(values) - 1))
    scores = " ".join(map(repr, values))
    return (
        f"S-0\tsource\nT-0\ttarget\nH-0\t-0.5\t{text}\nD-0\t-0.5\t{text}\n"
        f"P-0\t{scores}\nA-0\t0-0\nGenerate test with beam=5: BLEU4 = 1.0\n"
    )


def fairseq_eval_lm(values: Values) -> str:
    head = "2026-03-03 12:00:00 | INFO | fairseq_cli.eval_lm | "
    words = "\t".join(f"w{i} [{v!r}]" for i, v in enumerate(values))
    loss = "Loss (base 2): 5.0203, Perplexity: 32.45"
    return f"{head}loading model(s) from x\n{head}0 {words}\n{head}{loss}\n"


SHAPES = (
    Shape("chat", "openai-chat", chat),
    Shape("refusal", "openai-chat", refusal),
    Shape("reasoning", "openai-chat", reasoning),
    Shape("fireworks", "openai-chat", fireworks),
    Shape("mlx", "openai-chat", mlx),
    Shape("chat stream", "openai-chat", chat_stream),
    Shape("chat chunks", "openai-chat", chat_chunk_lines),
    Shape("batch", "openai-chat", batch),
    Shape("legacy", "openai-completions", legacy),
    Shape("echo", "openai-completions", legacy_echo, "prompt", skipped=1),
    Shape("legacy stream", "openai-completions", legacy_stream),
    Shape("together chat", "openai-completions", together_chat),
    Shape("together echo", "together", together_echo, "prompt", skipped=1),
    Shape("together stream", "together", together_stream),
    Shape("responses", "openai-responses", responses),
    Shape("responses stream", "openai-responses", responses_stream),
    Shape("vllm", "vllm", vllm, "prompt", skipped=1),
    Shape("vllm compact", "vllm", vllm_compact, "prompt", skipped=1),
    Shape("vllm pretty", "vllm", vllm_pretty, "prompt", skipped=1),
    Shape("vllm chat", "vllm", vllm_chat, "prompt", skipped=1),
    Shape("vllm echo", "vllm", vllm_echo, "prompt", skipped=1),
    Shape("vllm offline", "vllm", vllm_offline, "prompt", skipped=1),
    Shape("vllm bare", "vllm", vllm_bare, "prompt", skipped=1),
    Shape("tensorrt", "tensorrt-llm", tensorrt),
    Shape("tensorrt floats", "tensorrt-llm", tensorrt_floats),
    Shape("triton", "tensorrt-llm", triton),
    Shape("sglang", "sglang", sglang),
    Shape("sglang prompt", "sglang", sglang_prompt, "prompt", skipped=1),
    Shape("sglang stream", "sglang", sglang_stream),
    Shape("sglang increments", "sglang", sglang_increments),
    Shape("tgi", "tgi", tgi),
    Shape("tgi prefill", "tgi", tgi_prefill, "prompt", skipped=1),
    Shape("tgi stream", "tgi", tgi_stream),
    Shape("llama-server", "llama-server", llama_server),
    Shape("llama-server stream", "llama-server", llama_server_stream),
    Shape("ollama", "ollama", ollama),
    Shape("ollama lines", "ollama", ollama_lines),
    Shape("gemini", "gemini", gemini),
    Shape("gemini python", "gemini", gemini_python),
    Shape("gemini chunks", "gemini", gemini_chunks),
    Shape("cohere", "cohere", cohere),
    Shape("cohere stream", "cohere", cohere_stream),
    Shape("cohere v1", "cohere", cohere_v1),
    Shape("cohere v1 all", "cohere", cohere_v1_all, "all", skipped=1),
    Shape("lm-eval", "lm-eval", lm_eval_target, "all", documents=False),
    Shape("lm-eval choice", "lm-eval", lm_eval_choice, "all", documents=False),
    Shape("token lines", "tokens", token_lines, "all"),
    Shape("token list", "tokens", token_list, "all"),
    Shape("document", "documents", document, "all"),
    Shape("number list", "numbers", number_list, "all", skipped=1),
    Shape("lines", "numbers", lines, "all"),
    Shape("jq lines", "numbers", jq_lines, "all", skipped=1),
    Shape("csv", "table", csv_table, "all"),
    Shape("tsv", "table", tsv_table, "all"),
    Shape("kenlm", "kenlm", kenlm, "all", "10"),
    Shape("kenlm words", "kenlm", kenlm_words, "all", "10"),
    Shape("srilm", "srilm", srilm, "all", "10"),
    Shape("srilm debug 3", "srilm", srilm_debug3, "all", "10"),
    Shape("fairseq", "fairseq", fairseq, "all", "2"),
    Shape("fairseq eval-lm", "fairseq-eval-lm", fairseq_eval_lm, "all"),
)
