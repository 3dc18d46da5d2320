"""Two runs side by side as the page shows them. Computes nothing."""

from __future__ import annotations

from dataclasses import dataclass

from rankings.compare.comparison_of_runs import FigureDifference, PooledTests, RunsCompared, SideRow
from rankings.report.figure_json import known
from rankings.report.report_row import FIGURES
from rankings.report.run_page import Card, card
from rankings.templatetags.differences import p_value, points, points_interval
from rankings.templatetags.figures import percent, ranking_name

SIGNIFICANT = 0.05


@dataclass(frozen=True, slots=True)
class DifferenceRow:
    """One line of the table of differences."""

    title: str
    row: FigureDifference
    is_share: bool


def sentence(result: RunsCompared) -> str:
    """By how much the first run agrees with people more, or less, than the second, and whether that may be chance."""
    one, other, difference = result.one, result.other, result.differences[0]
    if difference.difference is None:
        return f"Which of the two agrees more with people is undefined: {difference.undefined}."
    n = one.accuracy.n or 0
    shares = f"{percent(known(difference.one))} against {percent(known(difference.other))}"
    if difference.difference == 0:
        begin = f"Run {one.name.run} and run {other.name.run} agree with people equally often on {n:,} comparisons"
    else:
        more = "more" if difference.difference > 0 else "less"
        begin = (
            f"Run {one.name.run} agrees with people on {points(abs(difference.difference))} {more} of {n:,} "
            f"comparisons than run {other.name.run}"
        )
    if difference.p_value is None:
        return f"{begin} ({shares}). There is no test of it: {difference.undefined}."
    within = f"95 % interval {points_interval(difference)}"
    chance = f"{p_value(known(difference.p_value_holm))}{adjusted_for(n_tests(result))}"
    return f"{begin} ({shares}; {within}; {chance}). {verdict(difference)}"


def n_tests(result: RunsCompared) -> int:
    """How many of the differences have a test: p-values are adjusted for that many."""
    return sum(row.p_value is not None for row in result.differences)


def adjusted_for(n: int) -> str:
    return f", adjusted for {n} tests" if n > 1 else ""


def verdict(difference: FigureDifference) -> str:
    """What the adjusted p-value says."""
    if known(difference.p_value_holm) < SIGNIFICANT:
        return "Chance alone hardly explains it."
    return "Chance alone may explain it: these data do not tell the two apart."


def difference_rows(result: RunsCompared) -> list[DifferenceRow]:
    return [DifferenceRow(title(row), row, row.figure == "accuracy") for row in result.differences]


def title(row: FigureDifference) -> str:
    if row.ranking is None:
        return "Accuracy"
    return f"Spearman per context, {ranking_name(row.ranking)}"


def side_cards(side: SideRow) -> list[Card]:
    """The figures of one of the two runs."""
    return [
        card(FIGURES["accuracy"], side.accuracy),
        card(FIGURES["p_first"], side.p_first),
        card(FIGURES["order_agreement"], side.order_agreement),
    ]


def agreement_cards(result: RunsCompared) -> list[Card]:
    """How far the two judges agree with each other."""
    return [
        Card(
            "Same decision",
            result.percent_agreement,
            "Share of the comparisons on which both decide the same.",
            True,
        ),
        Card("Cohen’s kappa", result.cohen_kappa, "The same, beyond chance: 1 is perfect, 0 chance.", False),
    ]


def pooled_rows(result: RunsCompared) -> list[tuple[str, PooledTests]]:
    """The tests of each ranking, with its title."""
    return [(ranking_name(tests.ranking), tests) for tests in result.pooled]
