"""A pilot: asks a few questions of a run to measure seconds and tokens. Nothing is stored."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from math import ceil

from evenhand.engine import Answer, Engine, Generation, Question, Request, ScoreAnswer
from judging.services.execution.bulk_insert import storable
from judging.services.execution.criteria import criteria_request
from judging.services.execution.judgment_kinds import COMPARISON_KIND, SCORE_KIND
from judging.services.execution.reasoning import to_written_text
from judging.services.plans.added_sentences import sentence_holders
from judging.services.plans.question_texts import (
    CandidateIds,
    QuestionSource,
    QuestionTexts,
    load_texts,
    reasoning_request,
    reasoning_subjects,
)
from judging.services.plans.run_spec import worded_prompt
from judging.services.runs.run_request import RunRequest

PILOT_CONTEXTS = 8
FIRST_QUESTIONS = 4


@dataclass(frozen=True, slots=True)
class PilotStage:
    """Requests of one stage, with their seconds and tokens. written_tokens: 0 if probabilities are read."""

    requests: int = 0
    seconds: float = 0.0
    prompt_tokens: int = 0
    written_tokens: int = 0

    def per_request(self, amount: float) -> float:
        """Divide an amount by the number of requests; 0 without requests."""
        return amount / self.requests if self.requests else 0.0


@dataclass(frozen=True, slots=True)
class Pilot:
    """The results of a pilot.

    asked: comparisons or scores. reasonings, criteria: texts that the judge wrote before them.
    without_answer: questions without an answer. problem: why the first of them has none; empty if all have one.
    """

    asked: PilotStage
    reasonings: PilotStage
    criteria: PilotStage
    without_answer: int
    problem: str

    @property
    def is_failed(self) -> bool:
        """True if no question reached the judge, so that its speed is unknown."""
        return self.without_answer == self.asked.requests and not self.asked.prompt_tokens


def run_pilot(
    request: RunRequest,
    contexts: Sequence[Sequence[CandidateIds]],
    *,
    engine: Engine,
    number: int,
    seconds: float | None = None,
    go_on: Callable[[], bool] = lambda: True,
) -> Pilot | None:
    """Ask `number` questions from contexts spread over the dataset. Raises EngineError.

    One more question is asked first and not timed, because the first is slow on a GPU.

    contexts: the items of each context.
    seconds: approximate time limit. Four questions are timed first, and the rest is reduced to fit. None for no limit.
    go_on: polled before each call of the engine. Once it returns False, the pilot ends with the questions so far.
        None is returned if there were none besides the first.
    """
    trial = _Trial(request, engine, go_on)
    few = number if seconds is None else min(FIRST_QUESTIONS, number)
    began = time.monotonic()
    first = spread_items(contexts, few)
    with suppress(_TimeIsUp):
        trial.ask(first)
        if seconds is not None and few < number:
            each = (time.monotonic() - began) / (len(first) + 1)
            more = spread_items(contexts, min(number, max(0, int(seconds / max(each, 1e-6)))))
            trial.ask([item for item in more if item not in first][: number - few])
    return trial.pilot()


class _TimeIsUp(Exception):
    """Raised when `go_on` has returned False."""


class _Trial:
    """Asks questions of a run, and collects answers, texts and seconds."""

    def __init__(self, request: RunRequest, engine: Engine, go_on: Callable[[], bool]) -> None:
        self._request = request
        self._engine = engine
        self._kind = SCORE_KIND if request.is_scoring else COMPARISON_KIND
        self._go_on = go_on
        self._prompt = worded_prompt(request.spec())
        self._holders = sentence_holders(request.dataset, request.spec())
        self._reasonings: dict[CandidateIds, Generation] = {}
        self._criteria: dict[int, Generation] = {}
        self._answers: list[Answer | ScoreAnswer] = []
        self._is_warm = False
        self._seconds = {"asked": 0.0, "reasonings": 0.0, "criteria": 0.0}

    def ask(self, items: Sequence[CandidateIds]) -> None:
        """Ask about these items; missing criteria and reasoning are written first."""
        if not items:
            return
        texts = self._add_criteria(load_texts(items, holders=self._holders))
        self._write_reasonings([item for item in items if not texts.criteria_problem(item[0])], texts)
        reasonings = {subject: to_written_text(written) for subject, written in self._reasonings.items()}
        source = QuestionSource(self._request.prompt.method_record, self._prompt, texts, reasonings)
        problems = {item: source.problem(item) for item in items}
        self._answers += [self._kind.answer(error=problem) for problem in problems.values() if problem]
        questions = [source.question(item) for item in items if not problems[item]]
        if questions:
            self._ask_timed(questions)

    def _ask_timed(self, questions: Sequence[Question]) -> None:
        if not self._is_warm:
            self._answer(questions[:1])
            self._is_warm = True
        started = time.monotonic()
        self._answers += self._answer(questions)
        self._seconds["asked"] += time.monotonic() - started

    def pilot(self) -> Pilot | None:
        """Return the results; None if nothing was answered."""
        answers = self._answers
        if not answers:
            return None
        problems = [one.error or f"it wrote {one.text!r}" for one in answers if one.error or one.unparsed]
        return Pilot(
            asked=PilotStage(len(answers), self._seconds["asked"], sum(answer.prompt_tokens for answer in answers)),
            reasonings=_text_stage(self._reasonings.values(), self._seconds["reasonings"]),
            criteria=_text_stage(self._criteria.values(), self._seconds["criteria"]),
            without_answer=len(problems),
            problem=storable(problems[0]) if problems else "",
        )

    def _answer(self, questions: Sequence[Question]) -> Sequence[Answer | ScoreAnswer]:
        self._require_time()
        sampling = self._request.generation.sampling(self._request.selection.seed)
        return self._kind.ask(self._engine, questions, sampling).answers

    def _add_criteria(self, texts: QuestionTexts) -> QuestionTexts:
        """Add criteria for the contexts, written by the judge if they are new."""
        if self._request.criteria is None:
            return texts
        new = [context for context in texts.contexts if context not in self._criteria]
        spec, seed = self._request.spec(), self._request.selection.seed
        requests = [criteria_request(spec, texts.contexts[context], seed=seed) for context in new]
        self._criteria |= zip(new, self._write(requests, "criteria"), strict=True)
        return replace(
            texts, criteria={context: to_written_text(self._criteria[context]) for context in texts.contexts}
        )

    def _write_reasonings(self, items: Sequence[CandidateIds], texts: QuestionTexts) -> None:
        """Have the judge write the reasonings about these items that are new."""
        method, seed = self._request.prompt.method_record, self._request.selection.seed
        subjects = dict.fromkeys(subject for item in items for subject in reasoning_subjects(method, item))
        new = [subject for subject in subjects if subject not in self._reasonings]
        longest = method.reasoning_tokens
        requests = [reasoning_request(self._prompt, texts, subject, max_new_tokens=longest) for subject in new]
        generation = self._request.generation
        generations = self._write([generation.apply_to(one, seed=seed) for one in requests], "reasonings")
        self._reasonings |= zip(new, generations, strict=True)

    def _write(self, requests: Sequence[Request], stage: str) -> list[Generation]:
        if not requests:
            return []
        self._require_time()
        started = time.monotonic()
        generations = self._engine.generate(requests)
        self._seconds[stage] += time.monotonic() - started
        return generations

    def _require_time(self) -> None:
        if not self._go_on():
            raise _TimeIsUp


def _text_stage(generations: Collection[Generation], seconds: float) -> PilotStage:
    return PilotStage(
        requests=len(generations),
        seconds=seconds,
        prompt_tokens=sum(one.prompt_tokens for one in generations),
        written_tokens=sum(one.generated_tokens for one in generations),
    )


def spread_items(contexts: Sequence[Sequence[CandidateIds]], number: int) -> list[CandidateIds]:
    """Choose at most `number` items from eight or more contexts, evenly spread; each context's first items."""
    per_context = sum(map(len, contexts)) / len(contexts)
    wanted = max(PILOT_CONTEXTS, ceil(number / per_context))
    chosen = contexts[:: max(1, len(contexts) // wanted)]
    each = ceil(number / len(chosen))
    return [item for items in chosen for item in items[:each]][:number]
