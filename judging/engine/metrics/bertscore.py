"""BERTScore [Zhang2020]: match each token with the most similar token of the other text, by the states of one layer.

The package bert-score is not used, because it needs pandas and matplotlib. The scores equal its scores
(docs/metrics.md).
"""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor
from torch.nn.functional import normalize

from judging.engine.local.batching import run_packed
from judging.engine.local.tensors import right_padded
from judging.engine.local.token_budgets import reporting_out_of_memory, token_budget
from judging.engine.metrics.encoders import Encoder, load_encoder
from judging.engine.metrics.metric_names import metric_name
from judging.engine.metrics.metric_questions import MetricQuestion
from judging.engine.questions.scale_questions import ScoreAnswer, ScoreBatch
from judging.engine.settings import EngineDescription, EngineSettings

TokenPair = tuple[tuple[int, ...], tuple[int, ...]]
"""The tokens of a candidate, and of the other text."""

NO_ROOM = "this pair of texts does not fit into memory, even alone"


def load_bertscore(settings: EngineSettings) -> BertScore:
    """Load the model of BERTScore. Raises LoadFailed."""
    return BertScore(load_encoder(settings, metric_name(settings.model)))


class BertScore:
    """F1 of greedily matched tokens, without idf weights or rescaling."""

    def __init__(self, encoder: Encoder) -> None:
        self._encoder = encoder
        self._budget = token_budget(encoder.model)

    def measure(self, questions: Sequence[MetricQuestion]) -> ScoreBatch:
        pairs = [self._pair(question) for question in questions]
        problems = [self._problem(question, pair) for question, pair in zip(questions, pairs, strict=True)]
        fitting = [pair for pair, problem in zip(pairs, problems, strict=True) if not problem]
        lengths = [2 * max(map(len, pair)) for pair in fitting]
        values = iter(run_packed(lengths, lambda some: self._scores([fitting[n] for n in some]), budget=self._budget))
        answers = [
            ScoreAnswer(error=problem) if problem else _answer(next(values), len(pair[0]) + len(pair[1]))
            for pair, problem in zip(pairs, problems, strict=True)
        ]
        return ScoreBatch(tuple(answers), sum(len(text) for pair in fitting for text in pair))

    def describe(self) -> EngineDescription:
        return self._encoder.description

    def close(self) -> None:
        del self._encoder

    def _pair(self, question: MetricQuestion) -> TokenPair:
        return tuple(self._encoder.ids(question.candidate)), tuple(self._encoder.ids(question.other))

    def _problem(self, question: MetricQuestion, pair: TokenPair) -> str:
        if not question.candidate.strip():
            return "the text is empty; it has no tokens to compare"
        limit, longest = self._encoder.limit, max(map(len, pair))
        if limit is not None and longest > limit:
            return f"a text is too long: it has {longest} tokens, and the model takes {limit}; nothing is cut off"
        return ""

    @torch.inference_mode()
    def _scores(self, pairs: Sequence[TokenPair]) -> list[float]:
        texts = list(dict.fromkeys(text for pair in pairs for text in pair))
        with reporting_out_of_memory():
            ids, mask = right_padded(texts, device=self._encoder.model.device)
            states = self._encoder.model(input_ids=ids, attention_mask=mask).last_hidden_state
            unit = dict(zip(texts, normalize(states.float(), dim=-1), strict=True))
        return [
            greedy_f1(unit[candidate][: len(candidate)], unit[other][: len(other)], self._counts(candidate, other))
            for candidate, other in pairs
        ]

    def _counts(self, candidate: tuple[int, ...], other: tuple[int, ...]) -> tuple[Tensor, Tensor]:
        """Return which tokens count, bool. Tokens that open or close a text are matched, but do not count."""
        marks = {self._encoder.tokenizer.cls_token_id, self._encoder.tokenizer.sep_token_id}
        device = self._encoder.model.device
        return (
            torch.tensor([one not in marks for one in candidate], device=device),
            torch.tensor([one not in marks for one in other], device=device),
        )


def greedy_f1(candidate: Tensor, other: Tensor, counts: tuple[Tensor, Tensor]) -> float:
    """Return the F1 of greedy matching: each counted token with the most similar one of the other text [Zhang2020].

    candidate, other: unit states, (tokens, width). counts: bool (tokens,) for each of both.
    """
    similarity = candidate @ other.T  # (candidate's tokens, other's tokens)
    precision = float(similarity.amax(dim=1)[counts[0]].mean())
    recall = float(similarity.amax(dim=0)[counts[1]].mean())
    return 2 * precision * recall / (precision + recall) if precision + recall else 0.0


def _answer(value: float | None, tokens: int) -> ScoreAnswer:
    return ScoreAnswer(error=NO_ROOM) if value is None else ScoreAnswer(score=value, prompt_tokens=tokens)
