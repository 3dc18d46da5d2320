"""How likely a judge is to write a text: what is asked, and the same in tokens. No torch, no tokenizer."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from judging.engine.exceptions import QuestionRefused
from judging.engine.questions.label_tokens import Ids, Row, common_beginning
from judging.engine.questions.pair_questions import Question
from judging.engine.questions.scale_questions import ScoreAnswer


@dataclass(frozen=True, slots=True)
class LikelihoodQuestion(Question):
    """A text that a judge did not write: how likely is it to write just that after the prompt?

    label_first: the text. It follows the prompt, or opens the judge's turn of a chat, with nothing put between.
    answer_prefix, label_second: empty.
    """

    def require_text(self) -> None:
        """Raises QuestionRefused where there is nothing whose likelihood could be told."""
        if not self.label_first.strip():
            raise QuestionRefused("the text is empty; there is nothing whose likelihood could be told")


@dataclass(frozen=True, slots=True)
class TextPrompt:
    """A prompt and a text after it, in tokens.

    encoder_ids: what an encoder reads; empty for a decoder-only model.
    given_ids: what the decoder is given before the text. Never empty.
    text_ids: the tokens of the text, whose probabilities are asked. Never empty.
    """

    encoder_ids: Ids
    given_ids: Ids
    text_ids: Ids

    @property
    def tokens(self) -> int:
        """Tokens given before the text."""
        return len(self.encoder_ids) + len(self.given_ids)

    @property
    def longest_row(self) -> int:
        """Tokens that the decoder runs over."""
        return len(self.given_ids) + len(self.text_ids) - 1

    def rows(self) -> tuple[Row, ...]:
        """What the decoder runs over, with the text as the one label to score in it."""
        return (Row(self.given_ids + self.text_ids[:-1], (self.text_ids,), len(self.given_ids)),)

    def answer(self, values: Sequence[float]) -> ScoreAnswer:
        """The mean log-probability of the text's tokens [Fu2023], from their sum; an error if that is no number."""
        (logprob,) = values
        if not math.isfinite(logprob):
            reason = f"the model gave no probability for the text (log-probability {logprob})"
            return ScoreAnswer(error=reason, prompt_tokens=self.tokens)
        return ScoreAnswer(score=logprob / len(self.text_ids), prompt_tokens=self.tokens)


def text_prompt(prompt: Sequence[int], whole: Sequence[int], *, encoder_ids: Sequence[int] = ()) -> TextPrompt:
    """Split the tokens of a prompt with its text into what the prompt alone has too, and the text.

    A token in which the end of the prompt and the beginning of the text have merged is the text's.
    Raises QuestionRefused if the text has no token of its own, or nothing comes before it.
    """
    shared = common_beginning(prompt, whole)
    if shared == len(whole):
        raise QuestionRefused("the text has no tokens of its own in this model; its likelihood cannot be told")
    if shared == 0:
        raise QuestionRefused("nothing stands before the text, so the model has nothing to go on from")
    return TextPrompt(tuple(encoder_ids), tuple(whole[:shared]), tuple(whole[shared:]))
