"""Two runs side by side as the page shows them. Computes nothing."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from rankings.report.run_page import EXPLANATIONS, TITLES, Card
from rankings.templatetags.differences import p_value, points, points_interval
from rankings.templatetags.figures import percent, ranking_name

Row = dict[str, Any]

SIGNIFICANT = 0.05
SIDE_CARDS = ("accuracy", "p_first", "order_agreement")


@dataclass(frozen=True, slots=True)
class DifferenceRow:
    """One line of the table of differences."""

    title: str
    row: Row
    is_share: bool


def sentence(result: Row) -> str:
    """By how much the first run agrees with people more, or less, than the second, and whether that may be chance."""
    one, other, difference = result["one"], result["other"], result["differences"][0]
    if difference["difference"] is None:
        return f"Which of the two agrees more with people is undefined: {difference['undefined']}."
    n = one["accuracy"]["n"]
    shares = f"{percent(difference['one'])} against {percent(difference['other'])}"
    if difference["difference"] == 0:
        begin = f"Run {one['run']} and run {other['run']} agree with people equally often on {n:,} comparisons"
    else:
        more = "more" if difference["difference"] > 0 else "less"
        begin = (
            f"Run {one['run']} agrees with people on {points(abs(difference['difference']))} {more} of {n:,} "
            f"comparisons than run {other['run']}"
        )
    if difference["p_value"] is None:
        return f"{begin} ({shares}). There is no test of it: {difference['undefined']}."
    within = f"95 % interval {points_interval(difference)}"
    chance = f"{p_value(difference['p_value_holm'])}{adjusted_for(n_tests(result))}"
    return f"{begin} ({shares}; {within}; {chance}). {verdict(difference)}"


def n_tests(result: Row) -> int:
    """How many of the differences have a test: p-values are adjusted for that many."""
    return sum(row["p_value"] is not None for row in result["differences"])


def adjusted_for(n: int) -> str:
    return f", adjusted for {n} tests" if n > 1 else ""


def verdict(difference: Row) -> str:
    """What the adjusted p-value says."""
    if difference["p_value_holm"] < SIGNIFICANT:
        return "Chance alone hardly explains it."
    return "Chance alone may explain it: these data do not tell the two apart."


def difference_rows(result: Row) -> list[DifferenceRow]:
    return [DifferenceRow(title(row), row, row["figure"] == "accuracy") for row in result["differences"]]


def title(row: Row) -> str:
    if row["ranking"] is None:
        return "Accuracy"
    return f"Spearman per context, {ranking_name(row['ranking'])}"


def side_cards(side: Row) -> list[Card]:
    """The figures of one of the two runs."""
    return [Card(TITLES[name], side[name], EXPLANATIONS[name], True) for name in SIDE_CARDS]


def agreement_cards(result: Row) -> list[Card]:
    """How far the two judges agree with each other."""
    return [
        Card(
            "Same decision",
            result["percent_agreement"],
            "Share of the comparisons on which both decide the same.",
            True,
        ),
        Card("Cohen’s kappa", result["cohen_kappa"], "The same, beyond chance: 1 is perfect, 0 chance.", False),
    ]


def pooled_rows(result: Row) -> list[Row]:
    return [row | {"title": ranking_name(row["ranking"])} for row in result["pooled"]]
