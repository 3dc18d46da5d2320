"""A judge is asked about one pair, in both orders, and nothing is stored but what its probe found."""

from __future__ import annotations

import time
from contextlib import closing
from dataclasses import asdict, dataclass, replace
from typing import Any

from judging.engine import Answer, EngineDescription, EngineError, Thinking, load_engine
from judging.exceptions import Refused
from judging.models import AnswerProblem, Attribute, Candidate, Judge, Prompt
from judging.prompting.methods import METHODS
from judging.services.execution.chunk_execution import LoadEngine
from judging.services.execution.judgment_kinds import ask_pairs
from judging.services.judges.judge_setup import engine_settings, remember_probe
from judging.services.plans.generation_settings import GenerationSettings
from judging.services.plans.question_texts import QuestionTexts, comparison_question, load_texts
from judging.services.plans.run_spec import worded_prompt
from judging.services.prompts.prompt_preview import first_pair
from judging.services.runs.run_request import RunRequest, checked_spec


@dataclass(frozen=True, slots=True)
class TriedOrder:
    """The answer about a pair in one order. prompt: the messages or the prompt that the judge read."""

    first: str
    second: str
    answer: Answer
    prompt: str

    @property
    def decision(self) -> str:
        """The decision: first, second or tie; empty without an answer."""
        p_first = self.answer.p_first
        if p_first is None:
            return self.answer.choice
        return "tie" if p_first == 0.5 else "first" if p_first > 0.5 else "second"

    @property
    def problem_name(self) -> str:
        """The kind of the answer's problem, for people; empty for none."""
        problem = self.answer.problem or (AnswerProblem.NO_VERDICT if self.answer.unparsed else "")
        return str(AnswerProblem(problem).label) if problem else ""


@dataclass(frozen=True, slots=True)
class PairTrial:
    """The answers of a judge about one pair. seconds: time of both answers, without loading the judge."""

    judge: Judge
    prompt: Prompt
    attribute: Attribute
    context: str
    environment: EngineDescription
    orders: tuple[TriedOrder, ...]
    seconds: float

    @property
    def agreement(self) -> str:
        """Comparison of both orders in words; empty unless both have a decision."""
        first, second = (one.decision for one in self.orders)
        if not first or not second:
            return ""
        if first == second == "tie" or {first, second} == {"first", "second"}:
            return "Both orders agree."
        place = f"chose the {first} candidate both times" if first == second else "called one of them a tie"
        return f"The two orders disagree: the judge {place}."

    def row(self) -> dict[str, Any]:
        """Return the trial as JSON values, the same for API and command."""
        return {
            "judge": self.judge.name,
            "prompt": self.prompt.label,
            "dataset": self.attribute.dataset.name,
            "attribute": self.attribute.name,
            "context": self.context,
            "environment": asdict(self.environment),
            "orders": [
                {"first": one.first, "second": one.second, "decision": one.decision, "prompt": one.prompt}
                | asdict(one.answer)
                for one in self.orders
            ],
            "seconds": self.seconds,
        }


def try_judge(
    judge: Judge,
    *,
    attribute: Attribute,
    prompt: Prompt,
    context: str = "",
    thinking: Thinking | None = None,
    load: LoadEngine = load_engine,
) -> PairTrial:
    """Ask a judge about the first two candidates of a context, in both orders. Raises Refused.

    context: its key; empty for the first context with two candidates. An endpoint is probed again, so that a parameter
    that it refused before is tried once more.
    """
    request = RunRequest(attribute.dataset, attribute, judge, prompt, generation=GenerationSettings(thinking=thinking))
    spec = checked_spec(request)
    _require_direct(prompt)
    pair = _pair_of(attribute, context)
    texts = load_texts([pair])
    worded = worded_prompt(spec)
    questions = [comparison_question(worded, texts, one) for one in (pair, pair[::-1])]
    try:
        settings = replace(engine_settings(judge, thinking), refused=())
        with closing(load(settings)) as engine:
            description = engine.describe()
            remember_probe(judge, description, thinks=thinking is not None)
            started = time.monotonic()
            answers = ask_pairs(engine, questions, None).answers
            seconds = time.monotonic() - started
            prompts = [engine.render(question).prompt_text for question in questions]
    except EngineError as failure:
        raise Refused(f"judge: {failure}") from failure
    orders = [
        TriedOrder(texts.keys[first], texts.keys[second], answer, shown)
        for (first, second), answer, shown in zip((pair, pair[::-1]), answers, prompts, strict=True)
    ]
    return PairTrial(judge, prompt, attribute, _context_key(texts), description, tuple(orders), seconds)


def _require_direct(prompt: Prompt) -> None:
    """Raise Refused for a method that scores, or that writes reasoning before its answer."""
    method = METHODS[prompt.method]
    if method.is_scoring or method.reasons:
        raise Refused(
            f'prompt: "{prompt.label}" does not ask about a pair at once; choose a prompt of comparative or pairwise'
        )


def _pair_of(attribute: Attribute, context: str) -> tuple[int, int]:
    """Return the ids of the first two candidates of a context. Raises Refused if it has fewer."""
    if not context:
        return first_pair(attribute.dataset)
    candidates = Candidate.objects.filter(context__dataset=attribute.dataset, context__key=context)
    ids = list(candidates.order_by("position").values_list("pk", flat=True)[:2])
    if len(ids) < 2:
        raise Refused(f'context: "{context}" is no context of {attribute.dataset.name} with two candidates')
    return ids[0], ids[1]


def _context_key(texts: QuestionTexts) -> str:
    (number,) = texts.contexts
    return str(Candidate.objects.filter(context=number).values_list("context__key", flat=True)[0])
