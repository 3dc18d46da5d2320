"""A judge is asked about one pair, in both orders, and nothing is stored but what its probe found."""

import time
from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import asdict, dataclass, replace
from typing import Any

from evenhand.engine import Answer, Engine, EngineError, Request, Thinking, load_trial_engine
from evenhand.options import Option
from evenhand.prompting.methods import COMPARATIVE, METHODS, Method
from evenhand.prompting.templates import WordedPrompt
from evenhand.refusals import Refused
from evenhand.report_json import Flat, Written
from judging.models import AnswerProblem, Attribute, Candidate, Judge, Prompt
from judging.services.execution.chunk_execution import LoadEngine
from judging.services.execution.judgment_kinds import ask_pairs
from judging.services.execution.reasoning import to_written_text
from judging.services.judges.judge_setup import engine_settings, remember_probe
from judging.services.plans.generation_settings import GenerationSettings, choose_thinking, generation_in
from judging.services.plans.question_texts import (
    CandidateIds,
    QuestionSource,
    QuestionTexts,
    load_texts,
    reasoning_request,
    reasoning_subjects,
)
from judging.services.plans.run_plan import CandidatePair
from judging.services.plans.run_spec import Spec, worded_prompt
from judging.services.prompts.prompt_library import prompts_named, prompts_of
from judging.services.prompts.prompt_preview import first_pair
from judging.services.runs.run_request import RunRequest, checked_spec
from judging.services.runs.run_settings import SETTING_OPTIONS

TRIAL_OPTIONS = (
    Option(f"Empty: the first prompt of {COMPARATIVE.name}.", name="prompt", default=""),
    Option("Key of the pair's context; empty: the first with two candidates.", name="context", default=""),
    *(one for one in SETTING_OPTIONS if one.name in ("thinking", "thinking_tokens", "reasoning_effort")),
)
"""How a judge is asked about one pair."""


def trial_settings(asked: Mapping[str, Any]) -> dict[str, Any]:
    """Return the prompt, context and thinking of `try_judge`. asked: values of TRIAL_OPTIONS. Raises Refused."""
    prompts = prompts_named([asked["prompt"]]) if asked["prompt"] else prompts_of(COMPARATIVE.name)
    thinking = choose_thinking(asked["thinking"], tokens=asked["thinking_tokens"], effort=asked["reasoning_effort"])
    return {"prompt": prompts[0], "context": asked["context"], "thinking": thinking}


@dataclass(frozen=True, slots=True)
class TriedReasoning:
    """Reasoning of a judge. about: keys of the candidates that it is about."""

    about: str
    text: str


@dataclass(frozen=True, slots=True)
class TriedOrder:
    """The answer about a pair in one order.

    prompt: the messages or the prompt that the judge read. reasoning: what the judge wrote before its answer.
    """

    first: str
    second: str
    answer: Flat[Answer]
    prompt: str
    reasoning: tuple[TriedReasoning, ...] = ()

    @property
    def decision(self) -> Written[str]:
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
    """The answers of a judge about one pair, with the names of all things.

    environment: what answered, as of a run. seconds: time of both answers, without loading the judge.
    """

    judge: str
    prompt: str
    dataset: str
    attribute: str
    context: str
    environment: dict[str, Any]
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


def try_judge(
    judge: Judge,
    *,
    attribute: Attribute,
    prompt: Prompt,
    context: str = "",
    thinking: Thinking | None = None,
    load: LoadEngine = load_trial_engine,
) -> PairTrial:
    """Ask a judge about the first two candidates of a context, in both orders. Raises Refused.

    A judge that reasons before its answer writes each reasoning once. context: its key; empty for the first context
    with two candidates. An endpoint is probed again, so that a parameter that it refused before is tried once more.
    """
    request = RunRequest(attribute.dataset, attribute, judge, prompt, generation=GenerationSettings(thinking=thinking))
    spec = checked_spec(request)
    _require_pairs(prompt)
    pair = _pair_of(attribute, context)
    orders = (pair, pair[::-1])
    texts = load_texts([pair])
    trial = _TrialQuestions(spec, prompt.method_record, texts)
    try:
        decides = prompt.method_record.reads_decision
        settings = replace(engine_settings(judge, thinking, decides=decides), refused=())
        with closing(load(settings)) as engine:
            description = engine.describe()
            remember_probe(judge, description, thinks=thinking is not None)
            started = time.monotonic()
            source = trial.reasoned(engine, orders)
            questions = [source.question(order) for order in orders]
            answers = ask_pairs(engine, questions, None).answers
            seconds = time.monotonic() - started
            prompts = [engine.render(question).prompt_text for question in questions]
    except EngineError as failure:
        raise Refused(f"judge: {failure}") from failure
    tried = [
        TriedOrder(texts.keys[order[0]], texts.keys[order[1]], answer, shown, _tried_reasoning(source, order))
        for order, answer, shown in zip(orders, answers, prompts, strict=True)
    ]
    names = (judge.name, prompt.label, attribute.dataset.name, attribute.name, _context_key(texts))
    return PairTrial(*names, asdict(description), tuple(tried), seconds)


@dataclass(frozen=True, slots=True)
class _TrialQuestions:
    """The questions of a trial. spec: of a run with the same settings. method: as the prompt asks it."""

    spec: Spec
    method: Method
    texts: QuestionTexts

    def reasoned(self, engine: Engine, orders: Sequence[CandidatePair]) -> QuestionSource:
        """Have the judge write its reasoning, if its method has one. Raises Refused if it writes none."""
        worded = worded_prompt(self.spec)
        subjects = list(
            dict.fromkeys(subject for order in orders for subject in reasoning_subjects(self.method, order))
        )
        written = engine.generate([self._request(worded, subject) for subject in subjects]) if subjects else []
        reasonings = dict(zip(subjects, map(to_written_text, written), strict=True))
        source = QuestionSource(self.method, worded, self.texts, reasonings)
        if problem := next(filter(None, map(source.problem, orders)), ""):
            raise Refused(f"judge: {problem}")
        return source

    def _request(self, worded: WordedPrompt, subject: CandidateIds) -> Request:
        most = int(self.spec["method"]["max_new_tokens"])
        request = reasoning_request(worded, self.texts, subject, max_new_tokens=most)
        return generation_in(self.spec).apply_to(request, seed=self.spec["seed"])


def _tried_reasoning(source: QuestionSource, order: CandidatePair) -> tuple[TriedReasoning, ...]:
    return tuple(
        TriedReasoning(" and ".join(source.texts.keys[one] for one in subject), source.reasonings[subject].text)
        for subject in reasoning_subjects(source.method, order)
    )


def _require_pairs(prompt: Prompt) -> None:
    """Raise Refused for a method that scores."""
    if METHODS[prompt.method].is_scoring:
        raise Refused(
            f'prompt: "{prompt.label}" does not ask about a pair; choose a prompt of comparative, pairwise or prepair'
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
