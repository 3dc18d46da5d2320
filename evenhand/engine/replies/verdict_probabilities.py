"""Probabilities of label words and scores at the position of the verdict in an endpoint's reply.

The rules are those of answers that are a label word alone; see label_probabilities.py and score_probabilities.py.
"""

from collections.abc import Sequence
from itertools import accumulate

from evenhand.engine.questions.pair_questions import Answer, WrittenToken
from evenhand.engine.questions.scale_questions import ScoreAnswer
from evenhand.engine.questions.verdict_patterns import VerdictPattern
from evenhand.engine.replies.endpoint_reply import MalformedReply
from evenhand.engine.replies.label_probabilities import LabelWords, answer_from_alternatives, bare
from evenhand.engine.replies.score_probabilities import mean_score


def choice_at_label(tokens: Sequence[WrittenToken], text: str, position: int, pattern: VerdictPattern) -> Answer:
    """Return p_first, or the likeliest of three label words. position: of the label word in the text.

    Raises MalformedReply.
    """
    token = tokens[_index_at(tokens, text, position)]
    if bare(token.text) not in map(bare, pattern.labels):
        raise MalformedReply(
            f'the label word is not one token of this model, which wrote "{token.text}", so its probability cannot be '
            "read; choose label words such as A and B"
        )
    return answer_from_alternatives(token.alternatives, LabelWords(pattern.first, pattern.second, "", pattern.tie))


def score_at_label(
    tokens: Sequence[WrittenToken], text: str, position: int, written: str, pattern: VerdictPattern
) -> ScoreAnswer:
    """Return the mean of the scale. position, written: of the score in the text. Raises MalformedReply."""
    scores = tuple(range(int(pattern.first), int(pattern.second) + 1))
    score = mean_score(tuple(tokens[_index_at(tokens, text, position) :]), written, scores)
    return ScoreAnswer(unparsed=True) if score is None else ScoreAnswer(score=score)


def _index_at(tokens: Sequence[WrittenToken], text: str, position: int) -> int:
    """Return the index of the token that holds a position of the text. Raises MalformedReply."""
    start = "".join(token.text for token in tokens).find(text)
    if start < 0:
        raise MalformedReply("the endpoint's tokens do not match its text")
    ends = accumulate(len(token.text) for token in tokens)
    return next(index for index, end in enumerate(ends) if start + position < end)
