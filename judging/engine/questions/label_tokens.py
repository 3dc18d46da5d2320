"""Label words as tokens: what is given to the model, and what is scored. No torch, no tokenizer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from judging.engine.exceptions import QuestionRefused
from judging.engine.questions.pair_questions import Answer
from judging.engine.questions.scale_questions import ScoreAnswer

Ids = tuple[int, ...]

_PIECE = 64  # tokens compared at once


class TokenisedPrompt(Protocol):
    """A question in tokens, of any kind: what the model runs over, and how its numbers become an answer."""

    @property
    def encoder_ids(self) -> Ids:
        """Tokens that an encoder reads; empty for a decoder-only model."""

    @property
    def tokens(self) -> int:
        """Tokens given before what is scored."""

    @property
    def longest_row(self) -> int:
        """Tokens of the longest row that the decoder runs over."""

    def rows(self) -> tuple[Row, ...]:
        """Rows that the decoder runs over."""

    def answer(self, values: Sequence[float]) -> Answer | ScoreAnswer:
        """The answer. values: log-probabilities of the rows' labels, in order."""


@dataclass(frozen=True, slots=True)
class LabelledPrompt:
    """A question in tokens.

    encoder_ids: what an encoder reads; empty for a decoder-only model.
    given_ids: what the decoder is given: the tokens that the two labelled texts share. Never empty.
    first_ids, second_ids: the tokens after them, whose probabilities are the labels'. Never empty, never equal.
    """

    encoder_ids: Ids
    given_ids: Ids
    first_ids: Ids
    second_ids: Ids

    @property
    def tokens(self) -> int:
        """Tokens given before the label word."""
        return len(self.encoder_ids) + len(self.given_ids)

    @property
    def longest_row(self) -> int:
        """Tokens of the longest row that the decoder runs over."""
        return len(self.given_ids) + max(len(self.first_ids), len(self.second_ids)) - 1

    def rows(self) -> tuple[Row, ...]:
        """What the decoder runs over: one row where both labels need the same tokens before their last, else two."""
        first = Row(self.given_ids + self.first_ids[:-1], (self.first_ids,), len(self.given_ids))
        second = Row(self.given_ids + self.second_ids[:-1], (self.second_ids,), len(self.given_ids))
        if first.ids == second.ids:
            return (Row(first.ids, (self.first_ids, self.second_ids), len(self.given_ids)),)
        return (first, second)

    def answer(self, values: Sequence[float]) -> Answer:
        """The softmax of the two labels' log-probabilities, in the order of the rows."""
        first, second = values
        return Answer.from_logprobs(first, second, prompt_tokens=self.tokens)


@dataclass(frozen=True, slots=True)
class Row:
    """Tokens to run over, and the labels to score in them.

    labels: each the tokens of one label. given: number of tokens before the label, so that the first token of a label
    is predicted at position `given - 1`.
    """

    ids: Ids
    labels: tuple[Ids, ...]
    given: int


def labelled_prompt(first: Sequence[int], second: Sequence[int], *, encoder_ids: Sequence[int] = ()) -> LabelledPrompt:
    """Split the tokens of the two whole labelled texts into what they share and what tells them apart.

    Raises QuestionRefused if one is the beginning of the other, or nothing comes before the labels.
    """
    shared = common_beginning(first, second)
    if shared in (len(first), len(second)):
        raise QuestionRefused(
            "the two label words cannot be told apart: in this model's tokens one is the beginning of the other; "
            "choose other label words"
        )
    if shared == 0:
        raise QuestionRefused("nothing stands before the label words, so the model has nothing to answer from")
    return LabelledPrompt(tuple(encoder_ids), tuple(first[:shared]), tuple(first[shared:]), tuple(second[shared:]))


def common_beginning(first: Sequence[int], second: Sequence[int]) -> int:
    """How many tokens two texts share at their beginning."""
    shortest, place = min(len(first), len(second)), 0
    while place < shortest and first[place : place + _PIECE] == second[place : place + _PIECE]:
        place += _PIECE
    for position in range(place, shortest):
        if first[position] != second[position]:
            return position
    return shortest
