import numpy as np
import pytest

from rankings.numerics import Comparisons, Undefined, accuracy_averaged, mean_of_both_orders


def test_averaged_takes_the_mean_of_both_orders_and_leaves_out_single_ones():
    comparisons = Comparisons(3, [1, 0, 2, 0], [0, 1, 0, 2], [0.5, 0.75, 0.25, 0.75])
    single = Comparisons(4, [1, 0, 0], [0, 1, 3], [0.5, 0.75, 0.9])

    both, of_single = mean_of_both_orders(comparisons), mean_of_both_orders(single)

    assert list(zip(both.first.tolist(), both.second.tolist(), both.p_first.tolist(), strict=True)) == [
        (1, 0, 0.375),
        (0, 1, 0.625),
        (2, 0, 0.25),
        (0, 2, 0.75),
    ]
    assert of_single.p_first.tolist() == [0.375, 0.625]


def test_averaged_takes_a_constant_preference_for_the_first_out():
    rng = np.random.default_rng(2)
    first, second = np.nonzero(~np.eye(5, dtype=bool))
    quality = rng.normal(size=5)
    fair = 0.5 + np.tanh(quality[first] - quality[second]) / 5
    biased = Comparisons(5, first, second, fair + 0.2)

    assert mean_of_both_orders(biased).p_first == pytest.approx(fair)


def test_two_answers_for_the_same_place_average_to_a_tie_to_the_last_digit():
    p_first = np.random.default_rng(3).random(1000)
    first, second = np.arange(1000) * 2, np.arange(1000) * 2 + 1
    comparisons = Comparisons(2000, np.r_[first, second], np.r_[second, first], np.r_[p_first, p_first])

    assert set(mean_of_both_orders(comparisons).p_first) == {0.5}


def test_accuracy_of_averaged_orders_counts_pairs_and_half_a_tie():
    comparisons = Comparisons(4, [0, 1, 0, 2, 0, 3], [1, 0, 2, 0, 3, 0], [0.9, 0.6, 0.7, 0.7, 0.3, 0.6])
    right = np.array([1.0, 0, 1, 0, 1, 0])

    figure = accuracy_averaged(comparisons, right)

    assert (figure.value, figure.n) == (0.5, 3)  # right, a tie, wrong


def test_averaging_says_why_it_cannot_be():
    single = Comparisons(2, [0], [1], [0.9])

    with pytest.raises(Undefined, match="no pair was decided in both orders"):
        mean_of_both_orders(single)
    assert accuracy_averaged(single, np.ones(1)).undefined == "no pair was decided in both orders"
