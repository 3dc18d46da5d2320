"""Sentences, cards and tables of the page that compares two runs."""

from __future__ import annotations

from django.http import QueryDict

from evenhand.numerics.figure import defined
from evenhand.numerics.significance.families import LEVEL_OF_TEST
from rankings.compare import two_runs_tables
from rankings.compare.comparison_of_runs import RunsCompared
from rankings.report.number_text import p_value, percent, points, points_interval
from rankings.report.pages.card_table import card_table
from rankings.report.pages.run_page import Card


def two_runs_content(result: RunsCompared, address: QueryDict) -> dict[str, object]:
    """Return the template context of two runs. address: its parameters, which sort the tables."""
    return {
        "result": result,
        "title": two_runs_title(result),
        "sentence": difference_sentence(result),
        "sides": [result.one.name, result.other.name],
        "shares": two_runs_tables.shares_table(result, address),
        "correlations": two_runs_tables.correlations_table(result, address),
        "pooled": two_runs_tables.pooled_table(result, address),
        "between": card_table(
            agreement_cards(result),
            title="Runs",
            name=" and ".join(two_runs_tables.short_names(result)),
            label="Agreement between the two runs",
        ),
    }


def two_runs_title(result: RunsCompared) -> str:
    """Write the title that identifies the page: "SummEval · coherence · flan-t5-xl and gpt-4".

    Two runs of one judge are named by their prompts: "SummEval · coherence · gpt-4 · comparative-1 and cot-1".
    """
    one, other = result.one.name, result.other.name
    judge = [one.judge] if one.judge == other.judge else []
    return " · ".join([result.dataset, result.attribute, *judge, " and ".join(two_runs_tables.short_names(result))])


def difference_sentence(result: RunsCompared) -> str:
    """Write the difference of the two accuracies with its interval and p-value."""
    one, other, difference = result.one, result.other, result.differences[0]
    if difference.difference is None:
        return f"No difference in accuracy: {difference.undefined}."
    n = one.accuracy.n or 0
    shares = f"{percent(defined(difference.one))} against {percent(defined(difference.other))}"
    if difference.difference == 0:
        begin = f"{one.name.words} and {other.name.words} have the same accuracy, n = {n:,}"
    else:
        more = "higher" if difference.difference > 0 else "lower"
        begin = (
            f"The accuracy of {one.name.words} is {points(abs(difference.difference))} {more} than that of "
            f"{other.name.words}, n = {n:,}"
        )
    ends = "" if difference.low is None else f"; 95 % interval {points_interval(difference.low, difference.high)}"
    if difference.p_value_holm is None:
        return f"{begin} ({shares}{ends}). Not tested: {difference.undefined}."
    chance = p_value(difference.p_value_holm)
    verdict = "is significant" if difference.p_value_holm < LEVEL_OF_TEST else "is not significant"
    return f"{begin} ({shares}{ends}; {chance}). The difference {verdict}."


def agreement_cards(result: RunsCompared) -> list[Card]:
    """Return the agreement between the two judges."""
    same = "Share of the comparisons on which both decide the same."
    return [
        Card("Same decision", result.percent_agreement, same, True, "agreement/#two-runs"),
        Card(
            "Cohen’s kappa",
            result.cohen_kappa,
            "The same, beyond chance: 1 is perfect, 0 chance.",
            False,
            "agreement/#two-runs",
        ),
    ]
