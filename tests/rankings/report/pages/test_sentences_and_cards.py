"""Report rows as sentences, cards and tables."""

from dataclasses import replace

import pytest

from evenhand.numerics import RANKINGS, Figure
from evenhand.numerics.correlation.coefficients import LEVELS
from evenhand.numerics.significance.families import TOO_FEW_TO_TEST
from rankings.compare import two_runs_page
from rankings.compare.comparison_of_runs import FigureDifference, McNemar, RunsCompared, SideRow
from rankings.report.figures.figure_definitions import FIGURES
from rankings.report.pages import sentences_and_cards
from rankings.report.pair_digests import Asked
from rankings.report.printed_numbers import interval, percent
from rankings.report.report_row import (
    AccuraciesWithTies,
    AccuracyWithTiesBlock,
    CorrelationBlock,
    Correlations,
    ReportRow,
    TrustCheck,
)
from rankings.report.report_table import TableChoice, report_table
from rankings.scores.scores_page import UNITS
from tests.rankings.report.report_figures import make_row

ACCURACY = Figure(0.712, 0.667, 0.7541, 1418)
HUMAN = Figure(0.7404, n=960)
OF_ONE_CONTEXT = Figure(0.5, n=1, undefined="an interval needs two contexts")
FULL = Asked("every pair", "every context")
NOTHING = Figure.missing("no pair has votes", n=0)


def row(**fields) -> ReportRow:
    return make_row(**{"accuracy": ACCURACY, "human": HUMAN} | fields)


def test_headline_gives_accuracy_interval_and_people():
    assert sentences_and_cards.headline(row()) == (
        "Accuracy against human preference: 71.2\u202f% (95\u202f% CI 66.7–75.4, n = 1,418). "
        "One person agrees with the majority of the others on 74.0\u202f% of the votes."
    )


def test_headline_says_why_there_is_no_accuracy():
    assert sentences_and_cards.headline(row(accuracy=NOTHING)) == (
        "Accuracy against human preference is undefined: no pair has votes."
    )


def test_headline_says_why_there_is_no_interval():
    assert sentences_and_cards.headline(row(accuracy=OF_ONE_CONTEXT)).startswith(
        "Accuracy against human preference: 50.0\u202f% (n = 1; an interval needs two contexts). "
    )


@pytest.mark.parametrize(
    ("low", "high", "words"),
    [
        (0.51, 0.7, "n = 9). "),
        (0.5, 0.7, "n = 9), no better than chance. "),
        (0.3, 0.49, "n = 9), worse than chance. "),
    ],
)
def test_headline_names_an_accuracy_that_is_no_better_than_chance(low, high, words):
    assert words in sentences_and_cards.headline(row(accuracy=Figure((low + high) / 2, low, high, 9)))


def test_headline_ends_with_the_accuracy_where_people_cannot_be_compared():
    assert sentences_and_cards.headline(row(human=NOTHING)).endswith("n = 1,418).")


def test_leader_of_one_attribute_has_its_interval_and_leaders_of_several_one_sentence():
    better = row(run=4, judge="llama", accuracy=replace(ACCURACY, value=0.8))

    assert sentences_and_cards.leader_sentence([row(), better]) == (
        "Highest accuracy against human preference on coherence: llama with comparative-1 (run 4), "
        "80.0\u202f% (95\u202f% CI 66.7–75.4, n = 1,418)."
    )

    other = row(run=5, attribute="fluency")

    assert sentences_and_cards.leader_sentence([row(), better, other, row(attribute="empty", accuracy=NOTHING)]) == (
        "Highest accuracy against human preference on coherence: llama with comparative-1 (run 4), 80.0\u202f%; "
        "on fluency: flan with comparative-1 (run 5), 71.2\u202f%."
    )


def test_a_run_on_other_pairs_does_not_lead_and_is_counted():
    lucky = row(run=5, accuracy=Figure(1.0, n=2), asked=Asked("few", "few"))
    constant = row(
        run=6, asked=FULL, trust=[TrustCheck("varied-answers", "failed", 1.0, None, None, 1.0, "one answer")]
    )

    assert sentences_and_cards.leader_sentence(
        [lucky, constant, row(asked=FULL), row(run=4, accuracy=OF_ONE_CONTEXT, asked=FULL)]
    ) == (
        "Highest accuracy against human preference on coherence: flan with comparative-1 (run 3), "
        "71.2\u202f% (95\u202f% CI 66.7–75.4, n = 1,418). "
        "Not compared: 1 run on other pairs or fewer than ten contexts."
    )


