"""Parsed replies of an endpoint. A reply that breaks the protocol raises MalformedReply; nothing is guessed."""

import json
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from evenhand.engine.questions.pair_questions import WrittenToken
from evenhand.engine.replies.reasoning_blocks import read_content_parts, split_reasoning, tokens_of_text

REASONING_FIELDS = ("reasoning_content", "reasoning")
"""Fields of a reply's message that may hold the reasoning."""


class MalformedReply(Exception):
    """A reply breaks the chat completions protocol; the message says how."""


class BrokenReply(MalformedReply):
    """A reply is no JSON object, or has no choices: it was cut on its way, or something else answered."""


@dataclass(frozen=True, slots=True)
class EndpointReply:
    """One answer of a chat endpoint. Counts are 0 if the endpoint gives none.

    text: the answer, without the reasoning; None if the model wrote none.
    tokens: the tokens of the answer; empty if the endpoint gives no log-probabilities.
    finish_reason: the endpoint's reason to stop, for example "stop" or "length".
    model: the endpoint's own name of the model.
    refusal: the model's words if it refused.
    cached_tokens: prompt tokens that the endpoint took from its cache.
    reasoning: text that the model wrote before its answer; empty if it wrote or showed none.
    reasoning_tokens: tokens of the reasoning; None if the endpoint does not count them.
    """

    text: str | None
    tokens: tuple[WrittenToken, ...]
    finish_reason: str
    model: str
    refusal: str = ""
    prompt_tokens: int = 0
    generated_tokens: int = 0
    cached_tokens: int = 0
    reasoning: str = ""
    reasoning_tokens: int | None = None

    @property
    def has_thought(self) -> bool:
        """True if the model reasoned before its answer, shown or hidden."""
        return bool(self.reasoning or self.reasoning_tokens)

    @property
    def thinking_tokens(self) -> int:
        """Tokens of the reasoning. Where the endpoint does not count them, all written tokens but the answer's."""
        if self.reasoning_tokens is not None:
            return self.reasoning_tokens
        return max(0, self.generated_tokens - len(self.tokens)) if self.reasoning else 0

    @property
    def words(self) -> str:
        """The answer, or the refusal if there is no answer."""
        return self.text or self.refusal

    @property
    def empty_reason(self) -> str:
        """Reason why the reply has neither text nor refusal; empty if it has one."""
        if self.words.strip():
            return ""
        hint = "; a model that thinks first reaches no answer in so few tokens" if self.is_cut else ""
        return f"the endpoint gave no text: {self.finish_reason or 'no reason given'}{hint}"

    def require_text(self) -> None:
        """Raise MalformedReply if nothing was written."""
        if self.empty_reason:
            raise MalformedReply(self.empty_reason)

    @property
    def is_cut(self) -> bool:
        """True if the model was stopped at its limit of new tokens."""
        return self.finish_reason == "length"

    @property
    def computed_tokens(self) -> int:
        return max(0, self.prompt_tokens - self.cached_tokens) + self.generated_tokens


def read_reply(body: bytes, reasoning_fields: Sequence[str] = REASONING_FIELDS) -> EndpointReply:
    """Parse the body of a reply. Raises MalformedReply."""
    return reply_of(_document(body), reasoning_fields)


def reply_of(document: dict[str, Any], reasoning_fields: Sequence[str] = REASONING_FIELDS) -> EndpointReply:
    """Read a reply from its JSON object. Raises MalformedReply."""
    choices = document.get("choices")
    if not isinstance(choices, list) or not choices or not isinstance(choices[0], dict):
        error = _public_error(document)
        raise BrokenReply(f"the endpoint's reply has no choices{f': {error}' if error else ''}")
    choice, usage = choices[0], _object(document.get("usage"))
    message = _object(choice.get("message"))
    reasoning, text = _texts(message, reasoning_fields)
    refusal = message.get("refusal")
    return EndpointReply(
        text=text,
        tokens=_tokens(choice, text, has_reasoning=bool(reasoning)),
        finish_reason=str(choice.get("finish_reason") or ""),
        model=str(document.get("model") or ""),
        refusal=refusal if isinstance(refusal, str) else "",
        prompt_tokens=_count(usage.get("prompt_tokens")),
        generated_tokens=_count(usage.get("completion_tokens")),
        cached_tokens=_count(_object(usage.get("prompt_tokens_details")).get("cached_tokens")),
        reasoning=reasoning,
        reasoning_tokens=_reasoning_count(usage),
    )


