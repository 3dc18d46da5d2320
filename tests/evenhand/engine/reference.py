"""The expected answers, computed by definition: one prompt, one label, one pass."""

from __future__ import annotations

import math
from functools import lru_cache
from pathlib import Path

import torch
from transformers import AutoConfig, AutoModelForCausalLM, AutoModelForSeq2SeqLM, AutoTokenizer

from evenhand.engine import RenderedPrompt


class Reference:
    """Recomputes from what `render` shows, with nothing of the engine."""

    def __init__(self, folder: Path) -> None:
        self.config = AutoConfig.from_pretrained(folder)
        kind = AutoModelForSeq2SeqLM if self.config.is_encoder_decoder else AutoModelForCausalLM
        self.model = kind.from_pretrained(folder, dtype=torch.float32).eval()
        self.tokenizer = AutoTokenizer.from_pretrained(folder)

    def logprobs(self, rendered: RenderedPrompt) -> tuple[float, float]:
        """Natural log-probabilities of the two labels."""
        first = self.ids(rendered, rendered.label_first)
        second = self.ids(rendered, rendered.label_second)
        shared = 0
        while first[shared] == second[shared]:
            shared += 1
        return self.logprob(rendered, first, shared), self.logprob(rendered, second, shared)

    def p_first(self, rendered: RenderedPrompt) -> float:
        first, second = self.logprobs(rendered)
        return math.exp(first) / (math.exp(first) + math.exp(second))

    def ids(self, rendered: RenderedPrompt, label: str) -> list[int]:
        """The decoder's tokens, label included; the closing special token that a tokenizer may add is left out."""
        text = rendered.answer_prefix + label
        if not self.config.is_encoder_decoder:
            text = rendered.prompt_text + text
        ids = self.tokenizer(text, add_special_tokens=rendered.add_special_tokens).input_ids
        ids = ids[:-1] if ids[-1] == self.tokenizer.eos_token_id else ids
        return [self.config.decoder_start_token_id, *ids] if self.config.is_encoder_decoder else ids

    def logprob(self, rendered: RenderedPrompt, ids: list[int], start: int) -> float:
        """Sum of the log-probabilities of `ids` from position `start`, over the whole vocabulary."""
        logits = self.logits(rendered, tuple(ids[:-1]))  # each position predicts the next
        logprobs = logits[start - 1 :].double().log_softmax(-1)
        return sum(float(row[token]) for row, token in zip(logprobs, ids[start:], strict=True))

    @lru_cache(maxsize=1)  # noqa: B019 -- the two labels of a prompt mostly need the same pass
    def logits(self, rendered: RenderedPrompt, ids: tuple[int, ...]) -> torch.Tensor:
        """Return the model's logits after each of `ids`, (length, vocabulary)."""
        tokens = torch.tensor([ids])
        with torch.no_grad():
            if not self.config.is_encoder_decoder:
                return self.model(input_ids=tokens).logits[0]
            encoder = self.tokenizer(
                rendered.prompt_text, add_special_tokens=rendered.add_special_tokens, return_tensors="pt"
            ).input_ids
            return self.model(input_ids=encoder, decoder_input_ids=tokens).logits[0]
