from functools import partial

import numpy as np
import pytest
import scipy.stats
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from evenhand.numerics.correlation.coefficients import (
    COEFFICIENTS,
    cross_table,
    every_coefficient,
    pearson_rows,
    spearman_rows,
    taus_of_table,
)
from evenhand.numerics.correlation.correlations import Correlation, correlate, spearman_within_contexts
from evenhand.numerics.correlation.human_scores import HumanScores, MatchedScores
from evenhand.numerics.ranks import average_ranks, rank_within_contexts
from evenhand.numerics.scores import Reason, Scores


def of_one_ranking(name, predicted, human):
    return every_coefficient(predicted[None], human)[name][0]


OURS = {name: partial(of_one_ranking, name) for name in COEFFICIENTS}
SCIPY = {
    "spearman": scipy.stats.spearmanr,
    "kendall": scipy.stats.kendalltau,
    "pearson": scipy.stats.pearsonr,
    "kendall_c": partial(scipy.stats.kendalltau, variant="c"),
}


def correlations_of(scores, human, recorded=None):
    everywhere = np.ones(human.contexts.max() + 1, dtype=bool)
    return correlate(scores, MatchedScores.of(scores, human, everywhere if recorded is None else recorded))


def people(scores, contexts, systems=None):
    n = len(scores)
    return HumanScores(
        np.array(scores, float), np.array(contexts), np.array(systems if systems is not None else [-1] * n)
    )


@pytest.mark.parametrize("size", [5, 100])
@given(data=st.data())
def test_average_ranks_are_those_of_scipy(size, data):
    rows = data.draw(arrays(float, (3, size), elements=st.integers(0, 6)))

    assert average_ranks(rows).tolist() == scipy.stats.rankdata(rows, axis=1).tolist()


@pytest.mark.parametrize("name", COEFFICIENTS)
@pytest.mark.parametrize("size", [2, 5, 16, 60, 500])
def test_coefficients_of_rows_with_ties_are_those_of_scipy(name, size):
    rng = np.random.default_rng(size)
    predicted, human = rng.integers(0, 5, (2, 6, size)).astype(float)
    predicted[:, 0], human[:, 0] = 6, 7  # no row is constant

    rows = OURS[name](predicted, human)

    expected = [SCIPY[name](x, y).statistic for x, y in zip(predicted, human, strict=True)]
    assert rows == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("name", COEFFICIENTS)
def test_coefficients_of_long_rows_of_many_values_are_those_of_scipy(name):
    predicted, human = np.random.default_rng(0).normal(size=(2, 1, 1_100))

    [value] = OURS[name](predicted, human)

    assert value == pytest.approx(SCIPY[name](predicted[0], human[0]).statistic, abs=1e-12)


@pytest.mark.parametrize("size", [2, 5, 500])
def test_coefficients_of_several_rankings_are_those_of_each_alone(size):
    rng = np.random.default_rng(1)
    predicted, human = rng.integers(0, 5, (3, 70, size)).astype(float), rng.integers(0, 5, (70, size)).astype(float)
    human[:, 0] = 7  # no row is constant

    found = every_coefficient(predicted, human)

    for name, coefficient in OURS.items():
        assert found[name] == pytest.approx(np.stack([coefficient(one, human) for one in predicted]), abs=1e-12)


@pytest.mark.parametrize(("rows", "name"), [(spearman_rows, "spearman"), (pearson_rows, "pearson")])
def test_one_coefficient_of_rows_is_that_of_every_coefficient(rows, name):
    predicted, human = np.random.default_rng(1).integers(0, 5, (2, 6, 9)).astype(float)

    assert rows(predicted, human) == pytest.approx(OURS[name](predicted, human), abs=1e-12)


@pytest.mark.parametrize("name", COEFFICIENTS)
@pytest.mark.parametrize("size", [4, 500])
def test_constant_predictions_give_zero(name, size):
    assert OURS[name](np.full((1, size), 0.1), np.arange(size, dtype=float)[None]).tolist() == [0]


def test_a_cross_table_counts_how_often_values_meet():
    table = cross_table(np.array([2.0, 4.0, 2.0, 2.0]), np.array([3.0, 3.0, 1.0, 3.0]), most_cells=4)

    assert table.tolist() == [[1, 2], [0, 1]]


def test_a_cross_table_of_too_many_values_is_not_made():
    assert cross_table(np.array([1.0, 2.0, 3.0]), np.array([1.5, 1.5, 3.0]), most_cells=5) is None


@pytest.mark.parametrize("values", [2, 5, 300])
def test_kendall_of_a_cross_table_is_that_of_scipy_to_the_last_digit(values):
    rng = np.random.default_rng(values)
    one, other = rng.integers(0, values, 300).astype(float), rng.integers(0, 7, 300) / 3

    table = cross_table(average_ranks(one), average_ranks(one + other), most_cells=1 << 20)

    assert taus_of_table(table) == tuple(
        scipy.stats.kendalltau(one, one + other, variant=variant).statistic for variant in "bc"
    )


def test_kendall_of_equal_lists_is_exactly_one():
    ranks = np.arange(1.0, 8)

    assert taus_of_table(cross_table(ranks, ranks, most_cells=49)) == (1, 1)
    assert taus_of_table(cross_table(ranks, ranks[::-1], most_cells=49)) == (-1, -1)


