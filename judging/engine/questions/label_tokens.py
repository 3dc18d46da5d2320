"""Label words as tokens, and the rows of tokens that a model scores. No torch, no tokenizer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from judging.engine.exceptions import QuestionRefused
from judging.engine.questions.pair_questions import Answer
from judging.engine.questions.scale_questions import ScoreAnswer

Ids = tuple[int, ...]

_COMPARED_TOKENS = 64  # at once


class TokenisedPrompt(Protocol):
    """A question of any kind in tokens: the rows to compute, and the answer from their log-probabilities."""

    @property
    def encoder_ids(self) -> Ids:
        """Tokens of the encoder; empty for a decoder-only model."""

    @property
    def tokens(self) -> int:
        """Number of tokens before the scored ones."""

    @property
    def longest_row(self) -> int:
        """Number of tokens in the decoder's longest row."""

    def rows(self) -> tuple[TokenRow, ...]:
        """Return the rows that the decoder computes."""

    def answer(self, values: Sequence[float]) -> Answer | ScoreAnswer:
        """Return the answer. values: log-probabilities of the rows' labels, in order."""


@dataclass(frozen=True, slots=True)
class LabelledPrompt:
    """A question with two label words, in tokens.

    encoder_ids: tokens of the encoder; empty for a decoder-only model.
    given_ids: tokens of the decoder that both labelled texts share. Never empty.
    first_ids, second_ids: tokens of each label word after the shared ones. Never empty, never equal.
    """

    encoder_ids: Ids
    given_ids: Ids
    first_ids: Ids
    second_ids: Ids

    @property
    def tokens(self) -> int:
        """Number of tokens before the label word."""
        return len(self.encoder_ids) + len(self.given_ids)

    @property
    def longest_row(self) -> int:
        """Number of tokens in the decoder's longest row."""
        return len(self.given_ids) + max(len(self.first_ids), len(self.second_ids)) - 1

    def rows(self) -> tuple[TokenRow, ...]:
        """Return one row if both labels differ only in their last token, else two."""
        first = TokenRow(self.given_ids + self.first_ids[:-1], (self.first_ids,), len(self.given_ids))
        second = TokenRow(self.given_ids + self.second_ids[:-1], (self.second_ids,), len(self.given_ids))
        if first.ids == second.ids:
            return (TokenRow(first.ids, (self.first_ids, self.second_ids), len(self.given_ids)),)
        return (first, second)

    def answer(self, values: Sequence[float]) -> Answer:
        """Return the softmax of the two labels' log-probabilities, in the order of the rows."""
        first, second = values
        return Answer.from_logprobs(first, second, prompt_tokens=self.tokens)


@dataclass(frozen=True, slots=True)
class TokenRow:
    """One row of tokens for the decoder, and the labels to score in it.

    ids: tokens of the row.
    labels: the tokens of each label.
    given: number of tokens before the label. Position `given - 1` predicts the first token of a label.
    """

    ids: Ids
    labels: tuple[Ids, ...]
    given: int


def labelled_prompt(first: Sequence[int], second: Sequence[int], *, encoder_ids: Sequence[int] = ()) -> LabelledPrompt:
    """Split the tokens of two whole labelled texts into their common prefix and their labels.

    Raises QuestionRefused if one text is a prefix of the other, or if they have no common prefix.
    """
    shared = common_prefix(first, second)
    if shared in (len(first), len(second)):
        raise QuestionRefused(
            "the two label words cannot be told apart: in this model's tokens one begins with the other; "
            "choose other label words"
        )
    if shared == 0:
        raise QuestionRefused("nothing stands before the label words, so the model has nothing to continue")
    return LabelledPrompt(tuple(encoder_ids), tuple(first[:shared]), tuple(first[shared:]), tuple(second[shared:]))


def common_prefix(first: Sequence[int], second: Sequence[int]) -> int:
    """Return the length of the common prefix of two token sequences."""
    shortest, start = min(len(first), len(second)), 0
    while start < shortest and first[start : start + _COMPARED_TOKENS] == second[start : start + _COMPARED_TOKENS]:
        start += _COMPARED_TOKENS
    for position in range(start, shortest):
        if first[position] != second[position]:
            return position
    return shortest
