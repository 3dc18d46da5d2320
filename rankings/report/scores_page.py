"""Scores as their page shows them: what a number of each ranking means, and why some are missing. Computes nothing."""

from __future__ import annotations

from collections.abc import Sequence

from rankings.numerics import RANKINGS
from rankings.report.report_rows import ScoreRow
from rankings.report.run_figures import SCORE
from rankings.report.run_page import by_reason

UNITS = {name: ranking.unit for name, ranking in RANKINGS.items()} | {SCORE: "As the judge or metric gave them."}
"""ranking -> a sentence that says what its scores mean."""
TITLES = {"rank": "Rank", "score": "Score", "standard_error": "Standard error"}


def reasons(rows: Sequence[ScoreRow]) -> list[str]:
    """Why some numbers of a table of scores are undefined, each reason once."""
    return by_reason(
        (title, row.undefined[field]) for row in rows for field, title in TITLES.items() if field in row.undefined
    )
