"""The score that an endpoint's judge gave: by how probable the scores were where it wrote one. docs/endpoints.md has it
in words."""

from __future__ import annotations

import math
import re
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass

from judging.engine.questions.scale_questions import ScaleQuestion, ScoreAnswer
from judging.engine.replies.endpoint_reply import Malformed, Reply, WrittenToken
from judging.engine.replies.label_probabilities import LARGEST_DOUBT, bare


def hard_score(reply: Reply, question: ScaleQuestion) -> ScoreAnswer:
    """The number that was written."""
    text = reply.text or reply.refusal
    written = written_score(text, question)
    if written is None:
        return ScoreAnswer(unparsed=True, text=text, prompt_tokens=reply.prompt_tokens)
    return ScoreAnswer(score=float(written), text=text, prompt_tokens=reply.prompt_tokens)


def soft_score(reply: Reply, question: ScaleQuestion) -> ScoreAnswer:
    """The mean of the scores, weighted with their probabilities where one of them was written. Raises Malformed.

    What is not listed has at most what the listed leave over. If the mean is thereby open by at most LARGEST_DOUBT of
    the scale's width, it is the end of its range nearer to the middle of the scale, or the middle; else the answer is
    unparsed.
    """
    text = reply.text or reply.refusal
    written = written_score(text, question)
    if written is None:
        return ScoreAnswer(unparsed=True, text=text, prompt_tokens=reply.prompt_tokens)
    scores = tuple(question.labels())
    low, high = _range(_shares(reply.tokens, str(written), scores), scores)
    if high - low > LARGEST_DOUBT * (scores[-1] - scores[0]):
        return ScoreAnswer(unparsed=True, text=text, prompt_tokens=reply.prompt_tokens)
    middle = (scores[0] + scores[-1]) / 2
    return ScoreAnswer(score=min(max(middle, low), high), text=text, prompt_tokens=reply.prompt_tokens)


def written_score(text: str, question: ScaleQuestion) -> int | None:
    """The score that a text answers with; None where it says anything else.

    Before it only the prefix, "Score", "Answer" and punctuation; after it, on its line, "/10" and punctuation.
    """
    labels = question.labels()
    numbers = "|".join(str(score) for score in sorted(labels, reverse=True))
    prefix = re.sub(r"^[\W_]+|[\W_]+$", "", question.answer_prefix)
    lead = "|".join(re.escape(word) for word in (prefix, "score", "answer") if word)
    of_all = rf"(?:\s*(?:/|out of)\s*{max(labels)})?"
    match = re.match(
        rf"[\W_]*(?:(?i:{lead})[\W_]+)*(?<![-−.,])(?P<score>{numbers}){of_all}(?:[^\w\n]|_)*(?:\n|\Z)", text
    )
    return int(match["score"]) if match else None


def begun_score(text: str, question: ScaleQuestion) -> int | None:
    """The score that a text goes on with after the prefix, whatever follows it; None where it is no whole number."""
    numbers = "|".join(str(score) for score in sorted(question.labels(), reverse=True))
    match = re.match(rf"\s*(?P<score>{numbers})(?![\w]|[.,]\d)", text)
    return int(match["score"]) if match else None


@dataclass(frozen=True, slots=True)
class _Shares:
    """Probabilities of what is listed, and the lowest and highest score that each may come to.

    left_over: what the listed leave. unlisted: the scores that it may go to.
    """

    listed: tuple[tuple[float, float, float], ...]
    left_over: float
    unlisted: frozenset[int]


def _shares(tokens: tuple[WrittenToken, ...], written: str, scores: tuple[int, ...]) -> _Shares:
    place = _place_of(tokens, written)
    probabilities: dict[str, float] = defaultdict(float)
    for token, logprob in tokens[place].alternatives:
        probabilities[bare(token)] += math.exp(logprob)
    known = {str(score) for score in scores}
    listed, reached = [], set[int]()
    for number in known & set(probabilities):
        longer = [one for one in known if one.startswith(number) and one != number and one not in probabilities]
        low, high = _ends(number, longer, tokens[place:])
        listed.append((probabilities[number], low, high))
        reached.add(int(number))
    left_over = max(0.0, 1.0 - math.fsum(math.exp(logprob) for _, logprob in tokens[place].alternatives))
    return _Shares(tuple(listed), left_over, frozenset(scores) - reached)


def _place_of(tokens: tuple[WrittenToken, ...], written: str) -> int:
    """Where the score was written, or its first digits were. Raises Malformed."""
    if not tokens:
        raise Malformed("the endpoint gave no log-probabilities with this answer")
    for place, token in enumerate(tokens):
        if digits := re.search(r"\d+", token.text):
            if not written.startswith(digits.group()):
                break
            return place
    raise Malformed("the endpoint's tokens are not those of its text")


def _ends(number: str, longer: list[str], tokens: tuple[WrittenToken, ...]) -> tuple[float, float]:
    """The lowest and the highest mean that a listed number stands for.

    Where a model writes 10 as 1 and 0, its 1 may be the beginning of both. How often it goes on is known where it wrote
    the 1 itself, from what it listed next.
    """
    if not longer:
        return float(number), float(number)
    if len(longer) == 1 and bare(tokens[0].text) == number and len(tokens) > 1:
        (whole,) = longer
        least, most = _share_of(whole.removeprefix(number), tokens[1])
        step = int(whole) - int(number)
        return int(number) + least * step, int(number) + most * step
    return float(number), float(max(map(int, longer)))


def _share_of(text: str, token: WrittenToken) -> tuple[float, float]:
    """The least and the most probability that a text has at a position."""
    listed = [math.exp(logprob) for one, logprob in token.alternatives if one == text]
    if listed:
        return listed[0], listed[0]
    return 0.0, max(0.0, 1.0 - math.fsum(math.exp(logprob) for _, logprob in token.alternatives))


def _range(shares: _Shares, scores: Iterable[int]) -> tuple[float, float]:
    """The lowest and the highest mean that the shares allow; the whole scale where nothing of it is listed."""
    whole = math.fsum(share for share, _, _ in shares.listed)
    if not whole:
        return float(min(scores)), float(max(scores))
    low, high = (math.fsum(one[0] * one[end] for one in shares.listed) / whole for end in (1, 2))
    if shares.unlisted and shares.left_over:
        every = whole + shares.left_over
        low = min(low, (whole * low + shares.left_over * min(shares.unlisted)) / every)
        high = max(high, (whole * high + shares.left_over * max(shares.unlisted)) / every)
    return low, high
