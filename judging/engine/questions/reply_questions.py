"""Questions that a judge answers with one reply: its reasoning and its verdict in one text. No torch."""

from __future__ import annotations

from dataclasses import dataclass, field

from judging.engine.questions.pair_questions import Question
from judging.engine.questions.verdict_patterns import VerdictPattern

REPLY_TOKENS = 512
"""Default limit on the new tokens of a reply."""


@dataclass(frozen=True, slots=True)
class ReplyQuestion(Question):
    """A question whose reply holds the verdict in the form of a pattern. answer_prefix is empty.

    max_new_tokens: limit of the reply.
    temperature, seed: of the reply, as in Request.
    asks_reasoning: True if the reply shall contain reasoning, so that a reply without it is marked.
    """

    pattern: VerdictPattern = field(kw_only=True)
    max_new_tokens: int = REPLY_TOKENS
    asks_reasoning: bool = False
    temperature: float = 0.0
    seed: int = 0
