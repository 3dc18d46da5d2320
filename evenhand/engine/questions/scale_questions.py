"""Questions for the score of one text, their answers, and the mean score from probabilities. No torch."""

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass

from evenhand.engine.exceptions import QuestionRefused
from evenhand.engine.questions.pair_questions import AnswerText, Question

LARGEST_SCALE = 101  # scores


@dataclass(frozen=True, slots=True)
class ScaleQuestion(Question):
    """A question whose answer is a whole number on a scale.

    label_first, label_second: the lowest and the highest score, each with the space that separates it from the
        prefix (" 1", " 10"). Every whole number between them is allowed too.
    """

    def labels(self) -> dict[int, str]:
        """Return the label word of each score, ascending. Raises QuestionRefused if the ends make no scale."""
        if not is_scale(self.label_first, self.label_second):
            raise QuestionRefused(
                f'"{self.label_first}" and "{self.label_second}" are the ends of no scale: give two whole numbers, '
                f"the lower first, and at most {LARGEST_SCALE} scores"
            )
        space = self.label_first[: -len(self.label_first.lstrip())]
        return {score: f"{space}{score}" for score in range(int(self.label_first), int(self.label_second) + 1)}


def is_scale(lowest: str, highest: str) -> bool:
    """Return True if two label words are the ends of a scale of whole numbers."""
    if not all(re.fullmatch(r" ?(0|[1-9][0-9]*)", end, re.ASCII) for end in (lowest, highest)):
        return False
    return 0 < int(highest) - int(lowest) < LARGEST_SCALE


@dataclass(frozen=True, slots=True)
class ScoreAnswer(AnswerText):
    """The answer to one question for a score: exactly one of `score`, `unparsed` and `error`.

    score: the mean of the scale, weighted with the probabilities of its scores, which sum to 1. For a judge without
        probabilities, the number in its text.
    text: the judge's text; for a judge whose probabilities are read, its likeliest score.
    score_before: score of the same question without thinking; None if it is not known.
    """

    score: float | None = None
    score_before: float | None = None

    def __post_init__(self) -> None:
        if (self.score is not None) + self.unparsed + bool(self.error) != 1:
            raise ValueError("an answer is exactly one of: score, unparsed, error")

    @classmethod
    def from_logprobs(cls, logprobs: Mapping[int, float], *, prompt_tokens: int) -> "ScoreAnswer":
        """Return the mean score from the natural log-probability of each score; an error if they are invalid."""
        likeliest = max(logprobs, key=lambda score: logprobs[score])
        if any(math.isnan(one) or one == math.inf for one in logprobs.values()) or logprobs[likeliest] == -math.inf:
            listed = ", ".join(f"{score}: {one}" for score, one in logprobs.items())
            reason = f"the model gave no probability for the scores (log-probabilities {listed})"
            return cls(error=reason, prompt_tokens=prompt_tokens)
        weights = {score: math.exp(one - logprobs[likeliest]) for score, one in logprobs.items()}
        mean = sum(score * weight for score, weight in weights.items()) / sum(weights.values())
        return cls(score=mean, text=str(likeliest), prompt_tokens=prompt_tokens)


@dataclass(frozen=True, slots=True)
class ScoreBatch:
    """Score answers in the order of the questions. computed_tokens: as in Batch."""

    answers: tuple[ScoreAnswer, ...]
    computed_tokens: int
