"""What an adaptive run holds out, as the results pages show it. Computes nothing."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rankings.report.hold_out import held_out_rows
from rankings.report.run_page import Card, cards
from rankings.templatetags.figures import percent

FIGURES = ("accuracy", "p_first", "order_agreement")

Row = dict[str, Any]


def hold_out_cards(row: Row) -> list[Card]:
    """Empty for a run that is not adaptive."""
    return cards(row["hold_out"], FIGURES) if "hold_out" in row else []


def hold_out_sentences(rows: Sequence[Row]) -> list[str]:
    """For each adaptive run, why its figures are not to be set beside those of others, and the accuracy that can be."""
    return [_sentence(row["run"], row["hold_out"]["accuracy"]) for row in held_out_rows(rows)]


def _sentence(run: int, accuracy: Row) -> str:
    chosen = f"Run {run} chose its pairs by its own answers, so they are no fair sample of all pairs"
    if accuracy["value"] is None:
        return f"{chosen}; its accuracy on random pairs is undefined: {accuracy['undefined']}."
    return f"{chosen}; on pairs drawn at random its accuracy is {percent(accuracy['value'])} (n = {accuracy['n']:,})."
