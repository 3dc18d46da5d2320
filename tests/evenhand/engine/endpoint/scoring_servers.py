"""Fake servers that score label tokens, with a model in them: what they answer is what the model says.

They check and answer as the real ones do, from their published sources: vLLM cuts a prompt that is too long without a
word, and gives the probability of the first label alone; SGLang gives those of all, leaves special tokens out of texts,
and puts a token between items where it is set to score several at once.
"""

import torch
from transformers import AutoModelForCausalLM, AutoTokenizer

from tests.evenhand.engine.endpoint.misbehaving_server import reply, status


class ScoringServer:
    """window: the most tokens of a prompt. delimiter: SGLang's token between items; None for one item at a time."""

    def __init__(self, folder, kind, *, window=4096, delimiter=None):
        self.tokenizer = AutoTokenizer.from_pretrained(folder)
        self.model = AutoModelForCausalLM.from_pretrained(folder, dtype=torch.float32).eval()
        self.kind, self.window, self.delimiter = kind, window, delimiter
        self.name = "judge"

    def serve(self, endpoint):
        """Let an endpoint answer as this server."""
        endpoint.models = {"object": "list", "data": [{"id": "judge", "object": "model", "owned_by": self.kind}]}
        endpoint.answer = lambda body: reply("I prefer the longer one.", model="judge")
        endpoint.paths = {"/tokenize": self.tokenize, "/detokenize": self.detokenize} | (
            {"/generative_scoring": self.vllm} if self.kind == "vllm" else {"/v1/score": self.sglang}
        )

    def tokenize(self, body):
        if "messages" in body:
            tokens = self.tokenizer.apply_chat_template(
                body["messages"], add_generation_prompt=body.get("add_generation_prompt", True), return_dict=True
            )["input_ids"]
        else:
            special = body.get("add_special_tokens", True)
            tokens = self.tokenizer(body["prompt"], add_special_tokens=special)["input_ids"]
        return {"count": len(tokens), "max_model_len": self.window, "tokens": tokens}

    def detokenize(self, body):
        if self.kind == "vllm":
            return {"prompt": self.tokenizer.decode(body["tokens"])}
        return {
            "text": self.tokenizer.decode(body["tokens"], skip_special_tokens=body.get("skip_special_tokens", True))
        }

    def vllm(self, body):
        labels = body["label_token_ids"]
        if not all(0 <= label < self.model.config.vocab_size for label in labels):
            return status(400, f"label_token_id {labels[0]} is out of vocabulary range")
        prompts = [(body["query"] + item)[: self.window - 1] for item in body["items"]]
        shares = [self.shares(prompt, body) for prompt in prompts]
        data = [{"index": n, "object": "score", "score": one[0]} for n, one in enumerate(shares)]
        return {"object": "list", "model": self.name, "data": data, "usage": usage(prompts)}

    def sglang(self, body):
        query, items, between = body["query"], body["items"], self.delimiter
        if between is not None:
            prompts = [query + [token for item in items for token in (between, *item)] + [between]]
        else:
            prompts = [query + item for item in items]
        scores = [self.shares(prompt, body) for prompt in prompts]
        return {"scores": scores, "model": self.name, "usage": usage(prompts), "object": "scoring"}

    @torch.inference_mode()
    def shares(self, prompt, body):
        logprobs = self.model(input_ids=torch.tensor([prompt])).logits[0, -1].log_softmax(-1)[body["label_token_ids"]]
        return (logprobs.softmax(0) if body.get("apply_softmax", True) else logprobs.exp()).tolist()


def usage(prompts):
    tokens = sum(map(len, prompts))
    return {"prompt_tokens": tokens, "total_tokens": tokens, "completion_tokens": 0}
