"""Sentences of the page that compares all runs."""

import pytest

from rankings.compare import all_runs_page
from rankings.compare.comparison_of_runs import AllCompared, FigureCompared, FigureOfRun, PairDifference
from rankings.numerics import Figure
from rankings.report.run_names import RunName


def test_pairs_without_a_test_say_why():
    nothing = Figure.missing("the attribute has no votes")
    missing = dict.fromkeys(["difference", "low", "high", "p_value", "p_value_holm", "p_value_benjamini_hochberg"])
    why = "an interval needs at least three contexts"
    names = {"one": 1, "other": 2, "ranking": None, "comparisons": 9, "different": None}
    pair = PairDifference(**names, contexts=1, undefined=why, perm_both=nothing, **missing)
    result = AllCompared("Study", "overall", 0.05, [], [], [FigureCompared("accuracy", [], [], [pair])], [])

    assert all_runs_page.untested(result) == ["Accuracy of run 1 and run 2: an interval needs at least three contexts."]


def against(one, other, p_value, *, difference=None):
    missing = dict.fromkeys(["low", "high", "p_value_holm", "p_value_benjamini_hochberg", "different"])
    nothing = {"undefined": None, "ranking": None, "perm_both": Figure.missing("not computed")}
    return PairDifference(
        one=one, other=other, p_value=p_value, comparisons=9, contexts=9, difference=difference, **missing, **nothing
    )


@pytest.mark.parametrize(
    ("p_values", "end"),
    [
        ([], "; no other run has this figure."),
        ([0.04], "; all others are significantly worse."),
        ([0.06], "; no other run is significantly worse."),
        ([0.5, 0.04, 0.001], "; runs 2 and 3 are not significantly worse."),
        ([None], "; the other run is not tested against it."),
        ([0.001, None], "; 1 other is not tested against it."),
        (
            [None, 0.5, None, 0.001],
            "; flan with comparative-1 (run 3) is not significantly worse, and 2 others are not tested against it.",
        ),
    ],
)
def test_sentence_names_the_runs_that_are_not_significantly_worse(p_values, end):
    numbers = range(1, len(p_values) + 2)
    rows = [FigureOfRun(number, "poe-bt", Figure(0.5), ["a"]) for number in numbers]
    pairs = [against(1, other, p_value) for other, p_value in enumerate(p_values, start=2)]
    names = {number: RunName(number, "flan", "comparative", "comparative-1", "coherence") for number in numbers}

    sentence = all_runs_page.groups_sentence(FigureCompared("spearman", rows, [], pairs), names)

    figure = "Spearman’s correlation per context (PoE, Bradley-Terry, raw)"
    assert sentence == f"By {figure}, flan with comparative-1 (run 1) is first with 0.50{end}"


def test_only_tests_against_the_best_count_for_runs_that_are_not_worse():
    """Adjusted for all three pairs, 0.02 would be 0.06."""
    rows = [FigureOfRun(number, None, Figure(0.5), ["a"]) for number in (1, 2, 3)]
    pairs = [against(1, 2, 0.5), against(1, 3, 0.02), against(2, 3, 0.9)]

    assert FigureCompared("accuracy", rows, [], pairs).not_worse == [2]


def test_run_that_is_better_on_the_common_pairs_is_not_called_worse():
    """Runs are in the order of all their answers, tests are on common ones."""
    rows = [FigureOfRun(number, None, Figure(0.9), ["a"]) for number in (1, 2)]

    block = FigureCompared("accuracy", rows, [], [against(1, 2, 0.001, difference=-0.2)])

    assert block.not_worse == [2]
