"""Counts of the answers of many runs at once. Those of ended runs are cached."""

from collections.abc import Sequence
from dataclasses import astuple, dataclass

from django.core.cache import cache
from django.db.models import Count, Q

from judging.models import Choice, Comparison, Outcome, Run, Score

KEPT_SECONDS = 24 * 3600
BY_PROBABILITY, BY_CHOICE = Q(p_first__isnull=False), Q(p_first=None, outcome=Outcome.ANSWERED)


@dataclass(frozen=True, slots=True)
class AnswerCounts:
    """The answers of one run. asked: comparisons or scores of any outcome. ties count in `firsts` as half."""

    asked: int = 0
    unparsed: int = 0
    errors: int = 0
    firsts: float = 0.0
    decided: int = 0

    @property
    def p_first(self) -> float | None:
        """Share of decisions for the first candidate; None without decisions, and for scores."""
        return self.firsts / self.decided if self.decided else None


def count_answers_of(runs: Sequence[Run]) -> dict[int, AnswerCounts]:
    """Return run id -> its counts. Takes two queries for the runs that are not in the cache."""
    keys = {run.pk: _cache_key(run) for run in runs}
    cached = cache.get_many([key for key in keys.values() if key])
    counts = {pk: AnswerCounts(*cached[key]) for pk, key in keys.items() if key in cached}
    missing = [run for run in runs if run.pk not in counts]
    new = _count_comparisons(missing) | _count_scores(missing)
    new |= {run.pk: AnswerCounts() for run in missing if run.pk not in new}
    cache.set_many({keys[pk]: astuple(value) for pk, value in new.items() if keys[pk]}, KEPT_SECONDS)
    return counts | new


def _cache_key(run: Run) -> str:
    """Return the key of an ended run. Empty for an active one, whose counts change.

    Asking again sets another time of ending. The time of creation distinguishes runs of two databases.
    """
    if run.is_active or run.finished_at is None:
        return ""
    return f"study-answers-{run.pk}-{run.created_at.timestamp()}-{run.finished_at.timestamp()}"


def _chosen(choice: Choice, condition: Q) -> Count:
    """Count the decisions for a choice, as P(first) counts them: by probability, or else by the choice itself."""
    return Count("pk", filter=Q(BY_PROBABILITY, condition) | Q(BY_CHOICE, choice=choice))


def _count_comparisons(runs: Sequence[Run]) -> dict[int, AnswerCounts]:
    rows = Comparison.objects.filter(run__in=[run.pk for run in runs if not run.is_scoring]).order_by()
    counted = rows.values("run").annotate(
        asked=Count("pk"),
        unparsed=Count("pk", filter=Q(outcome=Outcome.UNPARSED)),
        errors=Count("pk", filter=Q(outcome=Outcome.ERROR)),
        chose_first=_chosen(Choice.FIRST, Q(p_first__gt=0.5)),
        chose_second=_chosen(Choice.SECOND, Q(p_first__lt=0.5)),
        called_tie=_chosen(Choice.TIE, Q(p_first=0.5)),
    )
    return {
        row["run"]: AnswerCounts(
            asked=row["asked"],
            unparsed=row["unparsed"],
            errors=row["errors"],
            firsts=row["chose_first"] + row["called_tie"] / 2,
            decided=row["chose_first"] + row["chose_second"] + row["called_tie"],
        )
        for row in counted
    }


def _count_scores(runs: Sequence[Run]) -> dict[int, AnswerCounts]:
    rows = Score.objects.filter(run__in=[run.pk for run in runs if run.is_scoring]).order_by()
    counted = rows.values("run").annotate(
        asked=Count("pk"),
        unparsed=Count("pk", filter=Q(outcome=Outcome.UNPARSED)),
        errors=Count("pk", filter=Q(outcome=Outcome.ERROR)),
    )
    return {row["run"]: AnswerCounts(row["asked"], row["unparsed"], row["errors"]) for row in counted}
