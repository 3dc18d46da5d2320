"""Scores: asks a judge about each candidate alone, and turns its answers into rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from judging.engine import Answer, Engine, LikelihoodQuestion, Question, ScaleQuestion, ScoreAnswer, ScoreBatch
from judging.engine.replies.sampled_answers import Sampling, sample_scores
from judging.models import Chunk, Outcome, Score
from judging.services.execution.bulk_insert import ScoreRow
from judging.services.execution.claimed_chunk import ClaimedChunk
from judging.services.execution.comparison_answers import ask_pairs
from judging.services.execution.slices import JudgmentKind, storable
from judging.services.plans.question_texts import CandidateIds, QuestionTexts, WrittenText


def unscored_candidates(chunk: Chunk) -> list[CandidateIds]:
    """Return a scoring chunk's candidates without a score, in the planned order."""
    candidates = [candidate for (candidate,) in chunk.pairs]
    stored = set(Score.objects.filter(run=chunk.run_id, candidate__in=candidates).values_list("candidate", flat=True))
    return [(candidate,) for candidate in candidates if candidate not in stored]


def ask_scores(engine: Engine, questions: Sequence[Question], sampling: Sampling | None) -> ScoreBatch:
    """Ask for scores. The type of the questions, the same for all, decides how the engine reads them.

    A LikelihoodQuestion gives the text's log-likelihood, a ScaleQuestion the number on its scale, and any other
    question the probability of its first label word.
    """
    if likelihoods := [question for question in questions if isinstance(question, LikelihoodQuestion)]:
        return engine.log_likelihoods(likelihoods)
    if scales := [question for question in questions if isinstance(question, ScaleQuestion)]:
        return sample_scores(engine, scales, sampling) if sampling else engine.scores(scales)
    batch = ask_pairs(engine, questions, sampling)
    scores = tuple(_label_score(question, answer) for question, answer in zip(questions, batch.answers, strict=True))
    return ScoreBatch(scores, batch.computed_tokens)


def _label_score(question: Question, answer: Answer) -> ScoreAnswer:
    """Use the probability of the first label word as the score. Without generated text, the likelier word is stored."""
    likelier = ""
    if answer.p_first is not None and answer.p_first != 0.5:
        likelier = (question.label_first if answer.p_first > 0.5 else question.label_second).strip()
    return ScoreAnswer(answer.p_first, answer.unparsed, answer.error, answer.text or likelier, answer.prompt_tokens)


def _reasoning_problem(texts: QuestionTexts, reasonings: Mapping[CandidateIds, WrittenText]) -> str:
    errors = (written.error for written in reasonings.values() if written.error)
    return next((f"the judge failed to write its reasoning: {error}" for error in errors), "")


def _error_answer(reason: str) -> ScoreAnswer:
    return ScoreAnswer(error=reason)


def _to_row(claimed: ClaimedChunk, item: CandidateIds, answer: ScoreAnswer) -> ScoreRow:
    (candidate,) = item
    return ScoreRow(
        run=claimed.run.pk,
        context=claimed.texts.context_of[candidate],
        candidate=candidate,
        outcome=_outcome(answer).value,
        value=answer.score,
        text=storable(answer.text),
        error=storable(answer.error),
    )


def _outcome(answer: ScoreAnswer) -> Outcome:
    if answer.score is not None:
        return Outcome.ANSWERED
    return Outcome.UNPARSED if answer.unparsed else Outcome.ERROR


SCORES = JudgmentKind(
    model=Score,
    unanswered=unscored_candidates,
    ask=ask_scores,
    reasoning_problem=_reasoning_problem,
    error_answer=_error_answer,
    to_row=_to_row,
)
