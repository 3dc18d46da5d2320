"""Answers of fake endpoints, in the manner of hosted ones and of servers that people run.

Each takes a request body and returns a reply, or an error as such an endpoint gives it. Their verdict is always the
longer of the two candidates, so that a test can compute it.
"""

import re
from math import log

from tests.evenhand.engine.endpoint.misbehaving_server import reply, status

FIRST = r"(?:Output|Summary) A:\s(?P<a>.*?)"
SECOND = r"(?:# )?(?:Output|Summary) B:\s(?P<b>.*?)"
CANDIDATES = re.compile(rf"{FIRST}\n\n{SECOND}\n\n(?:# Which|Well)", re.DOTALL)
LLAMA_MODELS = {"object": "list", "data": [{"id": "judge", "object": "model", "owned_by": "llamacpp"}]}
VLLM_MODELS = {"object": "list", "data": [{"id": "judge", "object": "model", "owned_by": "vllm"}]}


def longer(body):
    """Return A or B for the longer candidate; A for the probe's question."""
    match = CANDIDATES.search(body["messages"][-1]["content"])
    return "A" if match is None or len(match["a"]) >= len(match["b"]) else "B"


def message_of(text, *, model, finish="stop", reasoning_tokens=None, **fields):
    """Return a reply whose message has further fields."""
    document = reply(text, model=model, finish=finish)
    document["choices"][0]["message"] |= fields
    if reasoning_tokens is not None:
        document["usage"]["completion_tokens_details"] = {"reasoning_tokens": reasoning_tokens}
        document["usage"]["completion_tokens"] += reasoning_tokens
    return document


def deepseek_r1(body):
    """Like DeepSeek's R1: it always thinks, ignores the temperature, and refuses log-probabilities."""
    if "logprobs" in body or "top_logprobs" in body:
        return status(400, "deepseek-reasoner does not support the parameter logprobs")
    if body["max_tokens"] < 60:
        return message_of("", model="deepseek-r1", finish="length", reasoning_content="Okay, so", reasoning_tokens=8)
    verdict = longer(body)
    thought = f"The longer one says more. That is {verdict}."
    return message_of(f"\n\n{verdict}", model="deepseek-r1", reasoning_content=thought, reasoning_tokens=40)


def openai_reasoning(body):
    """Like OpenAI's reasoning models: one temperature, no log-probabilities, its own token limit, hidden reasoning."""
    if "max_tokens" in body:
        words = "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens'."
        return status(400, words, parameter="max_tokens")
    if body.get("temperature", 1) != 1:
        words = (
            "Unsupported value: 'temperature' does not support 0 with this model. Only the default (1) is supported."
        )
        return status(400, words, parameter="temperature")
    if "logprobs" in body:
        return status(403, "You are not allowed to request logprobs from this model")
    if body.get("reasoning_effort") not in (None, "low", "medium", "high"):
        words = f"Unsupported value: 'reasoning_effort' does not support '{body['reasoning_effort']}' with this model."
        return status(400, words, parameter="reasoning_effort")
    if "chat_template_kwargs" in body:
        return status(400, "Unknown parameter: 'chat_template_kwargs'.", parameter="chat_template_kwargs")
    if body["max_completion_tokens"] < 80:
        return message_of("", model="o9-2026-01-01", finish="length", reasoning_tokens=body["max_completion_tokens"])
    return message_of(longer(body), model="o9-2026-01-01", reasoning_tokens=64)


def vllm(body):
    """Like vLLM with a guided choice: log-probabilities over all tokens, those of the reasoning first.

    Without a forced choice it writes a sentence, which answers nothing.
    """
    if "guided_choice" in body:
        return status(400, "guided_choice is no longer supported, use structured_outputs", parameter="guided_choice")
    labels = body.get("structured_outputs", {}).get("choice")
    thinks = body.get("chat_template_kwargs", {}).get("enable_thinking")
    verdict = longer(body) if labels else "I prefer the longer one."
    p = {"A": 0.8, "B": 0.2} if verdict == "A" else {"A": 0.2, "B": 0.8}
    answer = (verdict, {label: log(share) for label, share in p.items()})
    thought = [("A", {"A": log(0.5), "B": log(0.5)}), (" is", {" is": 0.0}), ("</think>", {"</think>": 0.0})]
    document = reply(verdict, [*(thought if thinks else []), answer], model="judge")
    if thinks:
        document["choices"][0]["message"]["reasoning"] = "A is"
    return document


def llama_cpp(body):
    """Like llama.cpp with a small model: it begins a sentence, unless a grammar allows label words only."""
    if "grammar" not in body:
        listed = {"Both": log(0.6), "I": log(0.2), "A": log(0.1)}
        return reply("Both outputs are good", [("Both", listed)], model="judge")
    verdict = longer(body)
    shares = {"A": 0.7, "B": 0.3} if verdict == "A" else {"A": 0.3, "B": 0.7}
    return reply(verdict, [(verdict, {label: log(share) for label, share in shares.items()})], model="judge")
