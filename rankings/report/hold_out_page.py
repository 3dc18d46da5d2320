"""The held-out figures of an adaptive run, as the results pages show them. Computes nothing."""

from __future__ import annotations

from collections.abc import Sequence

from rankings.numerics import Figure
from rankings.report.number_text import percent
from rankings.report.report_row import FIGURES, ReportRow
from rankings.report.run_page import Card, card


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
    """Warn for each adaptive run that its figures are not comparable, and give its accuracy on random pairs."""
    return [_sentence(row.name.run, row.hold_out.accuracy) for row in rows if row.is_whole and row.hold_out]


def _sentence(run: int, accuracy: Figure) -> str:
    chosen = f"Run {run} chose its pairs by its own answers, so they are not a random sample"
    if accuracy.value is None:
        return f"{chosen}; its accuracy on random pairs is undefined: {accuracy.undefined}."
    return f"{chosen}; on pairs drawn at random its accuracy is {percent(accuracy.value)} (n = {accuracy.n:,})."
