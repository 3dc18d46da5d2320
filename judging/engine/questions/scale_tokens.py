"""A question for a score as tokens: what is given to the model, and the scores to read. No torch, no tokenizer."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from judging.engine.exceptions import QuestionRefused
from judging.engine.questions.label_tokens import Ids, Row
from judging.engine.questions.pair_questions import Answer
from judging.engine.questions.scale_questions import ScoreAnswer


@dataclass(frozen=True, slots=True)
class ScalePrompt:
    """A question for a score in tokens.

    encoder_ids: what an encoder reads; empty for a decoder-only model.
    given_ids: what the decoder is given: the tokens that all labelled texts share. Never empty.
    labels: of each score the tokens after them; never empty, no two equal, but one may be the beginning of another.
    """

    encoder_ids: Ids
    given_ids: Ids
    labels: Mapping[int, Ids]

    @property
    def tokens(self) -> int:
        """Tokens given before the score."""
        return len(self.encoder_ids) + len(self.given_ids)

    @property
    def longest_row(self) -> int:
        """Tokens of the longest row that the decoder runs over."""
        return max(len(row.ids) for row in self.rows())

    def rows(self) -> tuple[Row, ...]:
        """What the decoder runs over: labels that need the same tokens before their last, or fewer, share a row."""
        heads: dict[Ids, list[Ids]] = {}
        for label in sorted(self.labels.values(), key=len, reverse=True):
            head = next((known for known in heads if known[: len(label) - 1] == label[:-1]), label[:-1])
            heads.setdefault(head, []).append(label)
        given = len(self.given_ids)
        return tuple(Row(self.given_ids + head, tuple(labels), given) for head, labels in heads.items())

    def logprobs(self, values: Sequence[float]) -> dict[int, float]:
        """score -> log-probability of its tokens going on to no longer score, from the values of the rows' labels.

        Where a model writes 10 as 1 and 0, its 1 is the beginning of both: what goes on to 10 is no 1. So no
        probability counts twice.
        """
        found = dict(zip((label for row in self.rows() for label in row.labels), values, strict=True))
        return {
            score: _without(found[label], [found[longer] for longer in found if _next_longer(label, longer, found)])
            for score, label in self.labels.items()
        }

    def answer(self, values: Sequence[float]) -> Answer | ScoreAnswer:
        """The mean score, from the values of the rows' labels."""
        return ScoreAnswer.from_logprobs(self.logprobs(values), prompt_tokens=self.tokens)


def scale_prompt(labelled: Mapping[int, Sequence[int]], *, encoder_ids: Sequence[int] = ()) -> ScalePrompt:
    """Split the tokens of the whole labelled texts, by score, into what all share and what tells them apart.

    Raises QuestionRefused if two scores have the same tokens, or nothing comes before them.
    """
    texts = {score: tuple(ids) for score, ids in labelled.items()}
    shared = _common_beginning(list(texts.values()))
    labels = {score: ids[shared:] for score, ids in texts.items()}
    if len(set(labels.values())) < len(labels) or not all(labels.values()):
        raise QuestionRefused(
            f"the scores {min(labels)} to {max(labels)} cannot be told apart: in this model's tokens some are the "
            "same, as where it knows no digits; choose another judge"
        )
    if shared == 0:
        raise QuestionRefused("nothing stands before the scores, so the model has nothing to answer from")
    return ScalePrompt(tuple(encoder_ids), next(iter(texts.values()))[:shared], labels)


def _common_beginning(texts: Sequence[Ids]) -> int:
    """How many tokens all texts share at their beginning: as many as the first and the last in order do."""
    first, last = min(texts), max(texts)
    same = (one == other for one, other in zip(first, last, strict=False))
    return next((place for place, agrees in enumerate(same) if not agrees), min(len(first), len(last)))


def _next_longer(label: Ids, longer: Ids, labels: Mapping[Ids, float]) -> bool:
    """Whether `label` is the longest of the labels that `longer` begins with."""
    beginnings = [one for one in labels if len(one) < len(longer) and longer[: len(one)] == one]
    return bool(beginnings) and max(beginnings, key=len) == label


def _without(logprob: float, parts: Sequence[float]) -> float:
    """The logarithm of a probability less those of its parts."""
    rest = 1.0 - sum(math.exp(part - logprob) for part in parts) if parts and logprob > -math.inf else 1.0
    return logprob + math.log(rest) if rest > 0 else -math.inf
