"""Decoder-only models: one pass over the prompt, one distribution at its end."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from transformers import PreTrainedModel

from judging.engine.batching import Indices, run_packed
from judging.engine.labels import Ids, LabelledPrompt, Row
from judging.engine.local import Decoding, LabelLogprobs, WrittenIds
from judging.engine.tensors import (
    kept_positions,
    label_logprobs,
    reporting_out_of_memory,
    right_padded,
    takes_logits_to_keep,
    token_budget,
    vocabulary_size,
)
from judging.engine.writing import Writer


class CausalModel:
    """Satisfies LanguageModel.

    Rows are padded on the right and no mask is given: a causal model never looks to the right, so every real token gets
    the position and the neighbours that it has alone, whatever the kind of its positions.
    """

    def __init__(self, model: PreTrainedModel) -> None:
        self._model = model
        self._budget = token_budget(model)
        self._keeps_logits = takes_logits_to_keep(model)
        self._one_length = _rotation_depends_on_length(model)
        self._writer = Writer(model, self._budget)
        self.vocabulary = vocabulary_size(model)
        self._padding = _ordinary_token(model)

    def score(self, prompts: Sequence[LabelledPrompt]) -> list[LabelLogprobs | None]:
        rows = [row for prompt in prompts for row in prompt.rows()]

        def work(batch: Indices) -> list[list[float]]:
            return self._label_logprobs([rows[index] for index in batch])

        lengths = [len(row.ids) for row in rows]
        scored = iter(run_packed(lengths, work, budget=self._budget, one_length=self._one_length))
        return [_joined([next(scored) for _ in prompt.rows()]) for prompt in prompts]

    @torch.inference_mode()
    def _label_logprobs(self, rows: list[Row]) -> list[list[float]]:
        positions = kept_positions(rows)
        with reporting_out_of_memory():
            ids, _ = right_padded([row.ids for row in rows], device=self._model.device, padding=self._padding)
            if self._keeps_logits:
                keep = torch.tensor(positions, device=ids.device)
                logits = self._model(input_ids=ids, use_cache=False, logits_to_keep=keep).logits
            else:
                logits = self._model(input_ids=ids, use_cache=False).logits[:, positions]
            return label_logprobs(logits, positions, rows)

    def write(self, prompts: Sequence[Ids], decoding: Decoding) -> list[WrittenIds | None]:
        return self._writer.write(prompts, decoding)


def _joined(rows: list[list[float] | None]) -> LabelLogprobs | None:
    """The two labels of a prompt, from its one row or its two."""
    values = [value for row in rows if row is not None for value in row]
    return LabelLogprobs(*values) if len(values) == 2 else None


def _ordinary_token(model: PreTrainedModel) -> int:
    """A token without special meaning to pad with: it changes nothing, and transformers warns about no missing mask."""
    config = model.config.get_text_config()
    special = {config.pad_token_id, config.bos_token_id}
    special.update(config.eos_token_id if isinstance(config.eos_token_id, list) else [config.eos_token_id])
    return next(token for token in range(len(special) + 1) if token not in special)


def _rotation_depends_on_length(model: PreTrainedModel) -> bool:
    """Whether the longest row of a batch changes how the others are rotated (Phi-3's long contexts)."""
    parameters = getattr(model.config.get_text_config(), "rope_parameters", None) or {}
    kinds = [parameters.get("rope_type"), *(v.get("rope_type") for v in parameters.values() if isinstance(v, dict))]
    return any(kind in ("longrope", "dynamic") for kind in kinds)
