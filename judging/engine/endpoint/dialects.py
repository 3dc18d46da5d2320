"""Dialects of the chat completions protocol: the fields in which OpenAI-compatible endpoints differ.

To add a dialect, add a record to DIALECTS here, and its field to `Dialect` if that is new. The engine tries the
records in order when it loads. A reply with another shape is read in judging/engine/replies/endpoint_reply.py.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from judging.engine.endpoint.chat_messages import ChatMessage, chat_messages, question_messages
from judging.engine.questions.pair_questions import ANSWER_TOKENS, Question, Request

RequestBody = dict[str, object]


@dataclass(frozen=True, slots=True)
class Dialect:
    """The request fields that one kind of endpoint accepts.

    top_logprobs: alternatives requested at each token; 0 for an endpoint that gives no log-probabilities.
    token_limit_field: the endpoint's name for the limit on new tokens.
    """

    top_logprobs: int
    token_limit_field: str

    def without_logprobs(self) -> Dialect:
        """Return the same dialect for an endpoint that accepts the fields, and gives no log-probabilities."""
        return replace(self, top_logprobs=0)

    def question_body(self, model: str, question: Question) -> RequestBody:
        """Return the request body for a question. Raises QuestionRefused."""
        logprobs = {"logprobs": True, "top_logprobs": self.top_logprobs} if self.top_logprobs else {}
        return self._body(model, question_messages(question), ANSWER_TOKENS, 0.0) | logprobs

    def generation_body(self, model: str, request: Request) -> RequestBody:
        """Return the request body for free text."""
        messages = chat_messages(request.text, request.system)
        body = self._body(model, messages, request.max_new_tokens, request.temperature)
        return body | ({"seed": request.seed} if request.temperature > 0 else {})

    def _body(self, model: str, messages: list[ChatMessage], max_new_tokens: int, temperature: float) -> RequestBody:
        return {
            "model": model,
            "messages": messages,
            self.token_limit_field: max_new_tokens,
            "temperature": temperature,
        }


# Hosts differ in how many alternatives they give, and newer models in the name of the limit.
DIALECTS = tuple(
    Dialect(top_logprobs, limit) for limit in ("max_tokens", "max_completion_tokens") for top_logprobs in (20, 5, 0)
)
