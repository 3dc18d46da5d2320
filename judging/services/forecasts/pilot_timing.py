"""A few questions really asked, to learn how long a run takes and what it costs. Nothing of it is stored."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import chain
from math import ceil
from typing import Any

from judging.engine import Answer, Engine, Generation, Question, Request, ScoreAnswer
from judging.prompting.methods import METHODS
from judging.services.execution.comparison_answers import COMPARISONS
from judging.services.execution.criteria import metrics_request
from judging.services.execution.reasoning import analysis_of
from judging.services.execution.score_answers import SCORES
from judging.services.execution.slices import Kind, storable
from judging.services.forecasts.token_forecast import Item
from judging.services.plans.question_texts import (
    Analysis,
    Texts,
    question_of,
    reasoned,
    reasoning_request,
    texts_of,
)
from judging.services.plans.run_spec import worded_prompt
from judging.services.runs.run_lifecycle import Asked

PILOT_CONTEXTS = 8
FEW = 4


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

    @property
    def is_in_vain(self) -> bool:
        """Whether no question came to the judge, so that nothing is known of its pace."""
        return self.without_answer == self.asked.requests and not self.asked.prompt_tokens


def run_pilot(
    asked: Asked,
    groups: Sequence[Sequence[Item]],
    *,
    engine: Engine,
    number: int,
    seconds: float | None = None,
    go_on: Callable[[], bool] = lambda: True,
) -> Pilot | None:
    """Ask so many of a run's questions, from contexts all over the dataset. Raises EngineError.

    One question more is asked before the time is taken: the first is slow on a GPU.
    go_on: asked before each call of the engine; where it says no, what was asked until then is all. None where no
        question was, beside that one more.
    seconds: where four questions take so long that the others would not be answered in this time, so many fewer are
        asked; None for all of them, however long they take.
    """
    trial = _Trial(asked, engine, go_on)
    few = number if seconds is None else min(FEW, number)
    began = time.monotonic()
    first = spread(groups, few)
    with suppress(_TimeIsUp):
        trial.ask(first)
        if seconds is not None and few < number:
            each = (time.monotonic() - began) / (len(first) + 1)
            more = spread(groups, min(number, max(0, int(seconds / max(each, 1e-6)))))
            trial.ask([item for item in more if item not in first][: number - few])
    return trial.pilot()


class _TimeIsUp(Exception):
    """Nothing more is to be asked."""


class _Trial:
    """Questions of a run that are really asked, and what they took."""

    def __init__(self, asked: Asked, engine: Engine, go_on: Callable[[], bool]) -> None:
        self._asked = asked
        self._engine = engine
        self._kind: Kind[Any] = SCORES if asked.is_scoring else COMPARISONS
        self._go_on = go_on
        self._prompt = worded_prompt(asked.spec())
        self._analyses: dict[Item, Generation] = {}
        self._metrics: dict[int, Generation] = {}
        self._answers: list[Answer | ScoreAnswer] = []
        self._is_warm = False
        self._seconds = {"asked": 0.0, "analyses": 0.0, "metrics": 0.0}

    def ask(self, items: Sequence[Item]) -> None:
        """What they need is written first, where it has not been before."""
        if not items:
            return
        texts = self._knowing_metrics(texts_of(items))
        written = self._written_about([item for item in items if not texts.why_no_metrics(item[0])], texts)
        reasons = {item: texts.why_no_metrics(item[0]) or self._kind.why_not(texts, written[item]) for item in items}
        self._answers += [self._kind.failed(reason) for reason in reasons.values() if reason]
        questions = [
            question_of(self._prompt, texts, item, analyses=[one.text for one in written[item].values()])
            for item in items
            if not reasons[item]
        ]
        if questions:
            self._ask(questions)

    def _ask(self, questions: Sequence[Question]) -> None:
        if not self._is_warm:
            self._answer(questions[:1])
            self._is_warm = True
        started = time.monotonic()
        self._answers += self._answer(questions)
        self._seconds["asked"] += time.monotonic() - started

    def pilot(self) -> Pilot | None:
        """None where nothing was answered."""
        answers = self._answers
        if not answers:
            return None
        problems = [one.error or f"it wrote {one.text!r}" for one in answers if one.error or one.unparsed]
        return Pilot(
            asked=Stage(len(answers), self._seconds["asked"], sum(answer.prompt_tokens for answer in answers)),
            analyses=_written_stage(self._analyses.values(), self._seconds["analyses"]),
            metrics=_written_stage(self._metrics.values(), self._seconds["metrics"]),
            without_answer=len(problems),
            problem=storable(problems[0]) if problems else "",
        )

    def _answer(self, questions: Sequence[Question]) -> Sequence[Answer | ScoreAnswer]:
        self._require_time()
        sampling = self._asked.writing.sampling(self._asked.choice.seed)
        answers: Sequence[Answer | ScoreAnswer] = self._kind.ask(self._engine, questions, sampling).answers
        return answers

    def _knowing_metrics(self, texts: Texts) -> Texts:
        """The texts with the metrics that the judge writes for their contexts."""
        if self._asked.metrics is None:
            return texts
        new = [context for context in texts.contexts if context not in self._metrics]
        spec, seed = self._asked.spec(), self._asked.choice.seed
        requests = [metrics_request(spec, texts.contexts[context], seed=seed) for context in new]
        self._metrics |= zip(new, self._write(requests, "metrics"), strict=True)
        return replace(texts, metrics={context: analysis_of(self._metrics[context]) for context in texts.contexts})

    def _written_about(self, items: Sequence[Item], texts: Texts) -> dict[Item, dict[Item, Analysis]]:
        """What the judge writes in the first step of a method, for each item."""
        method, seed = self._asked.prompt.method, self._asked.choice.seed
        shown = {item: reasoned(method, item) for item in items}
        new = [one for one in dict.fromkeys(chain.from_iterable(shown.values())) if one not in self._analyses]
        longest = METHODS[method].reasoning_tokens
        requests = [reasoning_request(self._prompt, texts, one, max_new_tokens=longest) for one in new]
        written = self._write([self._asked.writing.request(one, seed=seed) for one in requests], "analyses")
        self._analyses |= zip(new, written, strict=True)
        return {item: {one: analysis_of(self._analyses[one]) for one in about} for item, about in shown.items()}

    def _write(self, requests: Sequence[Request], stage: str) -> list[Generation]:
        if not requests:
            return []
        self._require_time()
        started = time.monotonic()
        written = self._engine.generate(requests)
        self._seconds[stage] += time.monotonic() - started
        return written

    def _require_time(self) -> None:
        if not self._go_on():
            raise _TimeIsUp


def _written_stage(written: Collection[Generation], seconds: float) -> Stage:
    return Stage(
        requests=len(written),
        seconds=seconds,
        prompt_tokens=sum(one.prompt_tokens for one in written),
        written_tokens=sum(one.generated_tokens for one in written),
    )


def spread(groups: Sequence[Sequence[Item]], number: int) -> list[Item]:
    """At most so many items, from eight contexts or more all over the dataset, neighbours together."""
    in_each = sum(map(len, groups)) / len(groups)
    contexts = max(PILOT_CONTEXTS, ceil(number / in_each))
    some = groups[:: max(1, len(groups) // contexts)]
    each = ceil(number / len(some))
    return [item for items in some for item in items[:each]][:number]