def _texts(message: dict[str, Any], reasoning_fields: Sequence[str]) -> tuple[str, str | None]:
    """Return reasoning and text of a message. Raises MalformedReply for content that is not text."""
    content = message.get("content")
    if isinstance(content, list) and all(isinstance(part, dict) for part in content):
        return read_content_parts(content)
    if content is not None and not isinstance(content, str):
        raise MalformedReply("the endpoint's reply has content that is not text")
    fields = (message.get(name) for name in reasoning_fields)
    separate = next((value for value in fields if isinstance(value, str) and value.strip()), "")
    inside, text = split_reasoning(content) if content is not None else ("", None)
    return (separate or inside).strip(), text


def _tokens(choice: dict[str, Any], text: str | None, *, has_reasoning: bool) -> tuple[WrittenToken, ...]:
    """Return the tokens of the text. An endpoint may list those of the reasoning before them."""
    listed = _object(choice.get("logprobs")).get("content")
    tokens = tuple(map(_token, listed)) if isinstance(listed, list) else ()
    return tokens[tokens_of_text([token.text for token in tokens], text or "") :] if has_reasoning else tokens


def _reasoning_count(usage: dict[str, Any]) -> int | None:
    details = _object(usage.get("completion_tokens_details"))
    return _count(details["reasoning_tokens"]) if isinstance(details.get("reasoning_tokens"), int) else None


def error_message(body: bytes) -> str:
    """Return the endpoint's error message; empty if it has none that can be read."""
    try:
        return _error_in(_document(body))
    except MalformedReply:
        return ""


def error_parameter(body: bytes) -> str:
    """Return the field of the request that an endpoint names as the cause of an error; empty if it names none."""
    try:
        document = _document(body)
    except MalformedReply:
        return ""
    error = document.get("error")
    parameter = error.get("param") if isinstance(error, dict) else document.get("param")
    return parameter if isinstance(parameter, str) else _validated_field(document.get("detail"))


def _validated_field(detail: object) -> str:
    """Return the field in FastAPI's report of an invalid request: [{"loc": ["body", "temperature"], …}]."""
    first = detail[0] if isinstance(detail, list) and detail else None
    location = first.get("loc") if isinstance(first, dict) else None
    return str(location[1]) if isinstance(location, list) and len(location) > 1 else ""


def _public_error(document: dict[str, Any]) -> str:
    """Return the error message of a reply; empty if it mentions a key, which some endpoints quote."""
    words = _error_in(document)
    return "" if "key" in words.lower() else words


def _error_in(document: dict[str, Any]) -> str:
    error = document.get("error") or document
    words = (error.get("message") or error.get("detail")) if isinstance(error, dict) else error
    return words if isinstance(words, str) else json.dumps(words) if isinstance(words, list) else ""


def json_object(content: bytes) -> dict[str, Any]:
    """Read a JSON object. Raises MalformedReply."""
    try:
        document = json.loads(content)
    except (ValueError, RecursionError):
        document = None
    if not isinstance(document, dict):
        raise MalformedReply("the endpoint's reply is not a JSON object")
    return document


def _document(body: bytes) -> dict[str, Any]:
    try:
        document = json.loads(body)
    except (ValueError, RecursionError):
        raise BrokenReply("the endpoint's reply is not JSON") from None
    if not isinstance(document, dict):
        raise BrokenReply("the endpoint's reply is not a JSON object")
    return document


def _object(value: object) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _count(value: object) -> int:
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else 0


def _token(item: object) -> WrittenToken:
    """Read one position. The written token joins the alternatives if the endpoint lists it separately."""
    text, logprob = _pair(item)
    listed = _object(item).get("top_logprobs") or []
    if not isinstance(listed, list):
        raise MalformedReply("the endpoint's top_logprobs are not a list")
    pairs = [_pair(alternative) for alternative in listed]
    if text not in [token for token, _ in pairs]:
        pairs.append((text, logprob))
    return WrittenToken(text, tuple(pair for pair in pairs if pair[1] > -math.inf))


def _pair(item: object) -> tuple[str, float]:
    token, logprob = _object(item).get("token"), _object(item).get("logprob")
    if not isinstance(token, str) or not isinstance(logprob, int | float) or isinstance(logprob, bool):
        raise MalformedReply("the endpoint's log-probabilities lack a token or a number")
    if math.isnan(logprob) or logprob > 1e-3:
        raise MalformedReply(f"the endpoint gives {logprob} as a log-probability")
    return token, float(logprob)
