"""Encoder-decoder models: the prompt is encoded once, and the decoder runs over the few tokens of the label words."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from transformers import PreTrainedModel
from transformers.modeling_outputs import BaseModelOutput

from judging.engine.batching import Indices, run_packed
from judging.engine.labels import Ids, LabelledPrompt
from judging.engine.local import Decoding, LabelLogprobs, Scored, WrittenIds
from judging.engine.tensors import (
    kept_positions,
    label_logprobs,
    reporting_out_of_memory,
    right_padded,
    token_budget,
    vocabulary_size,
)
from judging.engine.writing import Writer


class Seq2SeqModel:
    """Satisfies LanguageModel. The encoder sees a mask; the decoder is causal: padding on its right harms nothing."""

    def __init__(self, model: PreTrainedModel) -> None:
        self._model = model
        self._budget = token_budget(model)
        self._writer = Writer(model, self._budget)
        self.vocabulary = vocabulary_size(model)
        self.batching = "padded batches"

    def score(self, prompts: Sequence[LabelledPrompt]) -> Scored:
        def work(batch: Indices) -> list[LabelLogprobs]:
            return self._label_logprobs([prompts[index] for index in batch])

        logprobs = run_packed([len(prompt.encoder_ids) for prompt in prompts], work, budget=self._budget)
        done = [prompt for prompt, value in zip(prompts, logprobs, strict=True) if value is not None]
        return Scored(logprobs, sum(_tokens_of(prompt) for prompt in done))

    @torch.inference_mode()
    def _label_logprobs(self, prompts: list[LabelledPrompt]) -> list[LabelLogprobs]:
        rows = [row for prompt in prompts for row in prompt.rows()]
        source = [index for index, prompt in enumerate(prompts) for _ in prompt.rows()]
        positions = kept_positions(rows)
        with reporting_out_of_memory():
            ids, mask = right_padded([prompt.encoder_ids for prompt in prompts], device=self._model.device)
            decoder_ids, _ = right_padded([row.ids for row in rows], device=self._model.device)
            states = self._model.get_encoder()(input_ids=ids, attention_mask=mask).last_hidden_state
            logits = self._model(
                encoder_outputs=BaseModelOutput(last_hidden_state=states[source]),
                attention_mask=mask[source],
                decoder_input_ids=decoder_ids,
                use_cache=False,
            ).logits[:, positions]
            values = iter(value for row in label_logprobs(logits, positions, rows) for value in row)
        return [LabelLogprobs(first=next(values), second=next(values)) for _ in prompts]

    def write(self, prompts: Sequence[Ids], decoding: Decoding) -> list[WrittenIds | None]:
        return self._writer.write(prompts, decoding)


def _tokens_of(prompt: LabelledPrompt) -> int:
    """What encoder and decoder run over for one prompt."""
    return len(prompt.encoder_ids) + sum(len(row.ids) for row in prompt.rows())
