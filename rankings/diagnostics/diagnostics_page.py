"""Sentences, cards and tables of the page of diagnostics."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from rankings.diagnostics.diagnostics_charts import joint_chart, reliability_chart
from rankings.diagnostics.diagnostics_row import (
    Calibration,
    Consistency,
    Diagnostics,
    PoweredSystem,
    Reliability,
)
from rankings.report.number_text import points, points_interval, ranking_title
from rankings.report.pages.run_page import Card, by_reason

MOST_CONTEXTS, MOST_RATERS, MOST_SYSTEMS = 20, 40, 50
CALIBRATION_CARDS = {
    "expected_calibration_error": (
        "Calibration error",
        "Mean gap between P(first) and how often people prefer the first, over ten parts; 0 is perfect.",
    ),
    "brier_score": ("Brier score", "Mean squared gap, pair by pair: 0 is perfect, always saying one half gives 0.25."),
}
CONSISTENCY_CARDS = {
    "cyclic_triads": ("Cycles", "Share of the triads with A above B above C above A; a quarter for random answers."),
    "weak_violations": ("Weak transitivity broken", "A at least as good as B, B as C, and yet C above A."),
    "moderate_violations": ("Moderate", "P(A over C) is below the smaller of P(A over B) and P(B over C)."),
    "strong_violations": ("Strong", "P(A over C) is below the larger of the two."),
}

SYSTEM_TITLES = {
    "win_rate_people": "Win rate, people alone",
    "win_rate": "Win rate, with the judge",
    "win_rate_effective_n": "Win rate, effective n",
    "score_people": "Score, people alone",
    "score": "Score, with the judge",
    "score_effective_n": "Score, effective n",
}


@dataclass(frozen=True, slots=True)
class FirstRows:
    """The first rows of a table, and the number of rows left out, which are in the download."""

    rows: Sequence[object]
    left_out: int

    @classmethod
    def first(cls, rows: Sequence[object], most: int) -> FirstRows:
        return cls(rows[:most], max(len(rows) - most, 0))


def calibration_sentence(diagnostics: Diagnostics) -> str:
    """Write the calibration error with its interval."""
    error = diagnostics.own.calibration.expected_calibration_error
    if error.value is None:
        return f"No calibration error: {error.undefined}."
    within = "" if error.low is None else f" (95 % interval {points_interval(error.low, error.high)})"
    return (
        f"The P(first) of {diagnostics.name.judge} differs on average by {points(error.value)}{within} from how "
        f"often people prefer the first text (n = {error.n:,})."
    )


def figure_cards(block: Calibration | Consistency, titles: dict[str, tuple[str, str]], *, shares: bool) -> list[Card]:
    return [
        Card(title, getattr(block, name), explanation, shares, f"diagnostics/#{name}")
        for name, (title, explanation) in titles.items()
    ]


def correlation_card(diagnostics: Diagnostics) -> Card:
    correlation = diagnostics.own.calibration.score_differences.correlation
    title, meaning = "P(first) and score difference", "Pearson’s correlation with the difference of the human scores."
    return Card(title, correlation, meaning, False, "diagnostics/#score_differences")


def reliability_rows(diagnostics: Diagnostics) -> list[tuple[str, Reliability]]:
    """Return the reliability of each ranking, with its title."""
    return [(ranking_title(name), one) for name, one in diagnostics.own.reliability.items()]


def reliability_reasons(rows: Sequence[tuple[str, Reliability]]) -> list[str]:
    """List why rankings lack a reliability, each reason once, with the names of the rankings."""
    return by_reason(
        (title, figure.undefined or "")
        for title, one in rows
        for figure in (one.split_half, one.separation_reliability, one.separation_index)
        if figure.value is None
    )


def system_reasons(rows: Sequence[PoweredSystem]) -> list[str]:
    """List why figures of systems are undefined, each reason once, with the names of the figures."""
    figures = [(getattr(row, name), title) for row in rows for name, title in SYSTEM_TITLES.items()]
    return by_reason((title, figure.undefined) for figure, title in figures if figure.value is None)


def raters(diagnostics: Diagnostics) -> FirstRows:
    """Return judges before people, then those with the most answers."""
    ordered = sorted(diagnostics.rater_fit.raters, key=lambda rater: (rater.kind != "judge", -(rater.infit.n or 0)))
    return FirstRows.first(ordered, MOST_RATERS)


def diagnostics_content(diagnostics: Diagnostics) -> dict[str, Any]:
    """Return the template context of the page."""
    by_ranking, systems = reliability_rows(diagnostics), diagnostics.own.prediction_powered.systems
    return {
        "diagnostics": diagnostics,
        "sentence": calibration_sentence(diagnostics),
        "calibration": [
            *figure_cards(diagnostics.own.calibration, CALIBRATION_CARDS, shares=False),
            correlation_card(diagnostics),
        ],
        "reliability_chart": reliability_chart(diagnostics.own.calibration.bins),
        "joint_chart": joint_chart(diagnostics.own.calibration.score_differences),
        "consistency": figure_cards(diagnostics.own.consistency, CONSISTENCY_CARDS, shares=True),
        "cycles": FirstRows.first(diagnostics.own.consistency.contexts, MOST_CONTEXTS),
        "raters": raters(diagnostics),
        "reliability": by_ranking,
        "reliability_reasons": reliability_reasons(by_ranking),
        "systems": FirstRows.first(systems, MOST_SYSTEMS),
        "systems_reasons": system_reasons(systems),
    }
