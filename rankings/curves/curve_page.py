"""Curves as their page shows them: a table, a sentence, and what each curve is worth in votes. Computes nothing."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from judging.templatetags.numbers import decimals
from rankings.templatetags.figures import ranking_name

Row = dict[str, Any]


@dataclass(frozen=True, slots=True)
class CurveRow:
    """A point of a curve. votes: what it is worth in them; None for people's points, and where people are not drawn."""

    point: Row
    votes: Row | None

    @property
    def who(self) -> str:
        """Who answered."""
        return "people" if self.point["source"] == "people" else "judge"


def table_of(report: Row) -> list[CurveRow]:
    """All points in the report's order: the judge's, then those of people."""
    worth = [row["votes"] for row in report.get("worth", [])]
    worth += [None] * (len(report["points"]) - len(worth))
    return [CurveRow(point, votes) for point, votes in zip(report["points"], worth, strict=True)]


def reasons_of(report: Row) -> list[str]:
    """Why points do not exist, each reason once."""
    return list(dict.fromkeys(point["undefined"] for point in report["points"] if point["mean"] is None))


def ends_of(report: Row) -> list[Row]:
    """What the last point of each of the judge's curves is worth."""
    fields = ("ranking", "selection", "debiased", "average_orders")
    last = {tuple(row[field] for field in fields): row for row in report.get("worth", [])}
    return list(last.values())


def sentence_of(report: Row) -> str:
    """What the judge's comparisons are worth in votes, by the ranking whose people's curve the chart shows."""
    drawn = [
        point["ranking"] for point in report["points"] if point["source"] == "people" and point["mean"] is not None
    ]
    ends = [row for row in ends_of(report) if row["mean"] is not None and row["ranking"] in drawn[:1]]
    if not ends:
        return ""
    end = ends[0]
    what = f"Ranked by {ranking_name(end['ranking'])}, {end['comparisons']:,} LLM comparisons per context are worth"
    votes = end["votes"]
    if votes["value"] is None:
        return f"{what} an undefined number of human votes: {votes['undefined']}."
    return f"{what} {decimals(votes['value'], 1)} human votes."
