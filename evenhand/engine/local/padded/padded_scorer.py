"""Score rows of tokens in padded batches, with models that cannot share beginnings."""

from collections.abc import Sequence

import torch
from transformers import PreTrainedModel

from evenhand.engine.local.batching import Indices, TokenBudget, run_packed
from evenhand.engine.local.label_logprobs import LabelScores, kept_positions, label_logprobs
from evenhand.engine.local.model.model_traits import ordinary_tokens, takes_input
from evenhand.engine.local.tensors import right_padded
from evenhand.engine.local.token_budgets import reporting_out_of_memory
from evenhand.engine.questions.label_tokens import TokenRow


class PaddedScorer:
    """Scores rows of similar length together.

    Rows are padded on the right, without a mask. A causal model never looks to the right, so every real token has the
    same position and the same earlier tokens as in a row of its own.
    """

    def __init__(self, model: PreTrainedModel, budget: TokenBudget, *, one_length: bool = False) -> None:
        """one_length: only rows of equal length share a batch, because padding would change their answers."""
        self._model = model
        self._budget = budget
        self._keeps_logits = takes_input(model, "logits_to_keep")
        self._one_length = one_length
        self._padding = ordinary_tokens(model)[0]  # padding tokens without a mask make transformers warn

    def score(self, rows: Sequence[TokenRow]) -> LabelScores:
        def work(batch: Indices) -> list[list[float]]:
            return self._label_logprobs([rows[index] for index in batch])

        lengths = [len(row.ids) for row in rows]
        values = run_packed(lengths, work, budget=self._budget, one_length=self._one_length)
        computed = sum(length for length, value in zip(lengths, values, strict=True) if value is not None)
        return LabelScores(values, computed)

    @torch.inference_mode()
    def _label_logprobs(self, rows: list[TokenRow]) -> list[list[float]]:
        positions = kept_positions(rows)
        with reporting_out_of_memory():
            ids, _ = right_padded([row.ids for row in rows], device=self._model.device, padding=self._padding)
            if self._keeps_logits:
                keep = torch.tensor(positions, device=ids.device)
                logits = self._model(input_ids=ids, use_cache=False, logits_to_keep=keep).logits
            else:
                logits = self._model(input_ids=ids, use_cache=False).logits[:, positions]
            return label_logprobs(logits, positions, rows)
