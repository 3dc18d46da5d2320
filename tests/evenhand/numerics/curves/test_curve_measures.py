import numpy as np
import pytest
from scipy.stats import spearmanr

from evenhand.numerics.comparisons import Comparisons
from evenhand.numerics.curves.curve_measures import AccuracyAgainst, HumanJudgments, SpearmanAgainst
from evenhand.numerics.fitting.batches import batches
from evenhand.numerics.votes import Votes
from tests.evenhand.numerics.simulation import every_ordered_pair

NAN = np.nan


def batch_of(size, n_contexts):
    first, second, starts = every_ordered_pair(size, n_contexts)
    comparisons = Comparisons(size * n_contexts, first, second, np.full(len(first), 0.5), starts)
    [batch] = batches(comparisons, np.ones(n_contexts, dtype=bool))
    return batch


@pytest.mark.parametrize("largest", [64, 1])
@pytest.mark.parametrize("n_truths", [1, 3])
def test_spearman_is_that_of_scipy_with_ties_and_gaps(monkeypatch, largest, n_truths):
    monkeypatch.setattr("evenhand.numerics.curves.curve_measures.LARGEST_COMPARED", largest)
    rng = np.random.default_rng(0)
    people = rng.integers(0, 9, (n_truths, 12)).astype(float)
    people[:, 2] = NAN
    scores = rng.integers(0, 4, (6, 2, 3)).astype(float)

    values = SpearmanAgainst(HumanJudgments(people), batch_of(6, 2)).values(scores)

    for context, number in np.ndindex(2, 3):
        human = people[number % n_truths, 6 * context : 6 * context + 6]
        known = ~np.isnan(human)
        assert values[context, number] == pytest.approx(
            spearmanr(scores[known, context, number], human[known]).statistic
        )


@pytest.mark.parametrize("largest", [64, 1])
@pytest.mark.parametrize("size", [0.25, 1.0009765625])
def test_spearman_ties_scores_that_differ_by_noise(monkeypatch, largest, size):
    monkeypatch.setattr("evenhand.numerics.curves.curve_measures.LARGEST_COMPARED", largest)
    scores = size * np.array([1 - 3e-16, 1 + 3e-16, 2.0])

    [[value]] = SpearmanAgainst(HumanJudgments(np.array([[1.0, 3.0, 2.0]])), batch_of(3, 1)).values(
        scores[:, None, None]
    )

    assert value == 0


def test_spearman_skips_contexts_without_two_different_human_scores():
    people = np.array([[1, 1, 1, 1, NAN, NAN, 1, 2, NAN]])

    assert SpearmanAgainst(HumanJudgments(people), batch_of(3, 3)).weights.tolist() == [[0], [0], [1]]


def test_spearman_of_constant_scores_is_zero():
    measured = SpearmanAgainst(HumanJudgments(np.array([[1.0, 2.0, 3.0]])), batch_of(3, 1))

    assert measured.values(np.zeros((3, 1, 2))).tolist() == [[0, 0]]


def test_accuracy_counts_pairs_that_people_decided_and_half_for_equal_scores():
    measured = AccuracyAgainst(HumanJudgments(np.array([[3.0, 2.0, 2.0]])), batch_of(3, 1))

    values = measured.values(np.array([[2, 1, 0], [1, 1, 1], [0, 0, 1]], dtype=float)[:, None, :])

    assert measured.weights.tolist() == [[2]]
    assert values.tolist() == [[1, 0.75, 0]]


def test_accuracy_takes_majorities_of_votes_where_a_score_is_missing():
    votes = Votes(Comparisons(3, [0, 2, 2], [2, 0, 1], [0.0, 1.0, 0.5]), np.arange(3))

    measured = AccuracyAgainst(HumanJudgments(np.array([[2.0, 1.0, NAN]]), [votes]), batch_of(3, 1))

    assert measured.preferences[:, 0, 0].tolist() == [1, -1, 0]
