"""Scores from an endpoint's reply, and their probabilities at the position of the answer.

See docs/reference/endpoints.md.
"""

import math
import re
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from functools import partial

from evenhand.engine.questions.pair_questions import WrittenToken
from evenhand.engine.questions.scale_questions import ScaleQuestion, ScoreAnswer
from evenhand.engine.replies.endpoint_reply import EndpointReply, MalformedReply
from evenhand.engine.replies.label_probabilities import LARGEST_DOUBT, bare


def hard_score(reply: EndpointReply, question: ScaleQuestion) -> ScoreAnswer:
    """Return the score that the text names."""
    answer = partial(ScoreAnswer, text=reply.words, prompt_tokens=reply.prompt_tokens)
    written = find_score(reply.words, question)
    return answer(unparsed=True) if written is None else answer(score=float(written))


def soft_score(reply: EndpointReply, question: ScaleQuestion) -> ScoreAnswer:
    """Return the mean of the scale, weighted with the probabilities at the position of the answer.

    Scores that are not listed have at most the probability that the listed alternatives leave. If the mean is then
    known to within LARGEST_DOUBT of the scale's width, it is the point of its range nearest to the middle of the
    scale. Otherwise, and without log-probabilities, the answer is unparsed. Raises MalformedReply.
    """
    answer = partial(ScoreAnswer, text=reply.words, prompt_tokens=reply.prompt_tokens)
    written = find_score(reply.words, question)
    if written is None or not reply.tokens:
        return answer(unparsed=True)
    score = mean_score(reply.tokens, str(written), tuple(question.labels()))
    return answer(unparsed=True) if score is None else answer(score=score)


def mean_score(tokens: tuple[WrittenToken, ...], written: str, scores: tuple[int, ...]) -> float | None:
    """Return the mean of a scale by the probabilities at the first number; None if it is not known well enough.

    written: the number as the judge wrote it. Raises MalformedReply.
    """
    low, high = _mean_range(_scale_probabilities(tokens, written, scores), scores)
    if high - low > LARGEST_DOUBT * (scores[-1] - scores[0]):
        return None
    return min(max((scores[0] + scores[-1]) / 2, low), high)


def find_score(text: str, question: ScaleQuestion) -> int | None:
    """Return the score that a text answers with; None for any other text.

    Only the prefix, "Score", "Answer" and punctuation may precede it.
    Only "/10" and punctuation may follow on its line, and nothing that repeats the prompt.
    """
    labels = question.labels()
    numbers = "|".join(str(score) for score in sorted(labels, reverse=True))
    prefix = re.sub(r"^[\W_]+|[\W_]+$", "", question.answer_prefix)
    lead = "|".join(re.escape(word) for word in (prefix, "score", "answer") if word)
    out_of = rf"(?:\s*(?:/|out of)\s*{max(labels)})?"
    match = re.match(
        rf"[\W_]*(?:(?i:{lead})[\W_]+)*(?<![-−.,])(?P<score>{numbers}){out_of}(?:[^\w\n]|_)*(?:\n|\Z)", text
    )
    return int(match["score"]) if match and not question.shown.is_repeated(text, *match.span("score")) else None


def find_score_continuation(text: str, question: ScaleQuestion) -> int | None:
    """Return the score that a text begins with; None if it is not a whole number, or if it repeats the prompt."""
    numbers = [str(score) for score in sorted(question.labels(), reverse=True)]
    match = re.match(rf"\s*(?P<score>{'|'.join(numbers)})(?![\w]|[.,]\d)", text)
    if match is None or question.shown.is_repeated(text, *match.span("score")):
        return None
    return None if question.shown.is_list(text, *match.span("score"), numbers) else int(match["score"])


@dataclass(frozen=True, slots=True)
class _ScaleProbabilities:
    """Probabilities at the position of the answer.

    listed: for each listed score its probability, and the lowest and highest mean score that it may stand for.
    left_over: the probability of everything that is not listed.
    unlisted: the scores that are not listed.
    """

    listed: tuple[tuple[float, float, float], ...]
    left_over: float
    unlisted: frozenset[int]


def _scale_probabilities(
    tokens: tuple[WrittenToken, ...], written: str, scores: tuple[int, ...]
) -> _ScaleProbabilities:
    position = _answer_position(tokens, written)
    probabilities: dict[str, float] = defaultdict(float)
    for token, logprob in tokens[position].alternatives:
        probabilities[bare(token)] += math.exp(logprob)
    known = {str(score) for score in scores}
    listed, reached = [], set[int]()
    for number in known & set(probabilities):
        longer = [one for one in known if one.startswith(number) and one != number and one not in probabilities]
        low, high = _score_range(number, longer, tokens[position:])
        listed.append((probabilities[number], low, high))
        reached.add(int(number))
    left_over = max(0.0, 1.0 - math.fsum(math.exp(logprob) for _, logprob in tokens[position].alternatives))
    return _ScaleProbabilities(tuple(listed), left_over, frozenset(scores) - reached)


def _answer_position(tokens: tuple[WrittenToken, ...], written: str) -> int:
    """Return the index of the token with the score, or with its first digits. Raises MalformedReply."""
    if not tokens:
        raise MalformedReply("the endpoint gave no log-probabilities with this answer")
    for position, token in enumerate(tokens):
        if digits := re.search(r"\d+", token.text):
            if not written.startswith(digits.group()):
                break
            return position
    raise MalformedReply("the endpoint's tokens do not match its text")


def _score_range(number: str, longer: list[str], tokens: tuple[WrittenToken, ...]) -> tuple[float, float]:
    """Return the lowest and highest mean score that a listed number may stand for.

    A model that writes 10 as two tokens begins both 1 and 10 with the token 1. If it wrote that 1 itself, the
    alternatives at the next position bound the probability that 0 follows.
    """
    if not longer:
        return float(number), float(number)
    if len(longer) == 1 and bare(tokens[0].text) == number and len(tokens) > 1:
        (whole,) = longer
        least, most = _probability_range(whole.removeprefix(number), tokens[1])
        step = int(whole) - int(number)
        return int(number) + least * step, int(number) + most * step
    return float(number), float(max(map(int, longer)))


def _probability_range(text: str, token: WrittenToken) -> tuple[float, float]:
    """Return the lowest and highest probability that a text may have at a position."""
    listed = [math.exp(logprob) for one, logprob in token.alternatives if one == text]
    if listed:
        return listed[0], listed[0]
    return 0.0, max(0.0, 1.0 - math.fsum(math.exp(logprob) for _, logprob in token.alternatives))


def _mean_range(probabilities: _ScaleProbabilities, scores: Iterable[int]) -> tuple[float, float]:
    """Return the lowest and highest mean that the probabilities allow; the whole scale if no score is listed."""
    whole = math.fsum(probability for probability, _, _ in probabilities.listed)
    if not whole:
        return float(min(scores)), float(max(scores))
    low, high = (math.fsum(one[0] * one[end] for one in probabilities.listed) / whole for end in (1, 2))
    if probabilities.unlisted and probabilities.left_over:
        total = whole + probabilities.left_over
        low = min(low, (whole * low + probabilities.left_over * min(probabilities.unlisted)) / total)
        high = max(high, (whole * high + probabilities.left_over * max(probabilities.unlisted)) / total)
    return low, high
