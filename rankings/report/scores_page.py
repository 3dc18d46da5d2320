"""Scores as their page shows them: what a number of each ranking means, and why some are missing. Computes nothing."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rankings.report.run_figures import SCORE
from rankings.report.run_page import by_reason

Row = dict[str, Any]

_ODDS = "in nats, mean zero within a context: one that is 1 higher is preferred with odds of 2.7 to 1"
_PROBABILITY = (
    "in units of probability, mean zero within a context: one that is 0.1 higher is expected to be preferred with a "
    "probability of 0.6"
)
MEANINGS = {
    "bradley-terry": f"From decisions, {_ODDS}.",
    "win-ratio": "Share of its comparisons that a candidate won, a tie counting one half: 0 to 1.",
    "average-probability": "Mean probability of being better, over a candidate’s comparisons: 0 to 1.",
    "poe-bt": f"From probabilities, {_ODDS}.",
    "poe-gaussian": f"From probabilities, {_PROBABILITY}.",
    "poe-gaussian-hard": f"From decisions, {_PROBABILITY}.",
    "likelihood": (
        "Minus the place in the order that makes the answers likeliest: −1 is best. Where several orders are equally "
        "likely, the order of the dataset decides."
    ),
    SCORE: "As the judge or metric gave them.",
}
TITLES = {"rank": "Rank", "score": "Score", "standard_error": "Standard error"}


def reasons(rows: Sequence[Row]) -> list[str]:
    """Why some numbers of a table of scores are undefined, each reason once."""
    return by_reason(
        (title, row["undefined"][field]) for row in rows for field, title in TITLES.items() if row[field] is None
    )
