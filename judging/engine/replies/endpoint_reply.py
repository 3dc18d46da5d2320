"""Parsed replies of an endpoint. A reply that breaks the protocol raises MalformedReply; nothing is guessed."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from typing import Any

from judging.engine.questions.pair_questions import WrittenToken


class MalformedReply(Exception):
    """A reply breaks the chat completions protocol; the message says how."""


@dataclass(frozen=True, slots=True)
class EndpointReply:
    """One answer of a chat endpoint. Counts are 0 if the endpoint gives none.

    text: the answer; None if the model wrote none.
    tokens: the written tokens; empty if the endpoint gives no log-probabilities.
    finish_reason: the endpoint's reason to stop, for example "stop" or "length".
    model: the endpoint's own name of the model.
    refusal: the model's words if it refused.
    cached_tokens: prompt tokens that the endpoint took from its cache.
    """

    text: str | None
    tokens: tuple[WrittenToken, ...]
    finish_reason: str
    model: str
    refusal: str = ""
    prompt_tokens: int = 0
    generated_tokens: int = 0
    cached_tokens: int = 0

    @property
    def words(self) -> str:
        """The answer, or the refusal if there is no answer."""
        return self.text or self.refusal

    @property
    def empty_reason(self) -> str:
        """Reason why the reply has neither text nor refusal; empty if it has one."""
        if self.words.strip():
            return ""
        hint = "; a model that thinks first reaches no answer: switch thinking off" if self.is_cut else ""
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


def read_reply(body: bytes) -> EndpointReply:
    """Parse the body of a reply. Raises MalformedReply."""
    document = _document(body)
    choices = document.get("choices")
    if not isinstance(choices, list) or not choices or not isinstance(choices[0], dict):
        error = _public_error(document)
        raise MalformedReply(f"the endpoint's reply has no choices{f': {error}' if error else ''}")
    choice, usage = choices[0], _object(document.get("usage"))
    message = _object(choice.get("message"))
    text, refusal = message.get("content"), message.get("refusal")
    tokens = _object(choice.get("logprobs")).get("content")
    if text is not None and not isinstance(text, str):
        raise MalformedReply("the endpoint's reply has content that is not text")
    return EndpointReply(
        text=text,
        tokens=tuple(map(_token, tokens)) if isinstance(tokens, list) else (),
        finish_reason=str(choice.get("finish_reason") or ""),
        model=str(document.get("model") or ""),
        refusal=refusal if isinstance(refusal, str) else "",
        prompt_tokens=_count(usage.get("prompt_tokens")),
        generated_tokens=_count(usage.get("completion_tokens")),
        cached_tokens=_count(_object(usage.get("prompt_tokens_details")).get("cached_tokens")),
    )


def error_message(body: bytes) -> str:
    """Return the endpoint's error message; empty if it has none that can be read."""
    try:
        return _error_in(_document(body))
    except MalformedReply:
        return ""


def _public_error(document: dict[str, Any]) -> str:
    """Return the error message of a reply; empty if it mentions a key, which some endpoints quote."""
    words = _error_in(document)
    return "" if "key" in words.lower() else words


def _error_in(document: dict[str, Any]) -> str:
    error = document.get("error") or document
    words = (error.get("message") or error.get("detail")) if isinstance(error, dict) else error
    return words if isinstance(words, str) else ""


def _document(body: bytes) -> dict[str, Any]:
    try:
        document = json.loads(body)
    except (ValueError, RecursionError):
        raise MalformedReply("the endpoint's reply is not JSON") from None
    if not isinstance(document, dict):
        raise MalformedReply("the endpoint's reply is not a JSON object")
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
