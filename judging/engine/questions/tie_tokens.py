"""Questions with a third label word, for a tie, as tokens. No torch, no tokenizer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import permutations

from judging.engine.exceptions import QuestionRefused
from judging.engine.questions.label_tokens import common_prefix
from judging.engine.questions.pair_questions import Answer
from judging.engine.questions.scale_tokens import ScalePrompt

FIRST, SECOND, TIE = range(3)


@dataclass(frozen=True, slots=True)
class TiePrompt(ScalePrompt):
    """A question with a tie in tokens. labels: tokens of FIRST, SECOND and TIE."""

    def answer(self, values: Sequence[float]) -> Answer:
        """Return the likeliest of the three label words, from the values of the rows' labels."""
        logprobs = self.logprobs(values)
        return Answer.from_three_logprobs(logprobs[FIRST], logprobs[SECOND], logprobs[TIE], prompt_tokens=self.tokens)


def tie_prompt(labelled: Sequence[Sequence[int]], *, encoder_ids: Sequence[int] = ()) -> TiePrompt:
    """Split the tokens of three whole labelled texts into their common prefix and the labels.

    labelled: tokens of the prompt with the label words first, second and tie, in this order.
    Raises QuestionRefused if one text is a prefix of another, or if nothing comes before the labels.
    """
    texts = [tuple(ids) for ids in labelled]
    if any(other[: len(one)] == one for one, other in permutations(texts, 2)):
        raise QuestionRefused(
            "the three label words cannot be told apart: in this model's tokens one begins with another; "
            "choose other label words"
        )
    shared = min(common_prefix(texts[FIRST], other) for other in texts[1:])
    if shared == 0:
        raise QuestionRefused("nothing stands before the label words, so the model has nothing to continue")
    return TiePrompt(
        tuple(encoder_ids), texts[FIRST][:shared], {label: ids[shared:] for label, ids in enumerate(texts)}
    )
