"""Decoder-only models: one pass over each prompt gives the probabilities of its label words."""

from collections.abc import Iterator, Mapping, Sequence

from transformers import PreTrainedModel

from evenhand.engine.local.batching import CPU_HELD_TOKENS
from evenhand.engine.local.cpu_matmul import multiplying_by
from evenhand.engine.local.fused_operations import fuse_operations
from evenhand.engine.local.label_logprobs import LabelScores
from evenhand.engine.local.model.model_traits import vocabulary_size
from evenhand.engine.local.padded.padded_generation import PaddedWriter
from evenhand.engine.local.scorer_choice import RowScorer, choose_scorers
from evenhand.engine.local.token_budgets import token_budget
from evenhand.engine.local.tree.tree_generation import TreeWriter
from evenhand.engine.local.tree.tree_scorer import TreeScorer
from evenhand.engine.local.written_texts import RequestPrompt, WrittenIds
from evenhand.engine.questions.label_tokens import TokenisedPrompt
from evenhand.engine.settings import TORCH


class CausalModel:
    """LanguageModel that computes shared beginnings once where the model allows it."""

    def __init__(self, model: PreTrainedModel, *, products: str = TORCH) -> None:
        """Raises ReadsBothWays."""
        self._model = model
        self._products = products
        fuse_operations(model)
        self._choice = choose_scorers(model)
        self._writer: PaddedWriter | TreeWriter
        labels, pack_budget = self._choice.labels, self._choice.pack_budget
        if pack_budget and isinstance(labels, TreeScorer):
            held = token_budget(model, on_cpu=CPU_HELD_TOKENS, computed=False, held=True)
            self._writer = TreeWriter(model, pack_budget=pack_budget, budget=held, hold=labels.hold)
        else:
            self._writer = PaddedWriter(model, token_budget(model, held=True))
        self.batching = self._choice.batching
        self.batching_note = self._choice.note
        self.vocabulary = vocabulary_size(model)

    def score(self, prompts: Sequence[TokenisedPrompt]) -> LabelScores:
        return self._scored(prompts, self._choice.labels)

    def score_texts(self, prompts: Sequence[TokenisedPrompt]) -> LabelScores:
        return self._scored(prompts, self._choice.texts)

    def _scored(self, prompts: Sequence[TokenisedPrompt], scorer: RowScorer) -> LabelScores:
        rows = [prompt.rows() for prompt in prompts]
        with multiplying_by(self._products):
            scored = scorer.score([row for some in rows for row in some])
        values = iter(scored.values)
        return LabelScores([_joined([next(values) for _ in some]) for some in rows], scored.computed_tokens)

    def write(self, requests: Sequence[RequestPrompt]) -> list[WrittenIds | None]:
        with multiplying_by(self._products):
            return self._writer.write(requests)

    def write_batches(self, requests: Sequence[RequestPrompt]) -> Iterator[Mapping[int, WrittenIds | None]]:
        batches = self._writer.write_batches(requests)
        while True:
            with multiplying_by(self._products):
                batch = next(batches, None)
            if batch is None:
                return
            yield batch


def _joined(rows: list[list[float] | None]) -> list[float] | None:
    """Return the label values of a prompt from its rows; None if one of them does not fit into memory."""
    values = [row for row in rows if row is not None]
    return [value for row in values for value in row] if len(values) == len(rows) else None
