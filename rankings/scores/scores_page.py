"""Texts of the page of scores: the unit of each ranking, and why some scores are undefined."""

from __future__ import annotations

from collections.abc import Sequence

from rankings.numerics import RANKINGS
from rankings.report.run_figures import SCORE
from rankings.report.run_page import by_reason
from rankings.scores.score_rows import ScoreRow

UNITS = {name: ranking.unit for name, ranking in RANKINGS.items()} | {SCORE: "As given by the judge or metric."}
"""ranking -> a sentence that says what its scores mean."""
TITLES = {"rank": "Rank", "score": "Score", "standard_error": "Standard error"}


def reasons(rows: Sequence[ScoreRow]) -> list[str]:
    """List why numbers of the table are undefined, each reason once."""
    return by_reason(
        (title, row.undefined[field]) for row in rows for field, title in TITLES.items() if field in row.undefined
    )
