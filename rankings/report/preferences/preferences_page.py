"""Sentences and cards about preferences for longer texts and for the judge's own family."""

from __future__ import annotations

from dataclasses import dataclass

from rankings.numerics import Figure
from rankings.report.number_text import percent
from rankings.report.report_row import ReportRow
from rankings.report.run_page import Card

OF_PEOPLE = "The same for people: of these comparisons, those in which they prefer one text."
LONGER_RIGHT = "Accuracy where people prefer the longer text."
SHORTER_RIGHT = "Accuracy where people prefer the shorter text. Where it is much lower, length misleads the judge."


@dataclass(frozen=True, slots=True)
class LengthGap:
    """Accuracy of the comparisons with a given difference in length. lengths: the range, for example "10 to 25 %"."""

    lengths: str
    accuracy: Figure


def preferences_context(row: ReportRow) -> dict[str, object]:
    """Return the template context of the preferences of a run."""
    return {
        "length_sentence": length_sentence(row),
        "length_cards": length_cards(row),
        "gaps": gaps(row),
        "gap_reasons": gap_reasons(row),
        "self_sentence": self_sentence(row),
        "self_cards": self_cards(row),
    }


def length_cards(row: ReportRow) -> list[Card]:
    """How often the longer text wins, and how right the judge is when it should win, or should not."""
    found = row.length_preference
    return [
        Card("Prefers the longer text", found.share, "Share of the decisions for the longer text.", True),
        Card("People prefer the longer text", found.human, OF_PEOPLE, True),
        Card("Right where the longer is better", found.accuracy_longer_right, LONGER_RIGHT, True),
        Card("Right where the shorter is better", found.accuracy_shorter_right, SHORTER_RIGHT, True),
    ]


def gaps(row: ReportRow) -> list[LengthGap]:
    """Accuracy by the difference in length."""
    return [
        LengthGap(f"{100 * gap.gap_from:.0f} to {100 * gap.gap_to:.0f}\u202f%", gap.accuracy)
        for gap in row.length_preference.accuracy_by_gap
    ]


def gap_reasons(row: ReportRow) -> list[str]:
    """Why some of these accuracies are undefined, each reason once."""
    return list(dict.fromkeys(gap.accuracy.undefined or "" for gap in gaps(row) if gap.accuracy.value is None))


def self_cards(row: ReportRow) -> list[Card]:
    """How often the text of the judge's own family wins; nothing where the judge has no family here."""
    found = row.self_preference
    if not found.systems:
        return []
    own = "Share of the decisions for the text of the judge’s own family, where only one of the two is."
    return [
        Card("Prefers its own family", found.share, own, True),
        Card("People prefer it", found.human, OF_PEOPLE, True),
    ]


def self_sentence(row: ReportRow) -> str:
    """Write the family that was guessed, so that a reader sees a wrong guess."""
    found = row.self_preference
    if not found.systems:
        return f"Not applicable: {found.share.undefined}."
    return (
        f"Guessed from names: “{found.judge}” is of the family {found.family}, and so "
        f"{'is' if len(found.systems) == 1 else 'are'} {', '.join(found.systems)}."
    )


def length_sentence(row: ReportRow) -> str:
    """Write how often the judge and people prefer the longer text."""
    found = row.length_preference
    if found.share.value is None:
        return f"Not applicable: {found.share.undefined}."
    sentence = f"It prefers the longer text in {percent(found.share.value)} of its decisions"
    if found.human.value is None:
        return f"{sentence}; the human preference is undefined: {found.human.undefined}."
    return f"{sentence}, people in {percent(found.human.value)}."
