"""Accuracy of the runs of a study by a difference between the two texts: in length, or in human scores."""

from collections.abc import Sequence
from itertools import pairwise
from statistics import fmean

from evenhand.numerics import Figure
from evenhand.numerics.figure import defined
from evenhand.numerics.preferences import GAP_EDGES
from evenhand.numerics.reliability.score_gaps import SCORE_GAP_EDGES, accuracy_by_score_gap
from judging.models import Run
from rankings.report.printed_numbers import percent
from rankings.report.report_row import LengthPreference
from rankings.studies.charts.chart_tab import ChartTab
from rankings.studies.charts.chosen_runs import ChosenRuns, Debias, computed_of_runs
from rankings.studies.charts.panels import PanelAxes, RunLine, line_tab
from rankings.studies.pivots.pivot_source import NO_RECORD, parts_of_runs
from rankings.tables.table import Column

GAP_ENDS, GAP_HOVER = (-0.02, 1.02), "%{y:.1%}"
GAP_TITLES, SCORE_GAP_TITLES = (
    [f"{100 * low:.0f}–{100 * high:.0f}\u202f%" for low, high in pairwise(edges)]
    for edges in (GAP_EDGES, SCORE_GAP_EDGES)
)
"""The title of each bin; edges are shares."""
LENGTH_DEFINITION, SCORE_DEFINITION = "report/#length_preference", "studies/#score-gaps"
HALF_OF_DECISIONS = 0.5


def length_tab(chosen: ChosenRuns) -> ChartTab:
    """Draw accuracy by the difference in length."""
    rows = {part.run: part.rows.get(chosen.subset) for part in parts_of_runs(chosen.runs, chosen.rows)}
    lengths = {run: row.length_preference if row else None for run, row in rows.items()}
    where = [("accuracy_longer_right", "longer is right"), ("accuracy_shorter_right", "shorter is right")]
    columns = [
        *_columns("gap", GAP_TITLES, group="Accuracy by gap", definition=LENGTH_DEFINITION),
        *(Column(name=name, title=one, group="Accuracy where", definition=LENGTH_DEFINITION) for name, one in where),
        Column(name="length_preference", title="Prefers longer", definition=LENGTH_DEFINITION, reference=0.5),
    ]
    return line_tab(
        chosen,
        [_length_line(run, own, len(columns)) for run, own in lengths.items()],
        columns,
        _axes(
            "length",
            "Difference in length",
            GAP_TITLES,
            note="Difference in characters as a share of the longer text; bands: 95 % intervals over contexts.",
        ),
        hover=GAP_HOVER,
        ends=GAP_ENDS,
        title="Accuracy by length",
        definition=LENGTH_DEFINITION,
        sentence=_length_sentence([(chosen.labels[run.pk], own) for run, own in lengths.items() if own]),
        usual_sort="length_preference",
    )


def score_gap_tab(chosen: ChosenRuns, *, debias: Debias = False) -> ChartTab:
    """Draw accuracy by the difference in human scores."""
    computed = computed_of_runs(
        "score-gaps",
        chosen,
        lambda judged, people: accuracy_by_score_gap(judged.comparisons, people.human.scores),
        lambda reason: [Figure.missing(reason)] * len(SCORE_GAP_TITLES),
        debiased=debias,
        takes_choices=True,
    )
    lines = [_line(run, one, one, [one[0].undefined or "no value"]) for run, one in computed.items()]
    title = "Accuracy by difference in human scores"
    return line_tab(
        chosen,
        lines,
        _columns("score_gap", SCORE_GAP_TITLES, group=title, definition=SCORE_DEFINITION),
        _axes(
            "score-gap",
            "Difference in human scores",
            SCORE_GAP_TITLES,
            note="Difference in human scores as a share of their range; bands: 95 % intervals over contexts.",
        ),
        hover=GAP_HOVER,
        ends=GAP_ENDS,
        title=title,
        definition=SCORE_DEFINITION,
        sentence=_score_sentence(lines, chosen),
    )


def _axes(name: str, title: str, bins: Sequence[str], *, note: str) -> PanelAxes:
    """Return the axes of accuracy against a difference. title: of the difference. bins: their titles."""
    x = {"title": title, "tickvals": [*range(len(bins))], "ticktext": list(bins), "range": [-0.2, len(bins) - 0.8]}
    return PanelAxes(name=name, note=note, x=x, y={"title": "Accuracy", "tickformat": ".0%"})


def _columns(name: str, bins: Sequence[str], *, group: str, definition: str) -> list[Column]:
    return [
        Column(name=f"{name}_{place}", title=title, group=group, marks_best=True, definition=definition)
        for place, title in enumerate(bins, start=1)
    ]


def _line(run: Run, by_gap: Sequence[Figure], figures: Sequence[Figure], reasons: Sequence[str]) -> RunLine:
    """Return the line of a run. by_gap: the accuracy in each bin. Runs with the best mean over the bins are first."""
    drawn = [(place, one) for place, one in enumerate(by_gap) if one.value is not None]
    return RunLine(run, drawn, figures, fmean(defined(one.value) for _, one in drawn) if drawn else 0, reasons)


def _length_line(run: Run, own: LengthPreference | None, n_columns: int) -> RunLine:
    """Return the line of a run. own: None without an answer in the subset."""
    if own is None:
        return _line(run, [], [Figure.missing(NO_RECORD)] * n_columns, [NO_RECORD])
    by_gap = [one.accuracy for one in own.accuracy_by_gap]
    figures = [*by_gap, own.accuracy_longer_right, own.accuracy_shorter_right, own.share]
    return _line(run, by_gap, figures, [one.undefined or "no value" for one in by_gap] or [NO_RECORD])


def _length_sentence(lengths: Sequence[tuple[str, LengthPreference]]) -> str:
    """Write the run that is furthest from choosing the longer text half of the time; "" without one."""
    known = [(label, own) for label, own in lengths if own.share.value is not None]
    if not known:
        return ""
    label, most = max(known, key=lambda one: abs(defined(one[1].share.value) - HALF_OF_DECISIONS))
    beside = "" if most.human.value is None else f"; people prefer it in {percent(most.human.value)}"
    return f"{label} prefers the longer text in {percent(defined(most.share.value))} of its decisions{beside}."


def _score_sentence(lines: Sequence[RunLine], chosen: ChosenRuns) -> str:
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
