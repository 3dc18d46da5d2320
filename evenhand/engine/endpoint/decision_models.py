"""Ask a decision model: typed questions about a state, answered with probabilities. The wording around them is its own.

Sources: vLLM, "Decisions API" and "Structured Decisions"; the API reference of OpenAI, "Decisions".
"""

import math
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any

from evenhand.engine.endpoint.direct_requests import DirectRequests, counting_faults
from evenhand.engine.endpoint.http_client import EndpointClient
from evenhand.engine.endpoint.model_watch import ModelWatch, of_model
from evenhand.engine.endpoint.request_form import RequestBody
from evenhand.engine.endpoint.retries import RequestFailed, RequestRefused
from evenhand.engine.questions.pair_questions import Answer
from evenhand.engine.questions.reply_questions import DecisionQuestion
from evenhand.engine.replies.endpoint_reply import EndpointReply, MalformedReply, json_object

SYSTEM_ONE, DECISIONS = "/v1/systemone", "/v1/decisions"
PATHS = (SYSTEM_ONE, DECISIONS)
"""Where decision models are asked, from the server's root. The first may say how much probability fell on labels."""

MOST_QUESTIONS = 64
"""Most questions of one request."""

_OFF_ONE = 0.02
"""Largest difference of a sum of probabilities from 1."""


@dataclass(frozen=True, slots=True)
class Decided:
    """The answers to the questions of one request, in order, and a reply with the endpoint's name of the model."""

    answers: tuple[Answer, ...]
    reply: EndpointReply


@dataclass(frozen=True, slots=True)
class DecisionAsker:
    """Asks one endpoint at one of PATHS."""

    client: EndpointClient
    model: str
    path: str

    def ask(self, questions: Sequence[DecisionQuestion]) -> list[Decided]:
        """Ask questions about one state; in halves if the endpoint refuses so many, or one of them.

        Raises RequestFailed, MalformedReply and EngineError.
        """
        body = decision_body(self.path, self.model, questions)
        try:
            content = self.client.post_from_root(self.path, body)
        except RequestRefused:
            if len(questions) == 1:
                raise
            half = len(questions) // 2
            return [*self.ask(questions[:half]), *self.ask(questions[half:])]
        return [read_decisions(self.path, content, questions)]


def ask_decisions(asker: DecisionAsker, questions: Sequence[DecisionQuestion], *, model: str) -> list[Answer]:
    """Return the answers, from one request for each state. model: the endpoint's own name, as in its probe.

    Raises EngineError where further requests would fail.
    """
    watch, retries = ModelWatch(model), asker.client.retries

    def ask(group: list[int]) -> list[tuple[int, Answer]]:
        try:
            with counting_faults(retries):
                decided = asker.ask([questions[number] for number in group])
        except (RequestFailed, MalformedReply) as failure:
            return [(number, Answer(error=str(failure))) for number in group]
        for one in decided:
            watch.check(one.reply)
        answers = [of_model(answer, one.reply, model) for one in decided for answer in one.answers]
        return list(zip(group, answers, strict=True))

    numbered = dict(chain.from_iterable(DirectRequests(asker.client).map(ask, list(groups_by_state(questions)))))
    watch.require_expected()
    return [numbered[number] for number in range(len(questions))]


def groups_by_state(questions: Sequence[DecisionQuestion]) -> Iterator[list[int]]:
    """Yield the numbers of questions that share a state, for one request each."""
    numbers: dict[tuple[str, str], list[int]] = defaultdict(list)
    for number, question in enumerate(questions):
        numbers[question.state, question.system].append(number)
    for group in numbers.values():
        yield from (group[start : start + MOST_QUESTIONS] for start in range(0, len(group), MOST_QUESTIONS))


def decision_body(path: str, model: str, questions: Sequence[DecisionQuestion]) -> RequestBody:
    """Return the request for questions about one state."""
    system = questions[0].system
    state = f"{system}\n\n{questions[0].state}" if system else questions[0].state
    if path == DECISIONS:
        return {"model": model, "input": state, "questions": [_typed(one) for one in questions]}
    named = {f"q{number}": _criteria(question) for number, question in enumerate(questions)}
    return {"model": model, "state": state, "questions": named}


def _typed(question: DecisionQuestion) -> RequestBody:
    choices = [{"value": question.label_first}, {"value": question.label_second}]
    return {"type": "choice", "instructions": question.instructions, "choices": choices}


def _criteria(question: DecisionQuestion) -> RequestBody:
    criteria = {question.label_first: None, question.label_second: None}
    return {"type": "choice", "instructions": question.instructions, "criteria": criteria}


def read_decisions(path: str, content: bytes, questions: Sequence[DecisionQuestion]) -> Decided:
    """Read the answers to the questions of one request. Raises MalformedReply if they are not those that were asked."""
    document = json_object(content)
    given = document.get("answers")
    listed = [given.get(f"q{number}") for number in range(len(questions))] if isinstance(given, dict) else given
    if not isinstance(listed, list) or len(listed) != len(questions):
        raise MalformedReply(f"the endpoint did not answer all of {len(questions)} questions")
    usage, diagnostics = _object(document.get("usage")), _object(document.get("diagnostics"))
    tokens = usage.get("input_tokens")
    total = tokens if isinstance(tokens, int) else 0
    answers = tuple(
        _answer(one, question, _label_mass(diagnostics.get(f"q{number}")), _share(total, number, len(questions)))
        for number, (one, question) in enumerate(zip(listed, questions, strict=True))
    )
    return Decided(answers, EndpointReply(None, (), "", str(document.get("model") or ""), prompt_tokens=total))


def _share(total: int, number: int, questions: int) -> int:
    """Return the tokens of one question: the endpoint counts those of all its questions together."""
    return total // questions + (number < total % questions)


def _answer(given: object, question: DecisionQuestion, mass: float | None, tokens: int) -> Answer:
    answer = _object(given)
    if answer.get("type") == "refusal":
        return Answer(unparsed=True, text="refusal", prompt_tokens=tokens)
    shares = _probabilities(answer.get("probabilities"))
    labels = (question.label_first, question.label_second)
    first, second = (_number(shares.get(label)) for label in labels)
    if not (0 <= first <= 1 and 0 <= second <= 1 and abs(first + second - 1) <= _OFF_ONE):  # False for NaN
        reason = f"the endpoint gives {first} and {second} as the probabilities of its two choices"
        return Answer(error=reason, prompt_tokens=tokens)
    p_first = first / (first + second)
    raw = [_log(mass * one) if mass else None for one in (p_first, 1 - p_first)]
    return Answer(p_first=p_first, logprob_first=raw[0], logprob_second=raw[1], prompt_tokens=tokens)


def _probabilities(given: object) -> Mapping[Any, object]:
    """Return choice -> probability: an object in the one form, a list of values in the other."""
    if isinstance(given, list):
        return {one["value"]: one.get("probability") for one in map(_object, given) if "value" in one}
    return _object(given)


def _label_mass(given: object) -> float | None:
    """Return the probability that fell on the labels; None if the endpoint gives none."""
    mass = _number(_object(given).get("label_mass"))
    return mass if 0 < mass <= 1 + _OFF_ONE else None


def _log(probability: float) -> float | None:
    return math.log(min(probability, 1.0)) if probability > 0 else None


def _number(value: object) -> float:
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else math.nan


def _object(value: object) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}
