"""Thinking before an answer: its settings, and the kinds of answers that could not be read. No torch, no Django."""

from dataclasses import dataclass
from enum import StrEnum

THINKING_TOKENS = 2048
"""Default budget of new tokens for one block of thinking."""


class ReadingProblem(StrEnum):
    """Kinds of answers with a problem. All but the first two leave an answer unparsed."""

    EMPTY_REASONING = "empty-reasoning"
    CUT_REASONING = "cut-reasoning"
    VERDICT_IN_REASONING = "verdict-in-reasoning"
    TWO_VERDICTS = "two-verdicts"
    REFUSAL = "refusal"
    NO_VERDICT = "no-verdict"
    IGNORED_PARAMETER = "ignored-parameter"
    UNKNOWN_PROBABILITY = "unknown-probability"
    OTHER_MODEL = "other-model"


FLAGS = frozenset({ReadingProblem.EMPTY_REASONING, ReadingProblem.CUT_REASONING})
"""Problems that an answered question may have too: it was read after a block of thinking without an end or a text."""


@dataclass(frozen=True, slots=True)
class Thinking:
    """Settings of a judge that thinks before it answers.

    tokens: most new tokens of the thinking. A local model's block is then closed.
    effort: the effort that an endpoint or chat template is asked for, such as "low"; empty for its default.
    reads_cut: read the answer after thinking that the budget cut or that is empty; else such an answer is unparsed.
    temperature, seed: of the thinking. 0 is greedy. A request's own temperature and seed replace them.
    """

    tokens: int = THINKING_TOKENS
    effort: str = ""
    reads_cut: bool = True
    temperature: float = 0.0
    seed: int = 0
