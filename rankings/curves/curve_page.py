"""The sentences of the page of ranking curves, and the worth of each curve in votes."""

from __future__ import annotations

from judging.templatetags.numbers import decimals
from rankings.curves.curve_records import CurveReport, Worth
from rankings.report.number_text import ranking_title


def reasons_of(report: CurveReport) -> list[str]:
    """List why points are undefined, each reason once."""
    return list(dict.fromkeys(point.undefined or "" for point in report.points if point.mean is None))


def ends_of(report: CurveReport) -> list[Worth]:
    """Return the worth of the last point of each of the judge's curves."""
    return list({one.curve: one for one in report.worth or []}.values())


def _without_number(comparisons: str, end: Worth, report: CurveReport) -> str:
    """Write a worth that is above or below all that people's votes reach, or why there is none."""
    people = [point for point in report.points if point.source == "people" and point.ranking == end.ranking]
    drawn = [point for point in people if point.mean is not None]
    if end.mean is None or not drawn:
        return f"{comparisons} cannot be expressed in human votes: {end.votes.undefined}."
    most, fewest = drawn[-1], drawn[0]
    if end.mean > max(point.mean or 0 for point in drawn):
        votes = f"more than {decimals(most.comparisons, 0)} human votes, all that were collected"
    else:
        votes = f"fewer than {decimals(fewest.comparisons, 0)} human votes, the fewest that a curve needs"
    return f"{comparisons} are worth {votes}."


def sentence_of(report: CurveReport) -> str:
    """Write the worth of the judge's comparisons in votes, by the ranking of the drawn human curve."""
    drawn = [point.ranking for point in report.points if point.source == "people" and point.mean is not None]
    ends = [one for one in ends_of(report) if one.mean is not None and one.ranking in drawn[:1]]
    if not ends:
        return ""
    end = ends[0]
    comparisons = f"Ranked by {ranking_title(end.ranking)}, {end.comparisons:,} LLM comparisons per context"
    if end.votes.value is None:
        return _without_number(comparisons, end, report)
    return f"{comparisons} are worth {decimals(end.votes.value, 1)} human votes."
