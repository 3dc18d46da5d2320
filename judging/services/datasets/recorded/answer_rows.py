"""Rows of comparisons and scores for recorded judgments."""

from collections.abc import Callable
from dataclasses import dataclass

from django.db import models

from evenhand.formats import ComparisonRecord, ScoreRecord
from evenhand.prompting.methods import METHODS
from judging.models import AnswerProblem, Comparison, Outcome, Score
from judging.services.datasets.dataset_keys import DatasetKeys
from judging.services.execution.bulk_insert import AnswerRow, ComparisonRow, ScoreAnswerRow

JudgmentRecord = ComparisonRecord | ScoreRecord


@dataclass(frozen=True, slots=True)
class RecordKind:
    """The differences between comparisons and scores.

    candidates: record fields that name a candidate. columns: table columns of these candidates.
    row: makes a table row from run id, record and ids. others: methods that give the other kind.
    """

    noun: str
    model: type[models.Model]
    candidates: tuple[str, ...]
    columns: tuple[str, ...]
    row: Callable[..., AnswerRow]
    others: frozenset[str]

    def candidate_ids(self, record: JudgmentRecord, keys: DatasetKeys) -> tuple[int, ...]:
        return tuple(keys.candidates[record.context, getattr(record, field)] for field in self.candidates)

    def make_row(self, run: int, record: JudgmentRecord, keys: DatasetKeys) -> AnswerRow:
        return self.row(run, record, keys.contexts[record.context], *self.candidate_ids(record, keys))


def _comparison(run: int, record: ComparisonRecord, context: int, first: int, second: int) -> ComparisonRow:
    return ComparisonRow(
        run=run,
        context=context,
        first=first,
        second=second,
        outcome=_outcome(record).value,
        p_first=record.p_first,
        choice="" if record.choice in {"unparsed", "error"} else record.choice,
        raw_first=record.raw_first,
        raw_second=record.raw_second,
        raw_tie=record.raw_tie,
        text=record.text,
        error=record.error,
        thinking=record.thinking,
        thinking_tokens=record.thinking_tokens,
        p_first_before=record.p_first_before,
        problem=_problem(record, _outcome(record)),
    )


def _problem(record: JudgmentRecord, outcome: Outcome) -> str:
    """Return the recorded problem; an unparsed answer without one has no verdict."""
    return record.problem or (AnswerProblem.NO_VERDICT.value if outcome is Outcome.UNPARSED else "")


def _outcome(record: ComparisonRecord) -> Outcome:
    """Return the outcome. A record with a probability is answered, whatever its choice."""
    if record.p_first is None and record.choice in {"unparsed", "error"}:
        return Outcome(record.choice)
    return Outcome.ANSWERED


def _score(run: int, record: ScoreRecord, context: int, candidate: int) -> ScoreAnswerRow:
    missing = Outcome.ERROR if record.error else Outcome.UNPARSED
    outcome = missing if record.score is None else Outcome.ANSWERED
    return ScoreAnswerRow(
        run=run,
        context=context,
        candidate=candidate,
        outcome=outcome.value,
        value=record.score,
        text=record.text,
        error=record.error,
        thinking=record.thinking,
        thinking_tokens=record.thinking_tokens,
        value_before=record.score_before,
        problem=_problem(record, outcome),
    )


SCORING = frozenset(name for name, method in METHODS.items() if method.is_scoring)
COMPARING = frozenset(METHODS) - SCORING
COMPARISONS = RecordKind("comparisons", Comparison, ("first", "second"), ("first", "second"), _comparison, SCORING)
SCORES = RecordKind("scores", Score, ("candidate",), ("candidate",), _score, COMPARING)
