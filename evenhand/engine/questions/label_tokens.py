"""Label words as tokens, and the rows of tokens that a model scores. No torch, no tokenizer."""

import math
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import permutations

from evenhand.engine.exceptions import QuestionRefused
from evenhand.engine.questions.pair_questions import Answer
from evenhand.engine.questions.scale_questions import ScoreAnswer

Ids = tuple[int, ...]

FIRST, SECOND, TIE = range(3)
_COMPARED_TOKENS = 64  # at once


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


@dataclass(frozen=True, slots=True)
class TokenisedPrompt(ABC):
    """A question of any kind in tokens: the rows to compute, and the answer from their log-probabilities.

    encoder_ids: tokens of the encoder; empty for a decoder-only model.
    given_ids: tokens of the decoder that all labelled texts share. Never empty.
    """

    encoder_ids: Ids
    given_ids: Ids

    @property
    def tokens(self) -> int:
        """Number of tokens before the scored ones."""
        return len(self.encoder_ids) + len(self.given_ids)

    @property
    def longest_part(self) -> int:
        """Number of tokens that must fit into the window of the model, or of its encoder or decoder."""
        return max(len(self.encoder_ids), *(len(row.ids) for row in self.rows()))

    @abstractmethod
    def rows(self) -> tuple[TokenRow, ...]:
        """Return the rows that the decoder computes."""

    @abstractmethod
    def answer(self, values: Sequence[float]) -> Answer | ScoreAnswer:
        """Return the answer. values: log-probabilities of the rows' labels, in order."""


@dataclass(frozen=True, slots=True)
class LabelledPrompt(TokenisedPrompt):
    """A question with two label words, in tokens.

    first_ids, second_ids: tokens of each label word after the shared ones. Never empty, never equal.
    """

    first_ids: Ids
    second_ids: Ids

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
class ReplyPrompt(TokenisedPrompt):
    """A prompt after which the judge writes a reply, in tokens. It can be counted, not scored."""

    def rows(self) -> tuple[TokenRow, ...]:
        return (TokenRow(self.given_ids, (), len(self.given_ids)),)

    def answer(self, values: Sequence[float]) -> Answer:
        raise TypeError("a reply is written, not scored")


@dataclass(frozen=True, slots=True)
class ScalePrompt(TokenisedPrompt):
    """A question for a score in tokens.

    labels: score -> its tokens after the shared ones. Never empty, no two equal; one may be a prefix of another.
    """

    labels: Mapping[int, Ids]

    def rows(self) -> tuple[TokenRow, ...]:
        """Return the rows of the decoder. A label shares a longer label's row if its tokens before the last match."""
        heads: dict[Ids, list[Ids]] = {}
        for label in sorted(self.labels.values(), key=len, reverse=True):
            head = next((known for known in heads if known[: len(label) - 1] == label[:-1]), label[:-1])
            heads.setdefault(head, []).append(label)
        given = len(self.given_ids)
        return tuple(TokenRow(self.given_ids + head, tuple(labels), given) for head, labels in heads.items())

    def logprobs(self, values: Sequence[float]) -> dict[int, float]:
        """Return the log-probability of each score, from the values of the rows' labels.

        A model that writes 10 as two tokens begins both 1 and 10 with the token 1. The probability of 10 is
        subtracted from that of 1, so that no probability counts twice.
        """
        value_of = dict(zip((label for row in self.rows() for label in row.labels), values, strict=True))
        return {
            score: _subtract(
                value_of[label], [value_of[longer] for longer in value_of if _extends(label, longer, value_of)]
            )
            for score, label in self.labels.items()
        }

    def answer(self, values: Sequence[float]) -> Answer | ScoreAnswer:
        """Return the mean score, from the values of the rows' labels."""
        return ScoreAnswer.from_logprobs(self.logprobs(values), prompt_tokens=self.tokens)


@dataclass(frozen=True, slots=True)
class TiePrompt(ScalePrompt):
    """A question with a tie in tokens. labels: tokens of FIRST, SECOND and TIE."""

    def answer(self, values: Sequence[float]) -> Answer:
        """Return the likeliest of the three label words, from the values of the rows' labels."""
        logprobs = self.logprobs(values)
        return Answer.from_three_logprobs(logprobs[FIRST], logprobs[SECOND], logprobs[TIE], prompt_tokens=self.tokens)


def labelled_prompt(texts: Sequence[Sequence[int]], *, encoder_ids: Sequence[int] = ()) -> LabelledPrompt | TiePrompt:
    """Split the tokens of whole labelled texts into their common prefix and their labels.

    texts: tokens of the prompt with each label word: first, second, and the tie if there is one.
    Raises QuestionRefused if one text is a prefix of another, or if nothing comes before the labels.
    """
    whole = [tuple(text) for text in texts]
    if any(other[: len(one)] == one for one, other in permutations(whole, 2)):
        raise QuestionRefused(
            "the label words cannot be distinguished: in this model's tokens one begins with another; "
            "choose other label words"
        )
    given, labels = _split(whole, "the label words")
    if len(labels) == 2:
        return LabelledPrompt(tuple(encoder_ids), given, *labels)
    return TiePrompt(tuple(encoder_ids), given, dict(enumerate(labels)))


def scale_prompt(labelled: Mapping[int, Sequence[int]], *, encoder_ids: Sequence[int] = ()) -> ScalePrompt:
    """Split the tokens of the whole labelled texts into their common prefix and the labels.

    labelled: score -> tokens of the prompt with that score.
    Raises QuestionRefused if two scores have the same tokens, or if nothing comes before them.
    """
    given, labels = _split([tuple(ids) for ids in labelled.values()], "the scores")
    if len(set(labels)) < len(labels) or not all(labels):
        raise QuestionRefused(
            f"the scores {min(labelled)} to {max(labelled)} cannot be distinguished: some have the "
            "same tokens, perhaps because the tokenizer has no digits; choose another judge"
        )
    return ScalePrompt(tuple(encoder_ids), given, dict(zip(labelled, labels, strict=True)))


def _split(texts: Sequence[Ids], scored: str) -> tuple[Ids, list[Ids]]:
    """Split texts into their common prefix and the rest of each. Raises QuestionRefused if the prefix is empty."""
    shared = common_prefix(min(texts), max(texts))
    if shared == 0:
        raise QuestionRefused(f"nothing comes before {scored}, so the model has nothing to continue")
    return texts[0][:shared], [text[shared:] for text in texts]


def common_prefix(first: Sequence[int], second: Sequence[int]) -> int:
    """Return the length of the common prefix of two token sequences."""
    shortest, start = min(len(first), len(second)), 0
    while start < shortest and first[start : start + _COMPARED_TOKENS] == second[start : start + _COMPARED_TOKENS]:
        start += _COMPARED_TOKENS
    for position in range(start, shortest):
        if first[position] != second[position]:
            return position
    return shortest


def _extends(label: Ids, longer: Ids, labels: Mapping[Ids, float]) -> bool:
    """Return True if `label` is the longest label that is a proper prefix of `longer`."""
    beginnings = [one for one in labels if len(one) < len(longer) and longer[: len(one)] == one]
    return bool(beginnings) and max(beginnings, key=len) == label


def _subtract(logprob: float, parts: Sequence[float]) -> float:
    """Return the log of a probability minus the probabilities of its parts."""
    rest = 1.0 - sum(math.exp(part - logprob) for part in parts) if parts and logprob > -math.inf else 1.0
    return logprob + math.log(rest) if rest > 0 else -math.inf
