"""How far a run is."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db.models import Count, QuerySet
from django.utils import timezone

from judging.models import Chunk, Comparison, ContextMetrics, Outcome, Reasoning, Run, Score
from judging.prompting.methods import METHODS
from judging.services.judges.costs import cost_at_most

ABANDONED_AFTER = timedelta(seconds=60)


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a run is; counted from its rows, so it holds for a run that was cancelled or failed too.

    asked: comparisons (or scores) with a row; answered, unparsed and errors add up to it. first_error: why the first of
        the errors has no answer; empty where there is none.
    per_second: comparisons a second, all workers together; seconds_left: at that speed. None while nobody works on it,
        or before the first slice is in.
    reasonings_done, reasonings_planned: what is written first, about candidates alone, pairs or the task; both 0 for a
        method that has no such step.
    cost: at most what its endpoint charges for it so far, see costs; None where the judge has no prices.
    stale: it should be judged, and for a minute or more nobody has; a worker is missing, or it wants resuming.
    """

    status: str
    planned: int
    asked: int
    answered: int
    unparsed: int
    errors: int
    first_error: str
    reasonings_done: int
    reasonings_planned: int
    per_second: float | None
    seconds_left: float | None
    cost: float | None
    stale: bool


def progress(run: Run) -> Progress:
    """Count a run's rows."""
    outcomes = count_outcomes(run)
    asked = sum(outcomes.values())
    workers = Chunk.objects.filter(run=run).held().count() if run.is_active else 0
    per_second = workers * asked / run.seconds if run.seconds and asked and workers else None
    return Progress(
        status=run.status,
        planned=run.planned,
        asked=asked,
        answered=outcomes[Outcome.ANSWERED],
        unparsed=outcomes[Outcome.UNPARSED],
        errors=outcomes[Outcome.ERROR],
        first_error=_first_error(run) if outcomes[Outcome.ERROR] else "",
        reasonings_done=_reasonings_done(run),
        reasonings_planned=run.reasonings_planned,
        per_second=per_second,
        seconds_left=(run.planned - asked) / per_second if per_second else None,
        cost=cost_at_most(run, asked=asked),
        stale=run.is_active and not workers and timezone.now() - _last_handed_on(run) > ABANDONED_AFTER,
    )


def count_outcomes(run: Run) -> dict[str, int]:
    """outcome -> number of the run's comparisons (or scores), 0 included."""
    rows = _rows(run)
    counts = dict(rows.order_by().values_list("outcome").annotate(n=Count("pk")))
    return {outcome: counts.get(outcome, 0) for outcome in Outcome.values}


def _first_error(run: Run) -> str:
    return _rows(run).filter(outcome=Outcome.ERROR).values_list("error", flat=True).first() or ""


def _rows(run: Run) -> QuerySet[Comparison] | QuerySet[Score]:
    return Score.objects.filter(run=run) if run.is_scoring else Comparison.objects.filter(run=run)


def _reasonings_done(run: Run) -> int:
    """Analyses that the run has or found; those of candidates or pairs it never shows are not counted."""
    if not run.reasonings_planned:
        return 0
    return min(_metrics_done(run) + _analyses_done(run), run.reasonings_planned)


def _metrics_done(run: Run) -> int:
    there = ContextMetrics.objects.of_run(run)
    if run.context_limit is not None:
        there = there.filter(context__position__lt=run.context_limit)
    return there.count()


def _analyses_done(run: Run) -> int:
    there, method = Reasoning.objects.of_run(run), METHODS[run.method]
    if not method.reasons:
        return 0
    if method.reasons_once:
        return there.filter(candidate=None).count()
    if run.context_limit is not None:
        there = there.filter(candidate__context__position__lt=run.context_limit)
    if method.reasons_about_pairs and run.selection != "full":
        drawn = {(first, second) for pairs in run.chunks.values_list("pairs", flat=True) for first, second in pairs}
        return len(drawn.intersection(there.values_list("candidate", "second")))
    return there.count()


def _last_handed_on(run: Run) -> datetime:
    return run.queued_at or run.started_at or run.created_at
