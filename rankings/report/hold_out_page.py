"""The held-out figures of an adaptive run, as the results pages show them. Computes nothing."""

from __future__ import annotations

from collections.abc import Sequence

from rankings.numerics import Figure
from rankings.report.report_row import FIGURES, ReportRow
from rankings.report.run_page import Card, card
from rankings.templatetags.figures import percent


def hold_out_cards(row: ReportRow) -> list[Card]:
    """Empty for a run that is not adaptive."""
    if row.hold_out is None:
        return []
    found = row.hold_out
    return [
        card(FIGURES["accuracy"], found.accuracy),
        card(FIGURES["p_first"], found.p_first),
        card(FIGURES["order_agreement"], found.order_agreement),
    ]


def hold_out_sentences(rows: Sequence[ReportRow]) -> list[str]:
    """For each adaptive run, why its figures are not to be set beside those of others, and the accuracy that can be."""
    return [_sentence(row.name.run, row.hold_out.accuracy) for row in rows if row.is_whole and row.hold_out]


def _sentence(run: int, accuracy: Figure) -> str:
    chosen = f"Run {run} chose its pairs by its own answers, so they are no fair sample of all pairs"
    if accuracy.value is None:
        return f"{chosen}; its accuracy on random pairs is undefined: {accuracy.undefined}."
    return f"{chosen}; on pairs drawn at random its accuracy is {percent(accuracy.value)} (n = {accuracy.n:,})."
