"""Accuracy of the runs of a study by the difference in the human scores of the two texts."""

from __future__ import annotations

from collections.abc import Sequence

from evenhand.numerics import Figure, Judged
from evenhand.numerics.figure import defined
from evenhand.numerics.reliability.score_gaps import SCORE_GAP_EDGES, accuracy_by_score_gap
from rankings.loading import People
from rankings.report.number_text import percent
from rankings.studies.charts.accuracy.gap_lines import GAP_ENDS, GAP_HOVER, bin_titles, gap_axes, gap_line
from rankings.studies.charts.chart_tab import ChartTab
from rankings.studies.charts.chosen_runs import ChosenRuns, Debias
from rankings.studies.charts.judged_answers import computed_of_runs
from rankings.studies.charts.line_tab import RunLine, line_tab
from rankings.tables.table import Column

SCORE_GAP_TITLES = bin_titles(SCORE_GAP_EDGES)
SCORE_GAP_AXES = gap_axes(
    "score-gap",
    "Difference in human scores",
    SCORE_GAP_TITLES,
    note="Difference in human scores as a share of their range; bands: 95 % intervals over contexts.",
)


def score_gap_tab(chosen: ChosenRuns, *, debias: Debias = False) -> ChartTab:
    """Draw accuracy by the difference in human scores."""
    answers = chosen.answers(debiased=debias)
    computed = computed_of_runs("score-gaps", chosen.runs, answers, _accuracies, _missing, takes_choices=True)
    lines = [gap_line(run, one, one, [one[0].undefined or "no value"]) for run, one in computed.items()]
    return line_tab(
        chosen,
        lines,
        _columns(),
        SCORE_GAP_AXES,
        hover=GAP_HOVER,
        ends=GAP_ENDS,
        title="Accuracy by difference in human scores",
        definition="studies/#score-gaps",
        sentence=_sentence(lines, chosen),
    )


def _accuracies(judged: Judged, people: People) -> list[Figure]:
    return accuracy_by_score_gap(judged.comparisons, people.human.scores)


def _missing(reason: str) -> list[Figure]:
    return [Figure.missing(reason)] * len(SCORE_GAP_TITLES)


def _columns() -> list[Column]:
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


def _sentence(lines: Sequence[RunLine], chosen: ChosenRuns) -> str:
    """Write the best run where people see the smallest difference, and its accuracy at the largest; "" without one."""
    complete = [one for one in lines if len(one.drawn) > 1]
    if not complete:
        return ""
    best = max(complete, key=lambda one: defined(one.drawn[0][1].value))
    (first, least), (last, most) = best.drawn[0], best.drawn[-1]
    return (
        f"{chosen.labels[best.run.pk]} is right on {percent(defined(least.value))} of the pairs whose human scores "
        f"differ by {SCORE_GAP_TITLES[int(first)]} of their range, and on {percent(defined(most.value))} of those that "
        f"differ by {SCORE_GAP_TITLES[int(last)]}."
    )