def test_correlation_per_context_is_the_mean_over_contexts():
    human = people([1, 2, 3, 1, 2, 3, 5], [0, 0, 0, 1, 1, 1, 1])
    scores = Scores.of_values(np.array([1.0, 2, 3, 3, 2, 1, 0]))

    spearman = correlations_of(scores, human)["spearman"]

    assert (spearman.per_context, spearman.contexts, spearman.skipped) == (0.0, 2, 0)


def test_correlation_skips_and_counts_contexts_without_two_different_human_scores():
    human = people([1, 2, 3, 3, 1, np.nan, 1, 2], [0, 0, 1, 1, 2, 2, 3, 3])
    scores = Scores.of_values(np.array([1.0, 2, 1, 2, 1, 2, 1, np.nan]))

    kendall = correlations_of(scores, human)["kendall"]

    assert (kendall.per_context, kendall.contexts, kendall.skipped) == (1.0, 1, 3)


def test_correlation_counts_constant_predictions_as_zero_and_recorded_contexts_only():
    human = people([1, 2, 1, 2], [0, 0, 1, 1])
    scores = Scores.of_values(np.array([1.0, 2, 0.3, 0.3]))

    assert correlations_of(scores, human)["spearman"].per_context == 0.5

    scores = Scores.of_values(np.array([1.0, 2, 2, 1]))

    spearman = correlations_of(scores, human, np.array([True, False]))["spearman"]

    assert (spearman.per_context, spearman.contexts, spearman.skipped, spearman.pooled) == (1.0, 1, 0, 1.0)


def test_correlation_pools_candidates_of_contexts_that_are_skipped():
    human = people([1, 1, 2, 3], [0, 0, 1, 1])
    scores = Scores.of_values(np.array([1.0, 2, 3, 4]))

    assert correlations_of(scores, human)["spearman"].pooled == pytest.approx(
        scipy.stats.spearmanr([1, 1, 2, 3], [1, 2, 3, 4]).statistic
    )


def test_correlation_by_system_is_over_the_means_of_systems():
    human = people([1, 5, 3, 2, 2, 9], [0, 0, 0, 1, 1, 1], [0, 1, -1, 0, 1, -1])
    scores = Scores.of_values(np.array([4.0, 1, 7, 0, 3, 7]))  # means: human 1.5 and 3.5, judge 2 and 2

    equal = correlations_of(scores, human)["spearman"]
    better = correlations_of(Scores.of_values(np.array([4.0, 2, 7, 0, 3, 7])), human)["spearman"]

    assert (equal.system, better.system) == (0.0, 1.0)


def test_correlation_ignores_differences_beyond_nine_decimals():
    human = people([1, 2, 3], [0, 0, 0])
    noise = Scores.of_values(np.array([0.5, 0.5 + 1e-11, 0.5 - 1e-11]))

    assert correlations_of(noise, human)["kendall"].per_context == 0


def test_correlation_says_why_a_number_is_missing():
    human = people([2, 2], [0, 0])

    assert correlations_of(Scores.of_values(np.array([1.0, 2])), human)["spearman"] == Correlation(
        None,
        0,
        1,
        None,
        None,
        {
            "per_context": "no context has two candidates with both scores whose human scores differ",
            "pooled": "all human scores are equal",
            "system": "fewer than two systems have candidates with both scores",
        },
    )


def test_correlation_needs_two_candidates_to_pool():
    human = people([2, np.nan], [0, 0])

    block = correlations_of(Scores.of_values(np.array([1.0, 2])), human)["spearman"]

    assert block.undefined["pooled"] == "fewer than two candidates have both a human score and a score of the ranking"


def test_correlation_of_systems_with_equal_people_is_undefined():
    human = people([1, 2, 2, 1], [0, 0, 1, 1], [0, 1, 0, 1])

    block = correlations_of(Scores.of_values(np.array([1.0, 2, 3, 4])), human)["spearman"]

    assert block.undefined["system"] == "the mean human scores of all systems are equal"


def test_a_missing_block_skips_all_contexts():
    block = Correlation.missing("no threshold", np.array([True] * 7 + [False]))

    assert (block.contexts, block.skipped, block.per_context) == (0, 7, None)
    assert set(block.undefined) == {"per_context", "pooled", "system"}


def test_spearman_within_contexts_is_nan_for_skipped_contexts():
    human = people([1, 2, 1, 2, 7, 7], [0, 0, 1, 1, 2, 2])
    scores = Scores.of_values(np.array([1.0, 2, 2, 1, 0, 1]))

    values = spearman_within_contexts(scores, human, np.ones(3, dtype=bool))

    assert values.tolist()[:2] == [1.0, -1.0]
    assert np.isnan(values[2])


def test_places_start_at_one_for_the_best_and_share_means():
    scores = Scores.without_errors(
        np.array([0.2, 0.9, 0.2, 5.0, 1.0]), np.array([0, 0, 0, 0, int(Reason.NO_COMPARISONS)])
    )

    assert rank_within_contexts(scores, np.array([0, 0, 0, 1, 1]))[:4].tolist() == [2.5, 1, 2.5, 1]
    assert np.isnan(rank_within_contexts(scores, np.array([0, 0, 0, 1, 1]))[4])


def test_coefficients_of_two_candidates_are_exact():
    predicted = np.array([[0.1, 0.3], [0.3, 0.1], [0.2, 0.2]])
    human = np.array([[1 / 3, 7 / 3]] * 3)

    found = every_coefficient(predicted[None], human)

    assert {name: values.tolist() for name, values in found.items()} == {
        name: [[1.0, -1.0, 0.0]] for name in COEFFICIENTS
    }
