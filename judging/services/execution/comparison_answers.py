"""Asking a judge which of two is better, and what is stored of its answer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from judging.engine import Answer, Batch, Engine, Question
from judging.engine.replies.sampled_answers import Sampling, sample_answers
from judging.models import Chunk, Comparison, Outcome
from judging.services.execution.bulk_insert import ComparisonRow
from judging.services.execution.claimed_chunk import Work
from judging.services.execution.slices import Kind, storable
from judging.services.plans.question_texts import Analysis, Shown, Texts


def unanswered(chunk: Chunk) -> list[Shown]:
    """The pairs of a chunk that have no row yet, in the order planned."""
    pairs = [(first, second) for first, second in chunk.pairs]
    rows = Comparison.objects.filter(run=chunk.run_id, first__in={first for first, _ in pairs})
    there = set(rows.values_list("first", "second"))
    return [pair for pair in pairs if pair not in there]


def answers_of(engine: Engine, questions: Sequence[Question], sampling: Sampling | None) -> Batch:
    """Ask which of two is better, by probability or by sampled texts."""
    return sample_answers(engine, questions, sampling) if sampling else engine.p_first(questions)


def _why_not(texts: Texts, written: Mapping[Shown, Analysis]) -> str:
    return "; ".join(
        f"the analysis of {_named(texts, shown)} failed: {analysis.error}"
        for shown, analysis in written.items()
        if analysis.error
    )


def _named(texts: Texts, shown: Shown) -> str:
    return "the pair" if len(shown) > 1 else f'candidate "{texts.keys[shown[0]]}"'


def _failed(reason: str) -> Answer:
    return Answer(error=reason)


def _row(work: Work, pair: Shown, answer: Answer) -> ComparisonRow:
    first, second = pair
    return ComparisonRow(
        run=work.run.pk,
        context=work.texts.context_of[first],
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


COMPARISONS = Kind(model=Comparison, lacking=unanswered, ask=answers_of, why_not=_why_not, failed=_failed, row=_row)
