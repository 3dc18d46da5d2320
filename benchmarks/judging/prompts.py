"""Prompts of random tokens in the shapes of known datasets. Comparisons share their beginnings as in the datasets."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from evenhand.engine.questions.label_tokens import LabelledPrompt

VOCABULARY = 32_000
LABELS = ((11,), (12,))
OPENING, BETWEEN, QUESTION, ASKED = 4, 4, 4, 10  # tokens of the template: before and between texts, of the question


@dataclass(frozen=True)
class Shape:
    """Numbers of tokens of a context and of each of its candidates. The lengths of candidates vary by a quarter."""

    name: str
    context: int
    candidates: int
    candidate: int


SUMMEVAL = Shape("SummEval", 400, 16, 60)
TOPICAL_CHAT = Shape("TopicalChat", 300, 6, 25)
HANNA = Shape("HANNA", 30, 24, 400)


def prompts(
    shape: Shape, *, per_context: int | None = None, attributes: int = 1, seed: int = 0
) -> list[LabelledPrompt]:
    """Return all comparisons of one context, or `per_context` random ones, sorted by their candidates.

    attributes: number of attributes that each pair is asked about. Their questions differ only near the end.
    """
    rng = np.random.default_rng(seed)
    context = tokens(rng, shape.context)
    texts = [tokens(rng, round(shape.candidate * rng.uniform(0.75, 1.25))) for _ in range(shape.candidates)]
    heads = [tokens(rng, OPENING), tokens(rng, BETWEEN), tokens(rng, QUESTION)]
    questions = [tokens(rng, ASKED) for _ in range(attributes)]
    return [
        LabelledPrompt((), tuple(context + heads[0] + texts[i] + heads[1] + texts[j] + heads[2] + question), *LABELS)
        for i, j in _pairs(rng, shape.candidates, per_context)
        for question in questions
    ]


def tokens(rng: np.random.Generator, number: int) -> list[int]:
    return rng.integers(20, VOCABULARY, number).tolist()


def _pairs(rng: np.random.Generator, candidates: int, number: int | None) -> Sequence[tuple[int, int]]:
    ordered = [(i, j) for i in range(candidates) for j in range(candidates) if i != j]
    if number is None:
        return ordered
    return [ordered[place] for place in sorted(rng.choice(len(ordered), number, replace=False).tolist())]
