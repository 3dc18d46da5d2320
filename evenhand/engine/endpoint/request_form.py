"""The request fields that one endpoint takes: one form of each part of a request, out of those of its dialect."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from itertools import product
from typing import Any

from evenhand.engine.endpoint.chat_messages import ChatMessage, chat_messages, question_messages
from evenhand.engine.endpoint.dialect_files import Dialect, Fields
from evenhand.engine.endpoint.retries import RequestRefused
from evenhand.engine.questions.pair_questions import ANSWER_TOKENS, Question, Request
from evenhand.engine.questions.scale_questions import ScaleQuestion
from evenhand.engine.questions.thinking import Thinking
from evenhand.engine.replies.label_probabilities import label_words
from evenhand.engine.settings import FORCED_CHOICE, LOGPROBS, TEXT

RequestBody = dict[str, Any]
DEFAULT_TEMPERATURE = 1.0
"""Temperature of an endpoint that refuses the parameter. Leaving it out then changes nothing."""

SCHEMA_TOKENS = 32
"""Most new tokens of an answer that is a JSON object."""


class RequestPart(StrEnum):
    """A part of a request with several forms."""

    FORCED_CHOICE = "forced choice"
    THINKING = "thinking"
    BUDGET = "thinking budget"
    SEED = "seed"
    LOGPROBS = "log-probabilities"
    TEMPERATURE = "temperature"
    TOKEN_LIMIT = "token limit"


UNNAMED_ORDER = (RequestPart.TOKEN_LIMIT, RequestPart.TEMPERATURE, RequestPart.LOGPROBS)
"""Parts that are varied, the last one first, where an endpoint does not name the parameter it refuses."""


@dataclass(frozen=True, slots=True)
class RequestForm:
    """The forms in use, by their position among those of the dialect.

    thinks: the requests let the model think. ask_by: as in EngineSettings.
    refused: parameter -> the endpoint's words. `top_logprobs=20` is a parameter with a value.
    """

    dialect: Dialect
    thinks: bool = False
    ask_by: str = ""
    positions: Mapping[RequestPart, int] = field(default_factory=dict)
    refused: Mapping[str, str] = field(default_factory=dict)

    def forms(self, part: RequestPart) -> Sequence[Any]:
        """Return the forms of a part, the preferred one first."""
        dialect = self.dialect
        switches = dialect.thinking_on if self.thinks else dialect.thinking_off
        return {
            RequestPart.TOKEN_LIMIT: dialect.token_limit,
            RequestPart.LOGPROBS: (0,) if self.ask_by == TEXT else (*dialect.top_logprobs, 0),
            RequestPart.TEMPERATURE: (True, False) if dialect.takes_temperature(thinks=self.thinks) else (False,),
            RequestPart.SEED: (True, False),
            RequestPart.THINKING: (*switches, {}),
            RequestPart.BUDGET: (True, False) if self.thinks and dialect.budget else (False,),
            RequestPart.FORCED_CHOICE: (*dialect.forced_choice, {}) if self.ask_by == FORCED_CHOICE else ({},),
        }[part]

    def value(self, part: RequestPart) -> Any:  # noqa: ANN401 - each part has its own type
        """Return the form of a part that is in use."""
        return self.forms(part)[self.positions.get(part, 0)]

    @property
    def top_logprobs(self) -> int:
        """Alternatives requested at each token; 0 for none."""
        return int(self.value(RequestPart.LOGPROBS))

    @property
    def asked_by(self) -> str:
        """How the requests ask for a label word, one of ASKED_BY."""
        if self.value(RequestPart.FORCED_CHOICE):
            return FORCED_CHOICE
        return LOGPROBS if self.top_logprobs else TEXT

    def next(self, part: RequestPart, reason: str) -> RequestForm | None:
        """Return the form with the next form of a part, and note why; None after the last one."""
        position = self.positions.get(part, 0) + 1
        if position >= len(self.forms(part)):
            return None
        refused = {**self.refused, **dict.fromkeys(self._parameters(part), reason)}
        return replace(self, positions={**self.positions, part: position}, refused=refused)

    def without(self, parameters: Mapping[str, str]) -> RequestForm:
        """Return the form that sends none of these parameters, where another form exists."""
        form = self
        for part in RequestPart:
            form = form._part_without(part, parameters)
        return form

    def _part_without(self, part: RequestPart, parameters: Mapping[str, str]) -> RequestForm:
        reason = next((parameters[name] for name in self._parameters(part) if name in parameters), None)
        following = self.next(part, reason) if reason is not None else None
        return following._part_without(part, parameters) if following else self

    def after_refusal(self, refusal: RequestRefused) -> RequestForm | None:
        """Return the form without the parameter that a refusal names; None if it names none that can change."""
        for part in RequestPart:
            if any(_names(refusal, parameter) for parameter in self._parameters(part)):
                return self.next(part, str(refusal))
        return None

    def variations(self, reason: str) -> Iterator[RequestForm]:
        """Yield the other forms for an endpoint that names no parameter: plain ones, with fewer and other fields."""
        plain = self
        for part in (RequestPart.FORCED_CHOICE, RequestPart.THINKING, RequestPart.BUDGET):
            plain = plain.plainest(part, reason)
        if plain is not self:
            yield plain
        ranges = [range(plain.positions.get(part, 0), len(plain.forms(part))) for part in UNNAMED_ORDER]
        for chosen in list(product(*ranges))[1:]:
            yield plain.moved(dict(zip(UNNAMED_ORDER, chosen, strict=True)), reason)

    def plainest(self, part: RequestPart, reason: str) -> RequestForm:
        """Return the form that sends nothing for a part."""
        if not self._parameters(part):
            return self
        positions = {**self.positions, part: len(self.forms(part)) - 1}
        refused = {**self.refused, **dict.fromkeys(self._parameters(part), reason)}
        return replace(self, positions=positions, refused=refused)

    def moved(self, positions: Mapping[RequestPart, int], reason: str) -> RequestForm:
        """Return the form at these positions, none before the current one."""
        form = self
        for part, position in positions.items():
            while form.positions.get(part, 0) < position:
                form = form.next(part, reason) or form
        return form

    def question_body(self, model: str, question: Question) -> RequestBody:
        """Return the request body for a question. Raises QuestionRefused."""
        thinking, choice = question.thinking, self._choice_fields(question)
        limit = SCHEMA_TOKENS if "response_format" in choice else ANSWER_TOKENS
        body = self._body(model, question_messages(question), limit, thinking)
        body |= self._sampling(thinking.temperature, thinking.seed) if thinking else self._sampling(0.0, 0)
        return body | self._logprobs() | choice

    def generation_body(self, model: str, request: Request) -> RequestBody:
        """Return the request body for free text."""
        messages = chat_messages(request.text, request.system)
        body = self._body(model, messages, request.max_new_tokens, request.thinking)
        body |= self._sampling(request.temperature, request.seed)
        return body | (self._logprobs() if request.alternatives else {})

    def _logprobs(self) -> RequestBody:
        return {"logprobs": True, "top_logprobs": self.top_logprobs} if self.top_logprobs else {}

    def can_sample(self, temperature: float) -> bool:
        """Return False if the endpoint refuses a temperature that differs from its own."""
        return temperature in (0.0, DEFAULT_TEMPERATURE) or bool(self.value(RequestPart.TEMPERATURE))

    def _body(
        self, model: str, messages: Sequence[ChatMessage], new_tokens: int, thinking: Thinking | None
    ) -> RequestBody:
        limit = new_tokens + (thinking.tokens if thinking else 0)
        body: RequestBody = {"model": model, "messages": list(messages), self.value(RequestPart.TOKEN_LIMIT): limit}
        return merged(merged(body, self.value(RequestPart.THINKING)), self._thinking_fields(thinking))

    def _thinking_fields(self, thinking: Thinking | None) -> RequestBody:
        """Return effort and budget of the thinking."""
        if thinking is None:
            return {}
        fields = at_path(self.dialect.effort, thinking.effort) if thinking.effort else {}
        if not self.value(RequestPart.BUDGET) or (fields and self.dialect.effort_replaces_budget):
            return fields
        return merged(fields, at_path(self.dialect.budget, thinking.tokens))

    def _choice_fields(self, question: Question) -> RequestBody:
        """Return the fields that allow label words only. Raised letters fit one-letter labels alone."""
        labels = allowed_labels(question)
        forms = self.forms(RequestPart.FORCED_CHOICE)[self.positions.get(RequestPart.FORCED_CHOICE, 0) :]
        has_letters = question.thinking is None and all(len(label) == 1 and label.isascii() for label in labels)
        return filled(next(one for one in forms if has_letters or "LABEL_BIAS" not in one.values()), labels)

    def _sampling(self, temperature: float, seed: int) -> RequestBody:
        fields: RequestBody = {"temperature": temperature} if self.value(RequestPart.TEMPERATURE) else {}
        return fields | ({"seed": seed} if temperature > 0 and self.value(RequestPart.SEED) else {})

    def _parameters(self, part: RequestPart) -> list[str]:
        """Return the names of the parameters that the form of a part sends."""
        value = self.value(part)
        if part is RequestPart.TOKEN_LIMIT:
            return [value]
        if part is RequestPart.LOGPROBS:
            return [f"top_logprobs={value}"] if value else []
        if part is RequestPart.BUDGET:
            return [self.dialect.budget] if value else []
        if part in (RequestPart.TEMPERATURE, RequestPart.SEED):
            return [part.value] if value else []
        return list(value)


def _names(refusal: RequestRefused, parameter: str) -> bool:
    """Return True if an endpoint's refusal names a parameter. Log-probabilities have two names."""
    name = parameter.partition("=")[0].partition(".")[0]
    names = ("top_logprobs", "logprobs") if name == "top_logprobs" else (name,)
    words = [refusal.parameter] if refusal.parameter else [str(refusal)]
    return any(re.search(rf"(?<!\w){re.escape(one)}(?!\w)", text) for one in names for text in words)


