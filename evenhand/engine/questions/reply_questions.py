"""Questions answered with one reply of reasoning and verdict, and questions to a decision model. No torch."""

from dataclasses import dataclass, field

from evenhand.engine.questions.pair_questions import Question, Request, text_seed
from evenhand.engine.questions.verdict_patterns import VerdictPattern

REPLY_TOKENS = 512
"""Default limit on the new tokens of a reply."""


@dataclass(frozen=True, slots=True)
class ReplyQuestion(Question):
    """A question whose reply holds the verdict in the form of a pattern. answer_prefix is empty.

    max_new_tokens: limit of the reply.
    temperature: of the reply; 0 is greedy. seed: the run's, from which the seed of the reply is made.
    asks_reasoning: True if the reply shall contain reasoning, so that a reply without it is marked.
    """

    pattern: VerdictPattern = field(kw_only=True)
    max_new_tokens: int = REPLY_TOKENS
    asks_reasoning: bool = False
    temperature: float = 0.0
    seed: int = 0


def reply_request(question: ReplyQuestion) -> Request:
    """Return the request for the reply to a question."""
    return Request(
        question.text,
        question.system,
        question.max_new_tokens,
        temperature=question.temperature,
        seed=text_seed(question.seed, question.system, question.text) if question.temperature > 0 else 0,
        thinking=question.thinking,
        alternatives=True,
    )


@dataclass(frozen=True, slots=True)
class DecisionQuestion(Question):
    """A question that a decision model answers with the probabilities of two choices. It writes nothing.

    state: the beginning of the text, which several questions share. label_first, label_second: the two choices.
    answer_prefix: empty.
    """

    state: str = field(kw_only=True)

    @property
    def instructions(self) -> str:
        """The text after the state."""
        return self.text.removeprefix(self.state).strip()
