"""Comparisons and scores: how a judge is asked for them, and how its answers become rows."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields
from typing import Any

from evenhand.engine import (
    Answer,
    Batch,
    Engine,
    LikelihoodQuestion,
    Question,
    ReadingProblem,
    ScaleQuestion,
    ScoreAnswer,
    ScoreBatch,
)
from evenhand.engine.questions.pair_questions import AnswerText
from evenhand.engine.questions.reply_questions import ReplyQuestion
from evenhand.engine.replies.reading_problems import unparsed
from evenhand.engine.replies.reasoned_replies import ask_replies, score_replies
from evenhand.engine.replies.sampled_answers import Sampling, sample_answers, sample_scores
from judging.models import Chunk, Comparison, Outcome, Score
from judging.models.comparisons import P_FIRST_OF_CHOICE
from judging.services.execution.bulk_insert import AnswerRow, ComparisonRow, ScoreAnswerRow, storable
from judging.services.execution.claimed_chunk import ClaimedChunk
from judging.services.plans.question_texts import CandidateIds


@dataclass(frozen=True, slots=True)
class JudgmentKind:
    """The parts in which comparisons and scores differ.

    model: the table of the answers.
    answer: the type of an answer.
    ask: puts questions to an engine; all are of runs that differ only in their attribute.
    to_row: builds the row of an answer to store.
    """

    model: type[Comparison] | type[Score]
    answer: type[Answer] | type[ScoreAnswer]
    ask: Callable[[Engine, Sequence[Question], Sampling | None], Batch | ScoreBatch]
    to_row: Callable[[ClaimedChunk, CandidateIds, Any], AnswerRow]


def unanswered_items(chunk: Chunk) -> list[CandidateIds]:
    """Return the chunk's pairs or single candidates without an answer, in the planned order."""
    items = [tuple(item) for item in chunk.pairs]
    fields = chunk.run.candidate_fields
    rows = chunk.run.answers.filter(**{f"{fields[0]}__in": {item[0] for item in items}})
    stored = set(rows.values_list(*fields))
    return [item for item in items if item not in stored]


def ask_pairs(engine: Engine, questions: Sequence[Question], sampling: Sampling | None) -> Batch:
    """Ask which of two candidates is better, by probabilities, by sampled texts or by one reply."""
    replies = [question for question in questions if isinstance(question, ReplyQuestion)]
    if replies and not sampling:
        return ask_replies(engine, replies)
    return sample_answers(engine, questions, sampling) if sampling else engine.p_first(questions)


def _comparison_row(claimed: ClaimedChunk, pair: CandidateIds, answer: Answer) -> ComparisonRow:
    first, second = pair
    return ComparisonRow(
        run=claimed.run.pk,
        context=claimed.texts.context_of[first],
        first=first,
        second=second,
        outcome=_outcome(answer, is_answered=answer.p_first is not None or bool(answer.choice)),
        p_first=answer.p_first,
        choice=answer.choice,
        raw_first=answer.logprob_first,
        raw_second=answer.logprob_second,
        raw_tie=answer.logprob_tie,
        text=storable(answer.text),
        error=storable(answer.error),
        thinking=storable(answer.thinking),
        thinking_tokens=answer.thinking_tokens,
        p_first_before=answer.p_first_before,
        problem=_problem(answer),
        is_null_pair=claimed.run.asks_null_pairs,
    )


def _ask_scores(engine: Engine, questions: Sequence[Question], sampling: Sampling | None) -> ScoreBatch:
    """Ask for scores. The type of the questions, the same for all, decides how the engine reads them.

    A LikelihoodQuestion gives the text's log-likelihood, a ScaleQuestion the number on its scale, and any other
    question the probability of its first label word. A ReplyQuestion for a score gives the one in the judge's reply.
    """
    if replies := [one for one in questions if isinstance(one, ReplyQuestion) and one.pattern.is_score]:
        return sample_scores(engine, replies, sampling) if sampling else score_replies(engine, replies)
    if likelihoods := [question for question in questions if isinstance(question, LikelihoodQuestion)]:
        return engine.log_likelihoods(likelihoods)
    if scales := [question for question in questions if isinstance(question, ScaleQuestion)]:
        return sample_scores(engine, scales, sampling) if sampling else engine.scores(scales)
    batch = ask_pairs(engine, questions, sampling)
    scores = tuple(_label_score(question, answer) for question, answer in zip(questions, batch.answers, strict=True))
    return ScoreBatch(scores, batch.computed_tokens)


def _label_score(question: Question, answer: Answer) -> ScoreAnswer:
    """Use the probability of the first label word as the score. Without generated text, the likelier word is stored.

    A choice between two label words is no score, so such an answer is unparsed.
    """
    likelier = ""
    if answer.choice and not question.label_tie:
        answer = unparsed(answer, ReadingProblem.UNKNOWN_PROBABILITY)
    score = P_FIRST_OF_CHOICE[answer.choice] if answer.choice else answer.p_first
    if score is not None and score != 0.5:
        likelier = (question.label_first if score > 0.5 else question.label_second).strip()
    shared = {one.name: getattr(answer, one.name) for one in fields(AnswerText)}
    return ScoreAnswer(score, answer.p_first_before, **shared | {"text": answer.text or likelier})


def _score_row(claimed: ClaimedChunk, item: CandidateIds, answer: ScoreAnswer) -> ScoreAnswerRow:
    (candidate,) = item
    return ScoreAnswerRow(
        run=claimed.run.pk,
        context=claimed.texts.context_of[candidate],
        candidate=candidate,
        outcome=_outcome(answer, is_answered=answer.score is not None),
        value=answer.score,
        text=storable(answer.text),
        error=storable(answer.error),
        thinking=storable(answer.thinking),
        thinking_tokens=answer.thinking_tokens,
        value_before=answer.score_before,
        problem=_problem(answer),
    )


def _problem(answer: AnswerText) -> str:
    """Return the kind of an answer's problem; an unparsed answer without a kind has no verdict."""
    return answer.problem or (ReadingProblem.NO_VERDICT.value if answer.unparsed else "")


def _outcome(answer: AnswerText, *, is_answered: bool) -> str:
    if is_answered:
        return Outcome.ANSWERED.value
    return Outcome.UNPARSED.value if answer.unparsed else Outcome.ERROR.value


COMPARISON_KIND = JudgmentKind(Comparison, Answer, ask_pairs, _comparison_row)
SCORE_KIND = JudgmentKind(Score, ScoreAnswer, _ask_scores, _score_row)
