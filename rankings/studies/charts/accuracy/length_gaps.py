"""Accuracy of the runs of a study by the difference in length of the two texts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from evenhand.numerics import Figure
from evenhand.numerics.figure import defined
from evenhand.numerics.preferences.length_preference import GAP_EDGES
from judging.models import Run
from rankings.report.number_text import percent
from rankings.report.report_row import LengthPreference
from rankings.studies.charts.accuracy.gap_charts import GapsOfRun, bin_titles
from rankings.studies.pivots.pivot_source import RunParts
from rankings.tables.table import Column

GAP_TITLES = bin_titles(GAP_EDGES)
LENGTH_NOTE = "Difference in characters as a share of the longer text; bands: 95 % intervals over contexts."
LONGER_OR_SHORTER = {"accuracy_longer_right": "longer is right", "accuracy_shorter_right": "shorter is right"}
HALF_OF_DECISIONS = 0.5


@dataclass(frozen=True, slots=True)
class LengthsOfRun:
    """The preference of a run for longer texts. own: None without an answer in the subset."""

    run: Run
    label: str
    own: LengthPreference | None

    @property
    def by_gap(self) -> list[Figure]:
        return [one.accuracy for one in self.own.accuracy_by_gap] if self.own else []

    def figures(self, reason: str) -> list[Figure | None]:
        """Return the figures of the table. reason: why a run without `own` has none."""
        if self.own is None:
            return [Figure.missing(reason)] * (len(GAP_TITLES) + len(LONGER_OR_SHORTER) + 1)
        return [*self.by_gap, *(getattr(self.own, name) for name in LONGER_OR_SHORTER), self.own.share]


def lengths_of_runs(parts: Sequence[RunParts], subset: str, labels: Mapping[int, str]) -> list[LengthsOfRun]:
    """Return the preference of each run."""
    return [
        LengthsOfRun(
            part.run, labels[part.run.pk], part.rows[subset].length_preference if subset in part.rows else None
        )
        for part in parts
    ]


def length_gaps_of_runs(lengths: Sequence[LengthsOfRun]) -> list[GapsOfRun]:
    """Return the accuracy of each run by the difference in length."""
    return [GapsOfRun(one.run, one.label, one.by_gap) for one in lengths]


def length_columns() -> list[Column]:
    """Return the columns of the table."""
    definition = "report/#length_preference"
    by_gap = [
        Column(name=f"gap_{place}", title=title, group="Accuracy by gap", marks_best=True, definition=definition)
        for place, title in enumerate(GAP_TITLES, start=1)
    ]
    by_side = [
        Column(name=name, title=title, group="Accuracy where", definition=definition)
        for name, title in LONGER_OR_SHORTER.items()
    ]
    preference = Column(name="length_preference", title="Prefers longer", definition=definition, reference=0.5)
    return [*by_gap, *by_side, preference]


def longer_text_sentence(lengths: Sequence[LengthsOfRun]) -> str:
    """Write the run that is furthest from choosing the longer text half of the time; "" without one."""
    known = [one for one in lengths if one.own and one.own.share.value is not None]
    if not known:
        return ""
    shares = {one.label: defined(one.own.share.value) for one in known if one.own}
    label = max(shares, key=lambda name: abs(shares[name] - HALF_OF_DECISIONS))
    people = next((one.own.human.value for one in known if one.own and one.label == label), None)
    beside = "" if people is None else f"; people prefer it in {percent(people)}"
    return f"{label} prefers the longer text in {percent(shares[label])} of its decisions{beside}."
