"""Accuracy of the runs of a study by the difference in length of the two texts."""

from __future__ import annotations

from collections.abc import Sequence

from evenhand.numerics import Figure
from evenhand.numerics.figure import defined
from evenhand.numerics.preferences.length_preference import GAP_EDGES
from rankings.report.number_text import percent
from rankings.report.report_row import LengthPreference
from rankings.studies.charts.accuracy.gap_lines import GAP_ENDS, GAP_HOVER, bin_titles, gap_axes, gap_line
from rankings.studies.charts.chart_tab import ChartTab
from rankings.studies.charts.chosen_runs import ChosenRuns
from rankings.studies.charts.line_tab import line_tab
from rankings.studies.pivots.pivot_source import NO_RECORD, parts_of_runs
from rankings.tables.table import Column

GAP_TITLES = bin_titles(GAP_EDGES)
LENGTH_AXES = gap_axes(
    "length",
    "Difference in length",
    GAP_TITLES,
    note="Difference in characters as a share of the longer text; bands: 95 % intervals over contexts.",
)
LONGER_OR_SHORTER = {"accuracy_longer_right": "longer is right", "accuracy_shorter_right": "shorter is right"}
LENGTH_DEFINITION = "report/#length_preference"
HALF_OF_DECISIONS = 0.5


def length_tab(chosen: ChosenRuns) -> ChartTab:
    """Draw accuracy by the difference in length."""
    rows = {part.run: part.rows.get(chosen.subset) for part in parts_of_runs(chosen.runs, chosen.rows)}
    lengths = {run: row.length_preference if row else None for run, row in rows.items()}
    by_gap = {run: [one.accuracy for one in own.accuracy_by_gap] if own else [] for run, own in lengths.items()}
    lines = [
        gap_line(
            run,
            by_gap[run],
            _figures(own, by_gap[run]),
            [one.undefined or "no value" for one in by_gap[run]] or [NO_RECORD],
        )
        for run, own in lengths.items()
    ]
    return line_tab(
        chosen,
        lines,
        _columns(),
        LENGTH_AXES,
        hover=GAP_HOVER,
        ends=GAP_ENDS,
        title="Accuracy by length",
        definition=LENGTH_DEFINITION,
        sentence=_sentence([(chosen.labels[run.pk], own) for run, own in lengths.items() if own]),
        usual_sort="length_preference",
    )


def _figures(own: LengthPreference | None, by_gap: Sequence[Figure]) -> list[Figure | None]:
    """Return the figures of the table. own: None without an answer in the subset."""
    if own is None:
        return [Figure.missing(NO_RECORD)] * len(_columns())
    return [*by_gap, *(getattr(own, name) for name in LONGER_OR_SHORTER), own.share]


def _columns() -> list[Column]:
    by_gap = [
        Column(name=f"gap_{place}", title=title, group="Accuracy by gap", marks_best=True, definition=LENGTH_DEFINITION)
        for place, title in enumerate(GAP_TITLES, start=1)
    ]
    by_side = [
        Column(name=name, title=title, group="Accuracy where", definition=LENGTH_DEFINITION)
        for name, title in LONGER_OR_SHORTER.items()
    ]
    share = Column(name="length_preference", title="Prefers longer", definition=LENGTH_DEFINITION, reference=0.5)
    return [*by_gap, *by_side, share]


def _sentence(lengths: Sequence[tuple[str, LengthPreference]]) -> str:
    """Write the run that is furthest from choosing the longer text half of the time; "" without one."""
    known = [(label, own) for label, own in lengths if own.share.value is not None]
    if not known:
        return ""
    label, most = max(known, key=lambda one: abs(defined(one[1].share.value) - HALF_OF_DECISIONS))
    beside = "" if most.human.value is None else f"; people prefer it in {percent(most.human.value)}"
    return f"{label} prefers the longer text in {percent(defined(most.share.value))} of its decisions{beside}."