def allowed_labels(question: Question) -> list[str]:
    """Return the texts that may answer a question. Raises QuestionRefused."""
    if isinstance(question, ScaleQuestion):
        return [str(score) for score in question.labels()]
    return list(label_words(question).all)


def filled(fields: Fields, labels: Sequence[str]) -> RequestBody:
    """Replace the placeholders of a forced choice by the label words."""
    return {name: _filled_value(value, labels) for name, value in fields.items()}


def _filled_value(value: Any, labels: Sequence[str]) -> Any:  # noqa: ANN401 - JSON
    if isinstance(value, Mapping):
        return filled(value, labels)
    builders: Mapping[str, Callable[[Sequence[str]], object]] = {
        "LABELS": list,
        "LABELS_REGEX": lambda words: f"({'|'.join(map(re.escape, words))})",
        "LABELS_GRAMMAR": lambda words: "root ::= " + " | ".join(map(json.dumps, words)),
        "LABELS_SCHEMA": _schema,
        "LABEL_BIAS": _bias,
    }
    return builders[value](labels) if isinstance(value, str) and value in builders else value


def _schema(labels: Sequence[str]) -> RequestBody:
    """Return a response format with one field, whose value is a label word."""
    answer = {"type": "string", "enum": list(labels)}
    schema = {"type": "object", "properties": {"answer": answer}, "required": ["answer"], "additionalProperties": False}
    return {"type": "json_schema", "json_schema": {"name": "answer", "strict": True, "schema": schema}}


def _bias(labels: Sequence[str]) -> RequestBody:
    """Raise the tokens of one-letter labels. The vocabularies of OpenAI begin with the printable ASCII characters."""
    return {str(ord(label) - ord("!")): 100 for label in labels}


def at_path(path: str, value: object) -> RequestBody:
    """Return nested fields: "a.b" becomes {"a": {"b": value}}. An empty path gives no fields."""
    if not path:
        return {}
    first, _, rest = path.partition(".")
    return {first: at_path(rest, value) if rest else value}


def merged(body: Mapping[str, Any], fields: Mapping[str, Any]) -> RequestBody:
    """Add fields to a body; objects of the same name are joined."""
    joined = dict(body)
    for name, value in fields.items():
        inner = joined.get(name)
        joined[name] = merged(inner, value) if isinstance(inner, dict) and isinstance(value, Mapping) else value
    return joined


def describe_fields(form: RequestForm, part: RequestPart) -> str:
    """Return the fields of a part as JSON; empty for none."""
    fields = form.value(part)
    return json.dumps(fields) if fields else ""
