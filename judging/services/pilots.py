"""A few questions really asked, to learn how long a run takes and what it costs. Nothing of it is stored."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import ceil

from judging.engine import Answer, Engine, Generation, Question, Request, ScoreAnswer
from judging.methods import METHODS
from judging.prompting import WordedPrompt
from judging.services.answers import answers_of
from judging.services.forecasts import Item
from judging.services.own_metrics import metrics_request
from judging.services.reasonings import analysis_of
from judging.services.runs import Asked
from judging.services.scoring import scores_of
from judging.services.specs import worded_prompt
from judging.services.texts import Texts, question_of, reasoned, reasoning_request, texts_of

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
    """What was asked: comparisons or scores; what was written in a first step, and as metrics before that.

    problem: why the first question without an answer has none; empty where all have one.
    """

    asked: Stage
    analyses: Stage
    metrics: Stage
    without_answer: int
    problem: str


def run_pilot(asked: Asked, groups: Sequence[Sequence[Item]], *, engine: Engine, number: int) -> Pilot:
    """Ask so many of a run's questions, from contexts all over the dataset. Raises EngineError.

    One question more is asked before the time is taken: the first is slow on a GPU.
    """
    prompt = worded_prompt(asked.spec())
    items = spread(groups, number)
    texts, metrics = _knowing_metrics(asked, engine, texts_of(items))
    analyses, written = _analyses(asked, engine, prompt, items, texts)
    questions = [question_of(prompt, texts, item, analyses=analyses.get(item, ())) for item in items]
    _answers(asked, engine, questions[:1])
    started = time.monotonic()
    answers = _answers(asked, engine, questions)
    seconds = time.monotonic() - started
    problems = [one.error or f"it wrote {one.text!r}" for one in answers if one.error or one.unparsed]
    compared = Stage(len(answers), seconds, sum(answer.prompt_tokens for answer in answers))
    return Pilot(compared, written, metrics, len(problems), problems[0] if problems else "")


def spread(groups: Sequence[Sequence[Item]], number: int) -> list[Item]:
    """At most so many items, from eight contexts or more all over the dataset, neighbours together."""
    in_each = sum(map(len, groups)) / len(groups)
    contexts = max(PILOT_CONTEXTS, ceil(number / in_each))
    some = groups[:: max(1, len(groups) // contexts)]
    each = ceil(number / len(some))
    return [item for items in some for item in items[:each]][:number]


def _answers(asked: Asked, engine: Engine, questions: Sequence[Question]) -> Sequence[Answer | ScoreAnswer]:
    sampling = asked.writing.sampling(asked.choice.seed)
    if asked.is_scoring:
        return scores_of(engine, questions, sampling=sampling).answers
    return answers_of(engine, questions, sampling=sampling).answers


def _knowing_metrics(asked: Asked, engine: Engine, texts: Texts) -> tuple[Texts, Stage]:
    """The texts with the metrics that the judge writes for their contexts."""
    if asked.metrics is None:
        return texts, Stage()
    requests = [metrics_request(asked.spec(), text, seed=asked.choice.seed) for text in texts.contexts.values()]
    written, stage = _written(engine, requests)
    metrics = {context: analysis_of(one) for context, one in zip(texts.contexts, written, strict=True)}
    return replace(texts, metrics=metrics), stage


def _written(engine: Engine, requests: Sequence[Request]) -> tuple[list[Generation], Stage]:
    started = time.monotonic()
    written = engine.generate(requests)
    return written, Stage(
        requests=len(written),
        seconds=time.monotonic() - started,
        prompt_tokens=sum(one.prompt_tokens for one in written),
        written_tokens=sum(one.generated_tokens for one in written),
    )


def _analyses(
    asked: Asked, engine: Engine, prompt: WordedPrompt, items: Sequence[Item], texts: Texts
) -> tuple[dict[Item, list[str]], Stage]:
    """What the judge writes in the first step of a method, for each item."""
    method = asked.prompt.method
    longest = METHODS[method].reasoning_tokens
    shown = dict.fromkeys(one for item in items for one in reasoned(method, item))
    if not shown:
        return {}, Stage()
    requests = [reasoning_request(prompt, texts, one, max_new_tokens=longest) for one in shown]
    written, stage = _written(engine, [asked.writing.request(one, seed=asked.choice.seed) for one in requests])
    text_of = {one: generation.text for one, generation in zip(shown, written, strict=True)}
    return {item: [text_of[one] for one in reasoned(method, item)] for item in items}, stage
