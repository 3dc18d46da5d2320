"""The sentence on top of the page of repeatability."""

from __future__ import annotations

from judging.units import counted
from rankings.numerics.figure import defined
from rankings.repeats.repeatability_report import RepeatabilityReport, RepeatabilityRow
from rankings.report.number_text import interval, percent, points


def repeatability_sentence(report: RepeatabilityReport) -> str:
    """Write which judge changes its decisions most, and by how much."""
    known = [row for row in report.rows if row.flip_rate.value is not None]
    if not known:
        return ""
    worst = max(known, key=lambda row: defined(row.flip_rate.value))
    if worst.flip_rate.value == 0:
        return f"Asked again, {'the judge' if len(known) == 1 else 'every judge'} decides the same."
    return f"Asked again, {_title(worst)} changes {_flips(worst)} of its decisions.{_floor(worst)}"


def _title(row: RepeatabilityRow) -> str:
    return f"{row.name.judge} ({row.name.prompt})"


def _flips(row: RepeatabilityRow) -> str:
    share = percent(defined(row.flip_rate.value))
    return share if row.flip_rate.low is None else f"{share} (95 % interval {interval(row.flip_rate)})"


def _floor(row: RepeatabilityRow) -> str:
    accuracy = row.figures[0].noise_floor
    if accuracy.value is None:
        return ""
    repeats = counted(row.repeats, "repeat")
    return f" Differences of its accuracy below {points(accuracy.value)} are noise, by {repeats}."
