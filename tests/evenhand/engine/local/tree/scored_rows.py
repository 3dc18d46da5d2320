"""Rows of tokens for scorers, and their scores one by one."""

from functools import cache
from itertools import permutations

import pytest
import torch

from evenhand.engine.local.batching import TokenBudget
from evenhand.engine.local.padded.padded_scorer import PaddedScorer
from evenhand.engine.questions.label_tokens import LabelledPrompt
from tests.evenhand.engine.tiny_models import build_model

VOCABULARY = 50


def rows_of_a_context(candidates=4):
    """Comparisons of up to four candidates, asked about two attributes; labels of one token, and of several."""
    torch.manual_seed(2)
    context, *texts = (tuple(torch.randint(3, VOCABULARY, (n,)).tolist()) for n in (30, 12, 9, 14, 11))
    questions = [(5, 6, 7, 8), (5, 9, 10, 11)]
    prompts = [
        LabelledPrompt((), context + first + second + question, *labels)
        for first, second in permutations(texts[:candidates], 2)
        for question, labels in zip(questions, [((3,), (4,)), ((12, 13, 4), (14,))], strict=True)
    ]
    return [row for prompt in prompts for row in prompt.rows()]


def one_by_one(model, rows):
    """Score each row alone, as for models that do not support a tree."""
    scorer = PaddedScorer(model, TokenBudget(1))
    return [scorer.score([row]).values[0] for row in rows]


@cache
def scored_alone(kind):
    """The scores of a model for each row of a context alone."""
    model = build_model(kind, VOCABULARY)
    return [pytest.approx(values, abs=1e-4) for values in one_by_one(model, rows_of_a_context())]
