"""A few questions really asked, to learn how long a run takes and what it costs. Nothing of it is stored."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import ceil

from judging.engine import Engine, Question
from judging.models import Prompt
from judging.prompting import WordedPrompt
from judging.services.plans import Pair
from judging.services.runs import Asked
from judging.services.specs import REASONING_TOKENS, worded_prompt
from judging.services.texts import Texts, comparison_question, reasoning_request, texts_of

PILOT_CONTEXTS = 8


@dataclass(frozen=True, slots=True)
class Stage:
    """What some requests took; written_tokens: 0 where a judge is read off, not let write."""

    requests: int = 0
    seconds: float = 0.0
    prompt_tokens: int = 0
    written_tokens: int = 0

    def each(self, amount: float) -> float:
        """The share of one request."""
        return amount / self.requests if self.requests else 0.0


@dataclass(frozen=True, slots=True)
class Pilot:
    """Comparisons, and for PRePair what was written about their candidates before.

    problem: why the first comparison without an answer has none; empty where all have one.
    """

    comparisons: Stage
    analyses: Stage
    without_answer: int
    problem: str


def run_pilot(asked: Asked, groups: Sequence[Sequence[Pair]], *, engine: Engine, number: int) -> Pilot:
    """Ask about so many of the pairs, from contexts all over the dataset. Raises EngineError.

    One question more is asked before the time is taken: the first is slow on a GPU.
    """
    prompt = worded_prompt(asked.spec())
    pairs = spread(groups, number)
    texts = texts_of(pairs)
    analyses, written = (
        _analyses(engine, prompt, texts) if asked.prompt.method == Prompt.Method.PREPAIR else ({}, Stage())
    )
    questions = [_question(prompt, texts, pair, analyses) for pair in pairs]
    engine.p_first(questions[:1])
    started = time.monotonic()
    answers = engine.p_first(questions).answers
    seconds = time.monotonic() - started
    problems = [answer.error or f"it wrote {answer.text!r}" for answer in answers if answer.p_first is None]
    compared = Stage(len(answers), seconds, sum(answer.prompt_tokens for answer in answers))
    return Pilot(compared, written, len(problems), problems[0] if problems else "")


def spread(groups: Sequence[Sequence[Pair]], number: int) -> list[Pair]:
    """At most so many pairs, from some eight contexts all over the dataset, neighbours together."""
    some = groups[:: max(1, len(groups) // PILOT_CONTEXTS)]
    each = ceil(number / len(some))
    return [pair for pairs in some for pair in pairs[:each]][:number]


def _analyses(engine: Engine, prompt: WordedPrompt, texts: Texts) -> tuple[dict[int, str], Stage]:
    requests = {
        candidate: reasoning_request(prompt, texts, candidate, max_new_tokens=REASONING_TOKENS)
        for candidate in texts.candidates
    }
    started = time.monotonic()
    written = engine.generate(list(requests.values()))
    stage = Stage(
        requests=len(written),
        seconds=time.monotonic() - started,
        prompt_tokens=sum(one.prompt_tokens for one in written),
        written_tokens=sum(one.generated_tokens for one in written),
    )
    return {candidate: one.text for candidate, one in zip(requests, written, strict=True)}, stage


def _question(prompt: WordedPrompt, texts: Texts, pair: Pair, analyses: Mapping[int, str]) -> Question:
    first, second = (analyses.get(candidate, "") for candidate in pair)
    return comparison_question(prompt, texts, pair, analyses=(first, second))
