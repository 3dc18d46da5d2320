"""The sentence on top of the page of vote quality, and the columns of its table."""

from __future__ import annotations

from evenhand.numerics.reliability.rater_quality import QUALITY_FLAGS
from evenhand.units import counted
from rankings.quality.quality_report import QualityReport, RaterQualityRow

MOST_NAMED = 5


def quality_sentence(report: QualityReport) -> str:
    """Write who should be looked at, and why."""
    if not report.raters:
        return "Nobody has voted on this attribute yet."
    votes = counted(sum(row.votes for row in report.raters), "vote")
    people = f"{len(report.raters):,} {'person' if len(report.raters) == 1 else 'people'}"
    begin = f"{people} gave {votes}."
    flagged = [row for row in report.raters if row.flags and row.excluded is None]
    if not flagged:
        return f"{begin} No check of votes raises a flag."
    named = " ".join(map(_flag_sentence, flagged[:MOST_NAMED]))
    rest = len(flagged) - MOST_NAMED
    return f"{begin} {named}{f' {rest:,} more have flags in the table.' if rest > 0 else ''}"


def columns_with_values(report: QualityReport) -> dict[str, bool]:
    """Return name -> True for the groups of columns in which somebody has a value."""
    rows = report.raters
    return {
        "repeats": any(row.self_consistency.value is not None for row in rows),
        "gold": any(row.gold_accuracy.value is not None for row in rows),
        "times": any(row.median_seconds is not None for row in rows),
        "dates": any(row.drift.value is not None for row in rows),
    }


def _flag_sentence(row: RaterQualityRow) -> str:
    return f"{row.rater} {' and '.join(QUALITY_FLAGS[flag] for flag in row.flags)}."
