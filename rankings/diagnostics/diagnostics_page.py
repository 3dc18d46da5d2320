"""Sentences and cards of the page of diagnostics."""

from __future__ import annotations

from typing import Any

from django.http import QueryDict

from rankings.diagnostics import diagnostics_tables
from rankings.diagnostics.diagnostics_charts import joint_chart, reliability_chart
from rankings.diagnostics.diagnostics_row import Calibration, Consistency, Diagnostics
from rankings.report.number_text import points, points_interval
from rankings.report.pages.card_table import card_table
from rankings.report.pages.run_page import Card

CALIBRATION_CARDS = {
    "expected_calibration_error": (
        "Calibration error",
        "Mean gap between p and how often people prefer the first, over ten parts; 0 is perfect.",
    ),
    "brier_score": ("Brier score", "Mean squared gap, pair by pair: 0 is perfect, always saying one half gives 0.25."),
}
CONSISTENCY_CARDS = {
    "cyclic_triads": ("Cycles", "Share of the triads with A above B above C above A; a quarter for random answers."),
    "weak_violations": ("Weak transitivity broken", "A at least as good as B, B as C, and yet C above A."),
    "moderate_violations": ("Moderate", "P(A over C) is below the smaller of P(A over B) and P(B over C)."),
    "strong_violations": ("Strong", "P(A over C) is below the larger of the two."),
}


def calibration_sentence(diagnostics: Diagnostics) -> str:
    """Write the calibration error with its interval."""
    error = diagnostics.own.calibration.expected_calibration_error
    if error.value is None:
        return f"No calibration error: {error.undefined}."
    within = "" if error.low is None else f" (95 % interval {points_interval(error.low, error.high)})"
    return (
        f"The p of {diagnostics.name.judge} differs on average by {points(error.value)}{within} from how "
        f"often people prefer the first text (n = {error.n:,})."
    )


def figure_cards(block: Calibration | Consistency, titles: dict[str, tuple[str, str]], *, shares: bool) -> list[Card]:
    return [
        Card(title, getattr(block, name), explanation, shares, f"diagnostics/#{name}")
        for name, (title, explanation) in titles.items()
    ]


def correlation_card(diagnostics: Diagnostics) -> Card:
    correlation = diagnostics.own.calibration.score_differences.correlation
    title, meaning = "p and score difference", "Pearson’s correlation with the difference of the human scores."
    return Card(title, correlation, meaning, False, "diagnostics/#score_differences")


def diagnostics_content(diagnostics: Diagnostics, address: QueryDict) -> dict[str, Any]:
    """Return the template context of the page. address: its parameters, which sort the tables."""
    own, calibration = diagnostics.own, diagnostics.own.calibration
    return {
        "diagnostics": diagnostics,
        "sentence": calibration_sentence(diagnostics),
        "calibration": card_table(
            [*figure_cards(calibration, CALIBRATION_CARDS, shares=False), correlation_card(diagnostics)],
            title="Judge",
            name=diagnostics.name.judge,
            label="Calibration",
        ),
        "reliability_chart": reliability_chart(calibration.bins),
        "joint_chart": joint_chart(calibration.score_differences),
        "bins": diagnostics_tables.bins_table(calibration.bins, address),
        "differences": diagnostics_tables.differences_table(calibration.score_differences.by_p_first, address),
        "consistency": card_table(
            figure_cards(own.consistency, CONSISTENCY_CARDS, shares=True),
            title="Judge",
            name=diagnostics.name.judge,
            label="Consistency",
        ),
        "cycles": diagnostics_tables.cycles_table(own.consistency.contexts, address, run=diagnostics.name.run),
        "raters": diagnostics_tables.rater_fit_table(diagnostics.rater_fit.raters, address),
        "reliability": diagnostics_tables.reliability_table(list(own.reliability.items()), address),
        "systems": diagnostics_tables.systems_table(own.prediction_powered.systems, address),
    }
