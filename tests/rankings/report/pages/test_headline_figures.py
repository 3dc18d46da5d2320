"""The four figures at the top of a run's results: their variants, rankings and reasons."""

import pytest

from evenhand.numerics import Figure
from rankings.report.pages.headline_figures import headline_figures
from rankings.report.report_row import CorrelationBlock, Correlations
from tests.rankings.report.report_figures import make_row

P_FIRST, DEBIASED = Figure(0.55, 0.54, 0.56, 200), Figure(0.501, 0.49, 0.51, 200)


def block(value, contexts=40):
    ends = {"per_context_low": 0.6, "per_context_high": 0.7}
    return CorrelationBlock(per_context=value, contexts=contexts, skipped=0, pooled=None, system=None, **ends)


def figures(ranking="bradley-terry", **fields):
    """Return the headline figures of a row by their titles."""
    spearman = {"bradley-terry": Correlations(block(0.65), block(0.66)), "win-ratio": Correlations(block(0.61))}
    row = make_row(**{"spearman": spearman, "p_first": P_FIRST, "p_first_debiased": DEBIASED} | fields)
    return {figure.title: figure for figure in headline_figures(row, ranking)}


def test_accuracy_has_half_its_interval_both_ends_and_n():
    accuracy = figures(accuracy=Figure(0.8142, 0.801, 0.8283, 21344))["Accuracy"]

    assert (accuracy.value, accuracy.half) == ("81.4\u202f%", "±1.4")
    assert accuracy.details == ["95\u202f% CI 80.1 to 82.8", "n = 21,344"]


def test_p_first_is_raw_and_then_debiased():
    p_first = figures()["P(first)"]

    assert p_first.value == "55.0\u202f% → 50.1\u202f%"
    assert p_first.details == ["raw → debiased", "95\u202f% CI 54.0 to 56.0, raw", "n = 200"]


def test_p_first_without_a_threshold_is_raw_only():
    assert figures(p_first_debiased=Figure.missing("no threshold"))["P(first)"].value == "55.0\u202f%"


@pytest.mark.parametrize(
    ("ranking", "value", "name"),
    [("bradley-terry", "0.650", "Bradley-Terry, raw"), ("win-ratio", "0.610", "win ratio, raw")],
)
def test_spearman_names_its_ranking_variant_and_level(ranking, value, name):
    spearman = figures(ranking)["Spearman"]

    assert (spearman.value, spearman.details[:2]) == (value, [name, "mean of 40 contexts"])


@pytest.mark.parametrize(("contexts", "warning"), [(1, "rests on 1 context"), (9, "rests on 9 contexts"), (10, "")])
def test_spearman_of_few_contexts_carries_a_warning(contexts, warning):
    assert figures(spearman={"score": Correlations(block(0.65, contexts))})["Spearman"].warning == warning


def test_missing_figure_gives_its_reason():
    accuracy = figures(accuracy=Figure.missing("no pair has votes"))["Accuracy"]

    assert (accuracy.value, accuracy.reason) == ("", "no pair has votes")


def test_accuracy_in_both_orders_stands_for_an_undefined_correlation():
    found = figures(
        spearman={"bradley-terry": Correlations(block(None, 0))}, accuracy_both_orders=Figure(0.342, 0.28, 0.40, 234)
    )

    assert list(found) == ["Accuracy", "P(first)", "Order agreement", "Right in both orders"]
    assert found["Right in both orders"].value == "34.2\u202f%"
