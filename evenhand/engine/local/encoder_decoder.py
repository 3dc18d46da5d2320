"""Encoder-decoder models: each prompt is encoded once, and the decoder runs over the tokens of the label words."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

import torch
from torch import Tensor
from transformers import PreTrainedModel
from transformers.modeling_outputs import BaseModelOutput

from evenhand.engine.local.batching import CPU_ROW_TOKENS, Indices, TokenBudget, run_packed
from evenhand.engine.local.cpu_matmul import multiplying_by
from evenhand.engine.local.fused_operations import fuse_operations
from evenhand.engine.local.label_logprobs import LabelScores, kept_positions, label_logprobs
from evenhand.engine.local.model.model_traits import vocabulary_size
from evenhand.engine.local.padded.padded_generation import PaddedWriter
from evenhand.engine.local.t5.packed_t5 import PackedT5, packing_refusal
from evenhand.engine.local.t5.t5_generation import T5Writer, shared_writing_refusal
from evenhand.engine.local.tensors import right_padded
from evenhand.engine.local.token_budgets import reporting_out_of_memory, text_budget, token_budget
from evenhand.engine.local.written_texts import RequestPrompt, WrittenIds
from evenhand.engine.questions.label_tokens import Ids, TokenisedPrompt
from evenhand.engine.settings import TORCH, Batching


class Seq2SeqModel:
    """LanguageModel that runs prompts end to end without padding, or in padded batches if packing is refused."""

    def __init__(self, model: PreTrainedModel, *, products: str = TORCH) -> None:
        self._model = model
        self._products = products
        fuse_operations(model)
        self.vocabulary = vocabulary_size(model)
        reason = packing_refusal(model)
        self._packed = None if reason else PackedT5(model)
        self._budget = token_budget(model) if reason else token_budget(model, on_cpu=CPU_ROW_TOKENS)
        self._text_budget = text_budget(model, self._budget)
        writer = T5Writer if self._packed and not shared_writing_refusal(model) else PaddedWriter
        self._writer: T5Writer | PaddedWriter = writer(model, token_budget(model, held=True))
        self.batching = Batching.PADDED if reason else Batching.PACKED
        self.batching_note = reason

    def score(self, prompts: Sequence[TokenisedPrompt]) -> LabelScores:
        return self._scored(prompts, self._budget)

    def score_texts(self, prompts: Sequence[TokenisedPrompt]) -> LabelScores:
        return self._scored(prompts, self._text_budget)

    def _scored(self, prompts: Sequence[TokenisedPrompt], budget: TokenBudget) -> LabelScores:
        computed: list[int] = []

        def work(batch: Indices) -> list[list[float]]:
            some = [prompts[index] for index in batch]
            with multiplying_by(self._products):
                values = self._label_values(some)
            decoded = sum(len(row.ids) for prompt in some for row in prompt.rows())
            computed.append(sum(map(len, _distinct(some))) + decoded)
            return values

        lengths = [prompt.longest_part for prompt in prompts]
        return LabelScores(run_packed(lengths, work, budget=budget), sum(computed))

    @torch.inference_mode()
    def _label_values(self, prompts: Sequence[TokenisedPrompt]) -> list[list[float]]:
        rows = [row for prompt in prompts for row in prompt.rows()]
        encoded = _distinct(prompts)
        source = [encoded[prompt.encoder_ids] for prompt in prompts for _ in prompt.rows()]
        positions = kept_positions(rows)
        with reporting_out_of_memory():
            decoder_ids, _ = right_padded([row.ids for row in rows], device=self._model.device)
            logits = self._logits(list(encoded), decoder_ids, source, positions)
            values = iter(label_logprobs(logits, positions, rows))
        return [[value for _ in prompt.rows() for value in next(values)] for prompt in prompts]

    def _logits(
        self, prompts: Sequence[Ids], decoder_ids: Tensor, source: Sequence[int], positions: Sequence[int]
    ) -> Tensor:
        """Return the logits, (rows, positions, vocabulary). source: the prompt of each row."""
        if self._packed is None:
            ids, mask = right_padded(prompts, device=self._model.device)
            states = self._model.get_encoder()(input_ids=ids, attention_mask=mask).last_hidden_state
            return self._decoded(states, mask, decoder_ids, source)[:, positions]
        encoded = self._packed.encode(prompts)
        if self._packed.takes(max(Counter(source).values()) * decoder_ids.shape[1]):
            return self._packed.logits(self._packed.decode(encoded, decoder_ids, source)[:, positions])
        return self._decoded(*encoded.padded(), decoder_ids, source)[:, positions]

    def _decoded(self, states: Tensor, mask: Tensor, decoder_ids: Tensor, source: Sequence[int]) -> Tensor:
        """Run the model's own decoder. It gets a mask and is causal, so padding on its right has no effect."""
        logits: Tensor = self._model(
            encoder_outputs=BaseModelOutput(last_hidden_state=states[source]),
            attention_mask=mask[source],
            decoder_input_ids=decoder_ids,
            use_cache=False,
        ).logits
        return logits

    def write(self, requests: Sequence[RequestPrompt]) -> list[WrittenIds | None]:
        return self._writer.write(requests)

    def write_batches(self, requests: Sequence[RequestPrompt]) -> Iterator[Mapping[int, WrittenIds | None]]:
        yield dict(enumerate(self.write(requests)))


def _distinct(prompts: Sequence[TokenisedPrompt]) -> dict[Ids, int]:
    """Number the different prompts of the encoder; several rows may follow the same prompt."""
    return {ids: number for number, ids in enumerate(dict.fromkeys(prompt.encoder_ids for prompt in prompts))}
