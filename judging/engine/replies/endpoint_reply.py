"""What an endpoint sends back, as values. Whatever is not as the protocol says is Malformed, never guessed."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from typing import Any

Alternatives = tuple[tuple[str, float], ...]


class Malformed(Exception):
    """A reply that is not what the protocol promises; the message says in which way."""


@dataclass(frozen=True, slots=True)
class WrittenToken:
    """A token that the model wrote. alternatives: (token, natural log-probability), itself among them, finite."""

    text: str
    alternatives: Alternatives


@dataclass(frozen=True, slots=True)
class Reply:
    """One answer of a chat endpoint.

    text: None where it wrote none. tokens: empty where it gives no log-probabilities. refusal: its words where it
    refuses. cached_tokens: of the prompt's, those it did not compute anew. Counts are 0 where it gives none.
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
    def nothing_written(self) -> str:
        """Why there is no text, not even a refusal; empty where there is one."""
        if (self.text or self.refusal).strip():
            return ""
        thought = "; a model that thinks first comes to no answer: switch its thinking off" if self.is_cut else ""
        return f"the endpoint gave no text: {self.finish_reason or 'no reason told'}{thought}"

    def require_text(self) -> None:
        """Raises Malformed where nothing was written."""
        if self.nothing_written:
            raise Malformed(self.nothing_written)

    @property
    def is_cut(self) -> bool:
        """Whether the model was stopped at the most tokens that it may write."""
        return self.finish_reason == "length"

    @property
    def computed_tokens(self) -> int:
        return max(0, self.prompt_tokens - self.cached_tokens) + self.generated_tokens


def read_reply(body: bytes) -> Reply:
    """Raises Malformed."""
    document = _document(body)
    choices = document.get("choices")
    if not isinstance(choices, list) or not choices or not isinstance(choices[0], dict):
        told = _told_instead(document)
        raise Malformed(f"the endpoint's reply has no choices{f': {told}' if told else ''}")
    choice, usage = choices[0], _object(document.get("usage"))
    message = _object(choice.get("message"))
    text, refusal = message.get("content"), message.get("refusal")
    if text is not None and not isinstance(text, str):
        raise Malformed("the endpoint's reply has a content that is no text")
    return Reply(
        text=text,
        tokens=_tokens(_object(choice.get("logprobs")).get("content")),
        finish_reason=str(choice.get("finish_reason") or ""),
        model=str(document.get("model") or ""),
        refusal=refusal if isinstance(refusal, str) else "",
        prompt_tokens=_count(usage.get("prompt_tokens")),
        generated_tokens=_count(usage.get("completion_tokens")),
        cached_tokens=_count(_object(usage.get("prompt_tokens_details")).get("cached_tokens")),
    )


def error_message(body: bytes) -> str:
    """The endpoint's own words for what is wrong; empty where it has none that can be read."""
    try:
        return _error_in(_document(body))
    except Malformed:
        return ""


def _told_instead(document: dict[str, Any]) -> str:
    """What a reply says that has an error in it; nothing of a refused key, which some endpoints quote."""
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
        raise Malformed("the endpoint's reply is no JSON") from None
    if not isinstance(document, dict):
        raise Malformed("the endpoint's reply is no JSON object")
    return document


def _object(value: object) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _count(value: object) -> int:
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else 0


def _tokens(content: object) -> tuple[WrittenToken, ...]:
    return tuple(_token(item) for item in content) if isinstance(content, list) else ()


def _token(item: object) -> WrittenToken:
    """The alternatives of a position; the token written there is among them even where the endpoint lists it apart."""
    text, logprob = _pair(item)
    listed = _object(item).get("top_logprobs") or []
    if not isinstance(listed, list):
        raise Malformed("the endpoint's top_logprobs are no list")
    pairs = [_pair(alternative) for alternative in listed]
    if text not in [token for token, _ in pairs]:
        pairs.append((text, logprob))
    return WrittenToken(text, tuple(pair for pair in pairs if pair[1] > -math.inf))


def _pair(item: object) -> tuple[str, float]:
    token, logprob = _object(item).get("token"), _object(item).get("logprob")
    if not isinstance(token, str) or not isinstance(logprob, int | float) or isinstance(logprob, bool):
        raise Malformed("the endpoint's log-probabilities lack a token or a number")
    if math.isnan(logprob) or logprob > 1e-3:
        raise Malformed(f"the endpoint gives {logprob} as the logarithm of a probability")
    return token, float(logprob)
