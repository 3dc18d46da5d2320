"""Comparisons: asks a judge which of two candidates is better, and turns its answers into rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from judging.engine import Answer, Batch, Engine, Question
from judging.engine.replies.sampled_answers import Sampling, sample_answers
from judging.models import Chunk, Comparison, Outcome
from judging.services.execution.bulk_insert import ComparisonRow
from judging.services.execution.claimed_chunk import ClaimedChunk
from judging.services.execution.slices import JudgmentKind, storable
from judging.services.plans.question_texts import CandidateIds, QuestionTexts, WrittenText


def unanswered_pairs(chunk: Chunk) -> list[CandidateIds]:
    """Return the chunk's pairs without a comparison, in the planned order."""
    pairs = [(first, second) for first, second in chunk.pairs]
    rows = Comparison.objects.filter(run=chunk.run_id, first__in={first for first, _ in pairs})
    stored = set(rows.values_list("first", "second"))
    return [pair for pair in pairs if pair not in stored]


def ask_pairs(engine: Engine, questions: Sequence[Question], sampling: Sampling | None) -> Batch:
    """Ask which of two candidates is better, by probabilities or by sampled texts."""
    return sample_answers(engine, questions, sampling) if sampling else engine.p_first(questions)


def _reasoning_problem(texts: QuestionTexts, reasonings: Mapping[CandidateIds, WrittenText]) -> str:
    return "; ".join(
        f"the judge failed to write its reasoning about {_subject_name(texts, subject)}: {written.error}"
        for subject, written in reasonings.items()
        if written.error
    )


def _subject_name(texts: QuestionTexts, subject: CandidateIds) -> str:
    return "the pair" if len(subject) > 1 else f'candidate "{texts.keys[subject[0]]}"'


def _error_answer(reason: str) -> Answer:
    return Answer(error=reason)


def _to_row(claimed: ClaimedChunk, pair: CandidateIds, answer: Answer) -> ComparisonRow:
    first, second = pair
    return ComparisonRow(
        run=claimed.run.pk,
        context=claimed.texts.context_of[first],
        first=first,
        second=second,
        outcome=_outcome(answer).value,
        p_first=answer.p_first,
        choice=answer.choice,
        raw_first=answer.logprob_first,
        raw_second=answer.logprob_second,
        raw_tie=answer.logprob_tie,
        text=storable(answer.text),
        error=storable(answer.error),
    )


def _outcome(answer: Answer) -> Outcome:
    if answer.p_first is not None or answer.choice:
        return Outcome.ANSWERED
    return Outcome.UNPARSED if answer.unparsed else Outcome.ERROR


COMPARISONS = JudgmentKind(
    model=Comparison,
    unanswered=unanswered_pairs,
    ask=ask_pairs,
    reasoning_problem=_reasoning_problem,
    error_answer=_error_answer,
    to_row=_to_row,
)
