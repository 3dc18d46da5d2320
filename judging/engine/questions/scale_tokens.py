"""Questions for a score as tokens, and the log-probability of each score. No torch, no tokenizer."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from judging.engine.exceptions import QuestionRefused
from judging.engine.questions.label_tokens import Ids, TokenRow
from judging.engine.questions.pair_questions import Answer
from judging.engine.questions.scale_questions import ScoreAnswer


@dataclass(frozen=True, slots=True)
class ScalePrompt:
    """A question for a score in tokens.

    encoder_ids: tokens of the encoder; empty for a decoder-only model.
    given_ids: tokens of the decoder that all labelled texts share. Never empty.
    labels: score -> its tokens after the shared ones. Never empty, no two equal; one may be a prefix of another.
    """

    encoder_ids: Ids
    given_ids: Ids
    labels: Mapping[int, Ids]

    @property
    def tokens(self) -> int:
        """Number of tokens before the score."""
        return len(self.encoder_ids) + len(self.given_ids)

    @property
    def longest_row(self) -> int:
        """Number of tokens in the decoder's longest row."""
        return max(len(row.ids) for row in self.rows())

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


def scale_prompt(labelled: Mapping[int, Sequence[int]], *, encoder_ids: Sequence[int] = ()) -> ScalePrompt:
    """Split the tokens of the whole labelled texts into their common prefix and the labels.

    labelled: score -> tokens of the prompt with that score.
    Raises QuestionRefused if two scores have the same tokens, or if nothing comes before them.
    """
    texts = {score: tuple(ids) for score, ids in labelled.items()}
    shared = _common_prefix(list(texts.values()))
    labels = {score: ids[shared:] for score, ids in texts.items()}
    if len(set(labels.values())) < len(labels) or not all(labels.values()):
        raise QuestionRefused(
            f"the scores {min(labels)} to {max(labels)} cannot be told apart: in this model's tokens some are the "
            "same, perhaps because it knows no digits; choose another judge"
        )
    if shared == 0:
        raise QuestionRefused("nothing stands before the scores, so the model has nothing to continue")
    return ScalePrompt(tuple(encoder_ids), next(iter(texts.values()))[:shared], labels)


def _common_prefix(texts: Sequence[Ids]) -> int:
    """Return the length of the common prefix of all texts: that of the first and last in sorted order."""
    first, last = min(texts), max(texts)
    same = (one == other for one, other in zip(first, last, strict=False))
    return next((position for position, agrees in enumerate(same) if not agrees), min(len(first), len(last)))


def _extends(label: Ids, longer: Ids, labels: Mapping[Ids, float]) -> bool:
    """Return True if `label` is the longest label that is a proper prefix of `longer`."""
    beginnings = [one for one in labels if len(one) < len(longer) and longer[: len(one)] == one]
    return bool(beginnings) and max(beginnings, key=len) == label


def _subtract(logprob: float, parts: Sequence[float]) -> float:
    """Return the log of a probability minus the probabilities of its parts."""
    rest = 1.0 - sum(math.exp(part - logprob) for part in parts) if parts and logprob > -math.inf else 1.0
    return logprob + math.log(rest) if rest > 0 else -math.inf
