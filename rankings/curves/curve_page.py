"""Curves as their page shows them: a table, a sentence, and what each curve is worth in votes. Computes nothing."""

from __future__ import annotations

from dataclasses import dataclass

from judging.templatetags.numbers import decimals
from rankings.curves.curve_report import PEOPLE, CurveReport, Point, Worth
from rankings.numerics import Figure
from rankings.templatetags.figures import ranking_name


@dataclass(frozen=True, slots=True)
class CurveRow:
    """A point of a curve. votes: what it is worth in them; None for people's points, and where people are not drawn."""

    point: Point
    votes: Figure | None

    @property
    def who(self) -> str:
        """Who answered."""
        return "people" if self.point.source == "people" else "judge"


def table_of(report: CurveReport) -> list[CurveRow]:
    """All points in the report's order: the judge's, then those of people."""
    worth = [one.votes for one in report.worth or []]
    of_people = [None] * (len(report.points) - len(worth))
    return [CurveRow(point, votes) for point, votes in zip(report.points, [*worth, *of_people], strict=True)]


def reasons_of(report: CurveReport) -> list[str]:
    """Why points do not exist, each reason once."""
    return list(dict.fromkeys(point.undefined or "" for point in report.points if point.mean is None))


def ends_of(report: CurveReport) -> list[Worth]:
    """What the last point of each of the judge's curves is worth."""
    last = {(one.ranking, one.selection, one.debiased, one.average_orders): one for one in report.worth or []}
    return list(last.values())


def sentence_of(report: CurveReport) -> str:
    """What the judge's comparisons are worth in votes, by the ranking whose people's curve the chart shows."""
    drawn = [point.ranking for point in report.points if point.source == PEOPLE and point.mean is not None]
    ends = [one for one in ends_of(report) if one.mean is not None and one.ranking in drawn[:1]]
    if not ends:
        return ""
    end = ends[0]
    what = f"Ranked by {ranking_name(end.ranking)}, {end.comparisons:,} LLM comparisons per context are worth"
    if end.votes.value is None:
        return f"{what} an undefined number of human votes: {end.votes.undefined}."
    return f"{what} {decimals(end.votes.value, 1)} human votes."
