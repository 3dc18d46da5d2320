"""Asking a judge for a score of each candidate alone, and storing what it answers."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence

from django.db import transaction

from judging.engine import Answer, Engine, LikelihoodQuestion, Question, ScaleQuestion, ScoreAnswer, ScoreBatch
from judging.engine.samples import Sampling, sample_scores
from judging.models import Chunk, Outcome, Score
from judging.services.answers import Cost, answers_of, book, storable
from judging.services.inserting import ScoreRow, insert
from judging.services.texts import Analysis, Shown, reasoned, score_question
from judging.services.work import Work
from judging.services.writings import sampling_of


def unscored(chunk: Chunk) -> list[int]:
    """The candidates of a chunk of a scoring run that have no row yet, in the order planned."""
    candidates = [candidate for (candidate,) in chunk.pairs]
    there = set(Score.objects.filter(run=chunk.run_id, candidate__in=candidates).values_list("candidate", flat=True))
    return [candidate for candidate in candidates if candidate not in there]


def ask_scores(work: Work, candidates: Sequence[int], *, analyses: Mapping[Shown, Analysis]) -> None:
    """Ask about candidates, slice by slice. analyses: what was written for them, for a method that has a first step.

    A candidate for which nothing was written is not asked about; its row says why. Raises LeaseLost and RunStopped.
    """
    failed = {candidate: reason for candidate in candidates if (reason := _failed_step(work, candidate, analyses))}
    if failed:
        _store(work, list(failed), [ScoreAnswer(error=reason) for reason in failed.values()], Cost())
    left = [candidate for candidate in candidates if candidate not in failed]
    while left:
        size = work.pace.size
        _ask_slice(work, left[:size], analyses)
        left = left[size:]


def _failed_step(work: Work, candidate: int, analyses: Mapping[Shown, Analysis]) -> str:
    if no_metrics := work.texts.why_no_metrics(candidate):
        return no_metrics
    for shown in reasoned(work.run.method, (candidate,)):
        if reason := analyses[shown].error:
            return f"what the judge was to write first failed: {reason}"
    return ""


def _ask_slice(work: Work, candidates: Sequence[int], analyses: Mapping[Shown, Analysis]) -> None:
    questions = [_question(work, candidate, analyses) for candidate in candidates]
    started = time.monotonic()
    batch = scores_of(work.engine, questions, sampling=sampling_of(work.run))
    seconds = time.monotonic() - started
    work.pace.record(len(candidates), seconds)
    cost = Cost(sum(answer.prompt_tokens for answer in batch.answers), batch.computed_tokens, seconds)
    _store(work, candidates, batch.answers, cost)


def _question(work: Work, candidate: int, analyses: Mapping[Shown, Analysis]) -> Question:
    written = [analyses[shown].text for shown in reasoned(work.run.method, (candidate,))]
    return score_question(work.prompt, work.texts, candidate, analyses=written)


def _store(work: Work, candidates: Sequence[int], answers: Sequence[ScoreAnswer], cost: Cost) -> None:
    """Store a slice and what it cost, both or neither. A row that is there already stays as it is."""
    rows = [_row(work, candidate, answer) for candidate, answer in zip(candidates, answers, strict=True)]
    with transaction.atomic():
        book(work.hold, run_id=work.run.pk, cost=cost)
        insert(Score, rows, skip_known=True)
    work.end_slice()


def scores_of(engine: Engine, questions: Sequence[Question], *, sampling: Sampling | None) -> ScoreBatch:
    """Ask for scores in the way that the questions want, which are all of one kind; by sampled texts if so wanted."""
    if likelihoods := [question for question in questions if isinstance(question, LikelihoodQuestion)]:
        return engine.log_likelihoods(likelihoods)
    if scales := [question for question in questions if isinstance(question, ScaleQuestion)]:
        return sample_scores(engine, scales, sampling) if sampling else engine.scores(scales)
    batch = answers_of(engine, questions, sampling=sampling)
    scores = tuple(_share(question, answer) for question, answer in zip(questions, batch.answers, strict=True))
    return ScoreBatch(scores, batch.computed_tokens)


def _share(question: Question, answer: Answer) -> ScoreAnswer:
    """The probability of the first label word as a score. text: of a judge that is read off, its likelier word."""
    likelier = ""
    if answer.p_first is not None and answer.p_first != 0.5:
        likelier = (question.label_first if answer.p_first > 0.5 else question.label_second).strip()
    return ScoreAnswer(answer.p_first, answer.unparsed, answer.error, answer.text or likelier, answer.prompt_tokens)


def _row(work: Work, candidate: int, answer: ScoreAnswer) -> ScoreRow:
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
