"""Free text from a model of either kind."""

from __future__ import annotations

import copy
from collections.abc import Sequence

import torch
from torch import Tensor
from transformers import GenerationConfig, PreTrainedModel

from judging.engine.batching import Indices, TokenBudget, run_packed
from judging.engine.labels import Ids
from judging.engine.local import Decoding, WrittenIds
from judging.engine.tensors import left_padded, reporting_out_of_memory


class Writer:
    """Writes on from prompts, padded on the left, several at once unless they are sampled."""

    def __init__(self, model: PreTrainedModel, budget: TokenBudget) -> None:
        self._model = model
        self._budget = budget
        self._config = _plain_config(model)
        self._end_ids = _as_tuple(self._config.eos_token_id)
        # generate() fills what a configuration leaves open from the model's own, which may hold habits of sampling.
        model.generation_config = copy.deepcopy(self._config)

    def write(self, prompts: Sequence[Ids], decoding: Decoding) -> list[WrittenIds | None]:
        """In the order of the prompts; None where one does not fit into memory even alone."""

        def work(batch: Indices) -> list[WrittenIds]:
            return self._write([prompts[index] for index in batch], decoding)

        lengths = [len(prompt) + decoding.max_new_tokens for prompt in prompts]
        if decoding.temperature == 0:
            return run_packed(lengths, work, budget=self._budget)
        return [self._sampled(prompt, decoding) for prompt in prompts]

    def _sampled(self, prompt: Ids, decoding: Decoding) -> WrittenIds | None:
        """Alone, from its own seed: what else is asked changes nothing."""
        devices = [self._model.device] if self._model.device.type == "cuda" else []
        with torch.random.fork_rng(devices):
            torch.manual_seed(decoding.seed)
            return run_packed([1], lambda _: self._write([prompt], decoding), budget=self._budget)[0]

    @torch.inference_mode()
    def _write(self, prompts: list[Ids], decoding: Decoding) -> list[WrittenIds]:
        config = copy.deepcopy(self._config)
        config.max_new_tokens = decoding.max_new_tokens
        config.do_sample = decoding.temperature > 0
        if config.do_sample:
            config.temperature, config.top_k, config.top_p = decoding.temperature, 0, 1.0
        ids, mask = left_padded(prompts, device=self._model.device, padding=self._config.pad_token_id)
        given = {"input_ids": ids, "attention_mask": mask}
        if decoding.begin:
            given["decoder_input_ids"] = torch.tensor([decoding.begin] * len(prompts), device=self._model.device)
        with reporting_out_of_memory():
            output: Tensor = self._model.generate(**given, generation_config=config)
        start = max(1, len(decoding.begin)) if self._model.config.is_encoder_decoder else ids.shape[1]
        return [self._until_end(row) for row in output[:, start:]]

    def _until_end(self, row: Tensor) -> WrittenIds:
        tokens = tuple(row.tolist())
        for position, token in enumerate(tokens):
            if token in self._end_ids:
                return WrittenIds(tokens[: position + 1], complete=True)
        return WrittenIds(tokens, complete=False)


def _plain_config(model: PreTrainedModel) -> GenerationConfig:
    """The model's own start and end tokens, and none of its habits (repetition penalties, sampling)."""
    own = model.generation_config
    ends = _as_tuple(own.eos_token_id)
    padding = own.pad_token_id if own.pad_token_id is not None else (*ends, 0)[0]
    return GenerationConfig(
        bos_token_id=own.bos_token_id,
        eos_token_id=own.eos_token_id,
        pad_token_id=padding,
        decoder_start_token_id=own.decoder_start_token_id,
        forced_bos_token_id=own.forced_bos_token_id,
        forced_eos_token_id=None,
    )


def _as_tuple(ids: int | list[int] | None) -> tuple[int, ...]:
    if ids is None:
        return ()
    return (ids,) if isinstance(ids, int) else tuple(ids)
