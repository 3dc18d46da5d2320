"""The scores that judges and metrics gave the candidates of one context, one by one."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.db.models import Exists, OuterRef

from judging.models import Attribute, Candidate, Context, Outcome, Run, Score
from judging.models.runs import RunQuerySet
from rankings.dataset_figures.context_matrices import NOT_ASKED, ScoredCandidate


@dataclass(frozen=True, slots=True)
class JudgeScore:
    """The score of one candidate. value: None without an answer, for the reason in `missing`."""

    value: float | None
    missing: str = ""


@dataclass(frozen=True, slots=True)
class JudgeScores:
    """The scores of one run, in the order of the candidates."""

    run: Run
    scores: tuple[JudgeScore, ...]


def runs_with_scores(runs: RunQuerySet, context: Context, attribute: Attribute) -> RunQuerySet:
    """Return the runs that scored candidates of a context on an attribute, in the order of their numbers."""
    asked = Score.objects.filter(run=OuterRef("pk"), context=context)
    return runs.filter(Exists(asked), attribute=attribute).order_by("pk")


def judge_scores(runs: Sequence[Run], context: Context, candidates: Sequence[ScoredCandidate]) -> list[JudgeScores]:
    """Return the scores of each run, in one query. What a run leaves out counts as not asked."""
    chosen = [one.candidate for one in candidates]
    stored = {
        (run, candidate): JudgeScore(value, "" if outcome == Outcome.ANSWERED else Outcome(outcome).label.lower())
        for run, candidate, outcome, value in Score.objects.filter(
            run__in=[run.pk for run in runs], candidate__in=[one.pk for one in chosen]
        ).values_list("run", "candidate", "outcome", "value")
    }
    not_asked = JudgeScore(None, NOT_ASKED)
    return [
        JudgeScores(
            run,
            tuple(
                not_asked if _is_left_out(run, context, one) else stored.get((run.pk, one.pk), not_asked)
                for one in chosen
            ),
        )
        for run in runs
    ]


def _is_left_out(run: Run, context: Context, candidate: Candidate) -> bool:
    left_out = run.exclusion
    return context.key in left_out.contexts or candidate.system in left_out.systems
