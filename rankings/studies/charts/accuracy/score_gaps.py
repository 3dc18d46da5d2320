"""Accuracy of the runs of a study by the difference in the human scores of the two texts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from evenhand.numerics import Figure, Judged
from evenhand.numerics.figure import defined
from evenhand.numerics.reliability.score_gaps import SCORE_GAP_EDGES, accuracy_by_score_gap
from judging.models import Run
from rankings.loading import People
from rankings.report.number_text import percent
from rankings.studies.charts.accuracy.gap_charts import GapsOfRun, bin_titles
from rankings.studies.charts.judged_answers import AnswersChoice, computed_of_runs
from rankings.tables.table import Column

SCORE_GAP_TITLES = bin_titles(SCORE_GAP_EDGES)
SCORE_GAP_NOTE = "Difference in human scores as a share of their range; bands: 95 % intervals over contexts."


def score_gaps_of_runs(runs: Sequence[Run], labels: Mapping[int, str], choice: AnswersChoice) -> list[GapsOfRun]:
    """Return the accuracies of each run, from the cache or computed."""
    figures = computed_of_runs("score-gaps", runs, choice, _accuracies, _missing, takes_choices=True)
    return [GapsOfRun(run, labels[run.pk], figures[run]) for run in runs]


def score_gap_columns() -> list[Column]:
    """Return the columns of the table."""
    return [
        Column(
            name=f"score_gap_{place}",
            title=title,
            group="Accuracy by difference in human scores",
            marks_best=True,
            definition="studies/#score-gaps",
        )
        for place, title in enumerate(SCORE_GAP_TITLES, start=1)
    ]


def score_gap_sentence(gaps: Sequence[GapsOfRun]) -> str:
    """Write the best run where people see the smallest difference, and its accuracy at the largest; "" without one."""
    complete = [one for one in gaps if len(one.drawn) > 1]
    if not complete:
        return ""
    best = max(complete, key=lambda one: defined(one.drawn[0][1].value))
    (first, least), (last, most) = best.drawn[0], best.drawn[-1]
    return (
        f"{best.label} is right on {percent(defined(least.value))} of the pairs whose human scores differ by "
        f"{SCORE_GAP_TITLES[first]} of their range, and on {percent(defined(most.value))} of those that differ by "
        f"{SCORE_GAP_TITLES[last]}."
    )


def _accuracies(judged: Judged, people: People) -> list[Figure]:
    return accuracy_by_score_gap(judged.comparisons, people.human.scores)


def _missing(reason: str) -> list[Figure]:
    return [Figure.missing(reason)] * len(SCORE_GAP_TITLES)
