"""Sentences of the page that compares all runs."""

import pytest

from evenhand.numerics import Figure
from evenhand.numerics.significance.families import TOO_FEW_TO_TEST
from rankings.compare import all_runs_page
from rankings.compare.all_runs_page import groups_table, pairs_table
from rankings.compare.comparison_of_runs import AllCompared, ComparedRun, FigureCompared, FigureOfRun, PairDifference
from rankings.report.run_names import RunName


def untested_pair(one, other):
    missing = dict.fromkeys(["difference", "low", "high", "p_value", "p_value_holm", "p_value_benjamini_hochberg"])
    names = {"one": one, "other": other, "ranking": None, "comparisons": 9, "different": None}
    swapped = Figure.missing("a test of correlations only")
    return PairDifference(**names, contexts=1, undefined=TOO_FEW_TO_TEST, perm_both=swapped, **missing)


def test_pair_without_a_test_says_why():
    [row] = pairs_table(FigureCompared("accuracy", [], [], [untested_pair(1, 2)])).rows

    assert row.names == ("1 − 2",)
    assert [figure.undefined for figure in row.figures[:4]] == [TOO_FEW_TO_TEST] * 4


@pytest.mark.parametrize(
    ("others", "end"),
    [
        ([], "; no other run has this figure."),
        (["worse"], "; all others are significantly worse."),
        (["not worse"], "; no other run is significantly worse."),
        (["not worse", "not worse", "worse"], "; runs 2 and 3 are not significantly worse."),
        (["not tested"], "; the other run is not tested against it."),
        (["worse", "not tested"], "; 1 other is not tested against it."),
        (
            ["not tested", "not worse", "not tested", "worse"],
            "; flan with comparative-1 (run 3) is not significantly worse, and 2 others are not tested against it.",
        ),
    ],
)
def test_sentence_names_the_runs_that_are_not_significantly_worse(others, end):
    standings = dict(enumerate(["best", *others], start=1))
    rows = [FigureOfRun(number, "poe-bt", Figure(0.5), ["a"], standing) for number, standing in standings.items()]
    names = {number: RunName(number, "flan", "comparative", "comparative-1", "coherence") for number in standings}

    sentence = all_runs_page.groups_sentence(FigureCompared("spearman", rows, [], []), names)

    figure = "Spearman’s correlation per context (PoE, Bradley-Terry, raw)"
    assert sentence == f"By {figure}, flan with comparative-1 (run 1) is first with 0.50{end}"


@pytest.mark.parametrize(("contexts", "detail"), [(6, "rests on 6 contexts"), (10, "")])
def test_a_run_of_few_contexts_is_marked_beside_its_name(contexts, detail):
    names = [RunName(number, "flan", "comparative", f"comparative-{number}", "coherence") for number in (1, 2)]
    accuracies = [FigureOfRun(one.run, None, Figure(0.5, n=900), ["a"]) for one in names]
    correlations = [FigureOfRun(one.run, "poe-bt", Figure(0.5, n=contexts), ["a"]) for one in names]
    figures = [FigureCompared("accuracy", accuracies, [], []), FigureCompared("spearman", correlations, [], [])]
    result = AllCompared("Study", "overall", 0.05, [ComparedRun(one, 900) for one in names], [], figures, [])

    rows = groups_table(result).rows
    assert [row.detail for row in rows] == [detail] * 2
    assert [row.rivals for row in rows] == ["" if detail else "all"] * 2