def test_leader_without_an_interval_says_why():
    assert sentences_and_cards.leader_sentence([row(accuracy=OF_ONE_CONTEXT)]) == (
        "Highest accuracy against human preference on coherence: flan with comparative-1 (run 3), "
        "50.0\u202f% (n = 1; an interval needs two contexts)."
    )


def test_no_run_with_an_accuracy_leads():
    assert sentences_and_cards.leader_sentence([row(accuracy=NOTHING)]) == ""


def test_table_of_a_dataset_lists_reasons_once_with_their_figures():
    why = {"per_context": "nobody gave scores"}
    unscored = CorrelationBlock(per_context=None, contexts=0, skipped=1, pooled=None, system=None, undefined=why)
    block = {"bradley-terry": Correlations(unscored, unscored)}
    rows = [row(accuracy=NOTHING, human=NOTHING, spearman=block, kendall=block)] * 2
    choice = TableChoice(("judge", "accuracy", "spearman", "spearman_debiased", "kendall"), ranking="bradley-terry")

    assert report_table(rows, choice).figure_notes[-2:] == (
        "Undefined (–): Accuracy: no pair has votes.",
        "Undefined (–): Spearman raw; Spearman debiased; Kendall raw: nobody gave scores.",
    )


def test_accuracy_with_ties_ends_with_the_share_of_calling_every_pair_a_tie():
    levels = dict.fromkeys(LEVELS, 0.6) | {f"{level}_all_tied": 0.4 for level in LEVELS}
    raw = AccuracyWithTiesBlock(contexts=3, skipped=0, **levels)
    why = dict.fromkeys(LEVELS, "no threshold")
    missing = AccuracyWithTiesBlock(contexts=0, skipped=3, undefined=why, **dict.fromkeys(LEVELS))

    table = sentences_and_cards.with_ties(row(accuracy_with_ties={"win-ratio": AccuraciesWithTies(raw, missing)}))

    assert [line.ranking for line in table.rows] == ["win-ratio", "every pair called a tie"]
    assert [cell.value for cell in table.rows[1].cells] == [0.4, None] * 3
    assert table.reasons == ["no threshold"]


def test_alpha_multiplies_the_odds_of_the_first_text():
    """τ = 0.4, so alpha is 1.5: p = 0.4, with odds of 2 to 3, becomes 1/2."""
    assert "the factor by which debiasing multiplies the odds of the first text" in FIGURES["alpha"].meaning


def test_scores_of_every_ranking_have_a_meaning():
    assert set(UNITS) == {*RANKINGS, "score"}


@pytest.mark.parametrize(
    ("p_value", "end"),
    [
        (0.02, "; p = 0.020). The difference is significant."),
        (0.08, "; p = 0.080). The difference is not significant."),
        (None, "). Not tested: too few contexts to test."),
    ],
)
def test_sentence_of_a_difference_says_what_its_test_found(p_value, end):
    why = None if p_value else TOO_FEW_TO_TEST
    difference = FigureDifference(None, 0.1, 0.05, 0.15, 0.02, p_value, NOTHING, 9, why, "accuracy", 0.8, 0.7, NOTHING)
    sides = [SideRow(row(run=run).name, ACCURACY, HUMAN, HUMAN) for run in (1, 2)]
    nothing = McNemar(0, 0, 0, None)
    result = RunsCompared("Study", "coherence", *sides, 9, 9, 9, HUMAN, HUMAN, [difference], nothing, [])

    assert two_runs_page.difference_sentence(result).endswith(f"; 95 % interval 5.0 to 15.0 points{end}")


@pytest.mark.parametrize(("value", "shown"), [(0.5, "50.0\u202f%"), (0.9996, "100.0\u202f%"), (0.0, "0.0\u202f%")])
def test_percent_has_one_decimal(value, shown):
    assert percent(value) == shown


def test_interval_has_one_unit():
    assert interval(ACCURACY) == "66.7 to 75.4\u202f%"
