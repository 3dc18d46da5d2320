"""Asking a judge for a score of each candidate alone, and what is stored of its answer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from judging.engine import Answer, Engine, LikelihoodQuestion, Question, ScaleQuestion, ScoreAnswer, ScoreBatch
from judging.engine.replies.sampled_answers import Sampling, sample_scores
from judging.models import Chunk, Outcome, Score
from judging.services.execution.bulk_insert import ScoreRow
from judging.services.execution.claimed_chunk import Work
from judging.services.execution.comparison_answers import answers_of
from judging.services.execution.slices import Kind, storable
from judging.services.plans.question_texts import Analysis, Shown, Texts


def unscored(chunk: Chunk) -> list[Shown]:
    """The candidates of a chunk of a scoring run that have no row yet, in the order planned."""
    candidates = [candidate for (candidate,) in chunk.pairs]
    there = set(Score.objects.filter(run=chunk.run_id, candidate__in=candidates).values_list("candidate", flat=True))
    return [(candidate,) for candidate in candidates if candidate not in there]


def scores_of(engine: Engine, questions: Sequence[Question], sampling: Sampling | None) -> ScoreBatch:
    """Ask for scores in the way that the questions want, which are all of one kind; by sampled texts if so wanted."""
    if likelihoods := [question for question in questions if isinstance(question, LikelihoodQuestion)]:
        return engine.log_likelihoods(likelihoods)
    if scales := [question for question in questions if isinstance(question, ScaleQuestion)]:
        return sample_scores(engine, scales, sampling) if sampling else engine.scores(scales)
    batch = answers_of(engine, questions, sampling)
    scores = tuple(_share(question, answer) for question, answer in zip(questions, batch.answers, strict=True))
    return ScoreBatch(scores, batch.computed_tokens)


def _share(question: Question, answer: Answer) -> ScoreAnswer:
    """The probability of the first label word as a score. text: of a judge that is read off, its likelier word."""
    likelier = ""
    if answer.p_first is not None and answer.p_first != 0.5:
        likelier = (question.label_first if answer.p_first > 0.5 else question.label_second).strip()
    return ScoreAnswer(answer.p_first, answer.unparsed, answer.error, answer.text or likelier, answer.prompt_tokens)


def _why_not(texts: Texts, written: Mapping[Shown, Analysis]) -> str:
    reasons = (analysis.error for analysis in written.values() if analysis.error)
    return next((f"what the judge was to write first failed: {reason}" for reason in reasons), "")


def _failed(reason: str) -> ScoreAnswer:
    return ScoreAnswer(error=reason)


def _row(work: Work, shown: Shown, answer: ScoreAnswer) -> ScoreRow:
    (candidate,) = shown
    return ScoreRow(
        run=work.run.pk,
        context=work.texts.context_of[candidate],
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


SCORES = Kind(model=Score, lacking=unscored, ask=scores_of, why_not=_why_not, failed=_failed, row=_row)
