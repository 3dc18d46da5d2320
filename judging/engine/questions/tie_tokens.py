"""A question that offers a tie as tokens: what is given to the model, and the three labels to read. No torch."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import permutations

from judging.engine.exceptions import QuestionRefused
from judging.engine.questions.label_tokens import common_beginning
from judging.engine.questions.pair_questions import Answer
from judging.engine.questions.scale_tokens import ScalePrompt

FIRST, SECOND, TIE = range(3)


@dataclass(frozen=True, slots=True)
class VerdictPrompt(ScalePrompt):
    """A question that offers a tie in tokens. labels: those of FIRST, SECOND and TIE."""

    def answer(self, values: Sequence[float]) -> Answer:
        """The likeliest of the three, from the values of the rows' labels."""
        logprobs = self.logprobs(values)
        return Answer.from_three_logprobs(logprobs[FIRST], logprobs[SECOND], logprobs[TIE], prompt_tokens=self.tokens)


def verdict_prompt(labelled: Sequence[Sequence[int]], *, encoder_ids: Sequence[int] = ()) -> VerdictPrompt:
    """Split the tokens of the whole texts labelled first, second and tie into what all share and what tells them apart.

    Raises QuestionRefused if one is the beginning of another, or nothing comes before the labels.
    """
    texts = [tuple(ids) for ids in labelled]
    if any(other[: len(one)] == one for one, other in permutations(texts, 2)):
        raise QuestionRefused(
            "the three label words cannot be told apart: in this model's tokens one is the beginning of another; "
            "choose other label words"
        )
    shared = min(common_beginning(texts[FIRST], other) for other in texts[1:])
    if shared == 0:
        raise QuestionRefused("nothing stands before the label words, so the model has nothing to answer from")
    return VerdictPrompt(
        tuple(encoder_ids), texts[FIRST][:shared], {place: ids[shared:] for place, ids in enumerate(texts)}
    )
