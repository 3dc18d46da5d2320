"""Questions for the likelihood of a text, as values and as tokens. No torch, no tokenizer."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from evenhand.engine.exceptions import QuestionRefused
from evenhand.engine.questions.label_tokens import Ids, TokenisedPrompt, TokenRow, common_prefix
from evenhand.engine.questions.pair_questions import Question
from evenhand.engine.questions.scale_questions import ScoreAnswer


@dataclass(frozen=True, slots=True)
class LikelihoodQuestion(Question):
    """A question for the likelihood of a given text after the prompt.

    label_first: the text. It directly follows the prompt; in a chat it begins the judge's turn.
    answer_prefix, label_second: empty.
    """

    def require_text(self) -> None:
        """Raise QuestionRefused if the text is empty."""
        if not self.label_first.strip():
            raise QuestionRefused("the text is empty, so it has no likelihood")


@dataclass(frozen=True, slots=True)
class LikelihoodPrompt(TokenisedPrompt):
    """A prompt and the text after it, in tokens. text_ids: tokens of the text, which are scored. Never empty."""

    text_ids: Ids

    def rows(self) -> tuple[TokenRow, ...]:
        """Return one row, with the text as its only label."""
        return (TokenRow(self.given_ids + self.text_ids[:-1], (self.text_ids,), len(self.given_ids)),)

    def answer(self, values: Sequence[float]) -> ScoreAnswer:
        """Return the mean log-probability of the text's tokens [Fu2023]; an error if it is not finite.

        values: one number, the sum over the tokens.
        """
        (logprob,) = values
        if not math.isfinite(logprob):
            reason = f"the model gave no probability for the text (log-probability {logprob})"
            return ScoreAnswer(error=reason, prompt_tokens=self.tokens)
        return ScoreAnswer(score=logprob / len(self.text_ids), prompt_tokens=self.tokens)


def likelihood_prompt(
    prompt: Sequence[int], whole: Sequence[int], *, encoder_ids: Sequence[int] = ()
) -> LikelihoodPrompt:
    """Split the tokens of a prompt followed by a text into prompt and text.

    prompt: tokens of the prompt alone. whole: tokens of prompt and text together.
    A token that merges the end of the prompt with the beginning of the text belongs to the text.
    Raises QuestionRefused if the text has no token of its own, or if nothing comes before it.
    """
    shared = common_prefix(prompt, whole)
    if shared == len(whole):
        raise QuestionRefused("the text has no tokens of its own in this model, so it has no likelihood")
    if shared == 0:
        raise QuestionRefused("nothing comes before the text, so the model has nothing to continue")
    return LikelihoodPrompt(tuple(encoder_ids), tuple(whole[:shared]), tuple(whole[shared:]))
