"""Sentences and cards about preferences for longer texts and for the judge's own family."""

from dataclasses import dataclass

from evenhand.numerics import Figure
from rankings.report.pages.sentences_and_cards import Card
from rankings.report.printed_numbers import percent
from rankings.report.report_row import ReportRow

DEFINED = "report/#preferences-other-than-quality"
OF_PEOPLE = "The same for people, on these comparisons where they prefer one text."
OWN_FAMILY = "Share of the decisions for the text of the judge’s own family, where only one text is of that family."
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
    """Return the cards of the preference for longer texts."""
    length = row.length_preference
    return [
        Card("Prefers the longer text", length.share, "Share of the decisions for the longer text.", True, DEFINED),
        Card("People prefer the longer text", length.human, OF_PEOPLE, True, DEFINED),
        Card("Right where the longer is better", length.accuracy_longer_right, LONGER_RIGHT, True, DEFINED),
        Card("Right where the shorter is better", length.accuracy_shorter_right, SHORTER_RIGHT, True, DEFINED),
    ]


def gaps(row: ReportRow) -> list[LengthGap]:
    """Return the accuracies by difference in length."""
    return [
        LengthGap(f"{100 * gap.gap_from:.0f} to {100 * gap.gap_to:.0f}\u202f%", gap.accuracy)
        for gap in row.length_preference.accuracy_by_gap
    ]


def gap_reasons(row: ReportRow) -> list[str]:
    """List why accuracies by difference in length are undefined, each reason once."""
    return list(dict.fromkeys(gap.accuracy.undefined or "" for gap in gaps(row) if gap.accuracy.value is None))


def self_cards(row: ReportRow) -> list[Card]:
    """Return the cards of the preference for the judge's own family; none if no system belongs to it."""
    preference = row.self_preference
    if not preference.systems:
        return []
    return [
        Card("Prefers its own family", preference.share, OWN_FAMILY, True, DEFINED),
        Card("People prefer it", preference.human, OF_PEOPLE, True, DEFINED),
    ]


def self_sentence(row: ReportRow) -> str:
    """Write the guessed family, so that a reader sees a wrong guess."""
    preference = row.self_preference
    if not preference.systems:
        return f"Not applicable: {preference.share.undefined}."
    return (
        f"Guessed from names: “{preference.judge}” is of the family {preference.family}, and so "
        f"{'is' if len(preference.systems) == 1 else 'are'} {', '.join(preference.systems)}."
    )


def length_sentence(row: ReportRow) -> str:
    """Write how often the judge and people prefer the longer text."""
    share, human = row.length_preference.share, row.length_preference.human
    if share.value is None:
        return f"Not applicable: {share.undefined}."
    sentence = f"It prefers the longer text in {percent(share.value)} of its decisions"
    if human.value is None:
        return f"{sentence}; the human preference is undefined: {human.undefined}."
    return f"{sentence}, people in {percent(human.value)}."
