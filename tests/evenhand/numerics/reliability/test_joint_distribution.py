import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evenhand.numerics.comparisons import Comparisons
from evenhand.numerics.reliability.joint_distribution import joint_distribution, probability_correlation
from tests.evenhand.numerics.simulation import simulated_run

WORKED = Comparisons(4, [0, 1, 0, 2], [1, 0, 2, 3], [0.9, 0.2, 1.0, 0.5])
SCORES = np.array([5.0, 3.0, 3.0, np.nan])


def test_joint_distribution_matches_an_example_worked_by_hand():
    """Differences 2, -2 and 2 at 0.9, 0.2 and 1; the fourth pair has no score."""
    joint = joint_distribution(WORKED, SCORES, n_p=2, n_differences=3)

    assert joint.p_edges.tolist() == [0, 0.5, 1]
    assert joint.difference_edges == pytest.approx([-2, -2 / 3, 2 / 3, 2])
    assert joint.counts.tolist() == [[1, 0], [0, 0], [0, 2]]
    assert joint.mean.tolist() == [-2, 2]
    assert joint.deviation == pytest.approx([np.nan, 0], nan_ok=True)


def test_joint_distribution_counts_every_comparison_with_scores_once():
    comparisons, truth = simulated_run(np.random.default_rng(0), n_contexts=3)

    joint = joint_distribution(comparisons, truth, n_p=5)

    differences = truth[comparisons.first] - truth[comparisons.second]
    inside = comparisons.p_first >= 0.8
    assert joint.counts.sum() == len(comparisons)
    assert joint.mean[-1] == pytest.approx(differences[inside].mean())
    assert joint.deviation[-1] == pytest.approx(differences[inside].std(ddof=1))


def test_joint_distribution_has_a_mean_wherever_it_has_comparisons():
    """Also at the edges, which belong to the part above them."""
    n = 101
    comparisons = Comparisons(2 * n, 2 * np.arange(n), 2 * np.arange(n) + 1, np.arange(n) / 100, 2 * np.arange(n))

    joint = joint_distribution(comparisons, np.tile([2.0, 1.0], n))

    assert joint.counts.sum(axis=0).tolist() == [5] * 19 + [6]
    assert joint.mean.tolist() == [1.0] * 20


def test_joint_distribution_of_equal_or_missing_scores_does_not_exist():
    assert joint_distribution(WORKED, np.ones(4)) is None
    assert joint_distribution(WORKED, np.full(4, np.nan)) is None


@given(seed=st.integers(0, 1000))
def test_probability_correlation_is_that_of_numpy(seed):
    comparisons, truth = simulated_run(np.random.default_rng(seed), n_contexts=2, n_candidates=4)

    figure = probability_correlation(comparisons, truth)

    expected = np.corrcoef(comparisons.p_first, truth[comparisons.first] - truth[comparisons.second])[0, 1]
    assert (figure.value, figure.n) == (pytest.approx(expected), len(comparisons))


def test_probability_correlation_says_why_there_is_none():
    halves = WORKED.with_p_first(np.full(4, 0.5))

    assert probability_correlation(WORKED, np.full(4, np.nan)).undefined == (
        "no comparison is of two candidates with human scores"
    )
    assert probability_correlation(halves, SCORES).undefined == (
        "p_first or the difference of human scores is the same in every comparison"
    )
