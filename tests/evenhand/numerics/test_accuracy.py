import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evenhand.numerics.accuracy import (
    accuracy,
    accuracy_averaged,
    accuracy_both_orders,
    accuracy_macro,
    first_share,
    human_preferences,
    mean_of_both_orders,
    order_agreement,
    score_comparisons,
)
from evenhand.numerics.comparisons import Comparisons
from evenhand.numerics.debiasing import Debiasing
from evenhand.numerics.decisions import decide
from evenhand.numerics.exceptions import InvalidComparisons, Undefined
from evenhand.numerics.scores import Scores
from evenhand.numerics.votes import Votes
from tests.evenhand.numerics.simulation import every_ordered_pair, mirrored, simulated_run

NO_SCORES = np.full(4, np.nan)


def votes_on(pair, *choices):
    """One vote by each of several raters on one ordered pair of four candidates."""
    n = len(choices)
    return Votes(Comparisons(4, [pair[0]] * n, [pair[1]] * n, choices), np.arange(n))


def test_truth_is_the_higher_human_score():
    comparisons = Comparisons(4, [0, 1, 1], [1, 0, 2], [0.5, 0.5, 0.5])

    right = human_preferences(comparisons, np.array([3.0, 1.0, 1.0, 2.0]))

    assert right.tolist()[:2] == [1, 0]
    assert np.isnan(right[2])


def test_truth_ignores_differences_beyond_nine_decimals():
    assert np.isnan(human_preferences(Comparisons(2, [0], [1], [1.0]), np.array([0.1 + 0.2, 0.3]))[0])


@pytest.mark.parametrize(
    ("choices", "expected"),
    [([1, 1, 0], 1), ([0, 0, 1], 0), ([1, 0], None), ([1, 1, 0.5, 0.5], None), ([0.5, 0.5, 1], None), ([], None)],
)
def test_truth_without_scores_is_the_strict_majority_of_all_votes(choices, expected):
    shown = Comparisons(4, [0, 1], [1, 0], [0.9, 0.9])

    right = human_preferences(shown, NO_SCORES, votes_on((0, 1), *choices))

    if expected is None:
        assert np.isnan(right).all()
    else:
        assert right.tolist() == [expected, 1 - expected]


def test_truth_pools_votes_on_both_orders_of_a_pair():
    votes = Votes(Comparisons(4, [0, 1, 0], [1, 0, 1], [1.0, 0.0, 0.0]), np.array([0, 1, 2]))

    assert human_preferences(Comparisons(4, [0], [1], [0.5]), NO_SCORES, votes).tolist() == [1]


def test_truth_prefers_scores_to_votes_even_where_they_are_equal():
    scores = np.array([2.0, 2.0, 1.0, np.nan])
    comparisons = Comparisons(4, [0, 3], [1, 2], [1.0, 1.0])
    votes = Votes(Comparisons(4, [0, 3], [1, 2], [1.0, 1.0]), np.array([0, 0]))

    right = human_preferences(comparisons, scores, votes)

    assert np.isnan(right[0])
    assert right[1] == 1


def test_accuracy_counts_a_tie_as_half_and_pairs_without_truth_not_at_all():
    comparisons = Comparisons(4, [0, 1, 2, 3], [1, 2, 3, 0], [0.9, 0.5, 0.1, 0.7])

    figure = accuracy(comparisons, np.array([1.0, 1.0, 1.0, np.nan]))

    assert (figure.value, figure.n) == (0.5, 3)


def test_accuracy_with_other_decisions_is_that_of_those():
    comparisons, scores = simulated_run(np.random.default_rng(0), bias=2.0, noise=0.3)
    right = human_preferences(comparisons, scores)
    debiased = Debiasing.of_run(comparisons).decide(comparisons.p_first)

    assert accuracy(comparisons, right, debiased).value > accuracy(comparisons, right).value + 0.1


def test_accuracy_without_truth_says_why():
    figure = accuracy(Comparisons(4, [0], [1], [1.0]), np.array([np.nan]))

    assert (figure.value, figure.n) == (None, 0)
    assert figure.undefined == "people prefer no candidate of a compared pair; collect votes or scores"


def test_accuracy_without_an_answer_says_so_and_does_not_blame_people():
    figure = accuracy(Comparisons(4, [], [], []), np.array([]))

    assert (figure.value, figure.n, figure.undefined) == (None, 0, "no comparison has an answer")


def test_accuracy_in_both_orders_needs_both_right():
    comparisons = Comparisons(4, [0, 1, 0, 2, 0, 3, 1], [1, 0, 2, 0, 3, 0, 2], [0.9, 0.2, 0.9, 0.9, 0.5, 0.1, 0.9])
    right = np.array([1.0, 0, 1, 0, 1, 0, 1])

    figure = accuracy_both_orders(comparisons, right)

    assert (figure.value, figure.n) == (pytest.approx(1 / 3), 3)


def test_accuracy_in_both_orders_of_single_orders_says_why():
    assert accuracy_both_orders(Comparisons(4, [0], [1], [1.0]), np.ones(1)).undefined == (
        "no pair on which people prefer one candidate was decided in both orders"
    )


def test_accuracy_macro_is_the_mean_over_subsets_with_an_accuracy():
    comparisons = Comparisons(8, [0, 2, 4, 6], [1, 3, 5, 7], [0.9, 0.9, 0.1, 0.9], [0, 2, 4, 6])

    figure = accuracy_macro(comparisons, np.array([1.0, 1, 1, np.nan]), np.array([0, 0, 1, 2]))

    assert (figure.value, figure.n) == (0.5, 3)


def test_accuracy_macro_leaves_out_contexts_without_a_subset():
    comparisons = Comparisons(4, [0, 2], [1, 3], [0.9, 0.1], [0, 2])

    assert accuracy_macro(comparisons, np.ones(2), np.array([0, -1])).value == 1
    assert accuracy_macro(comparisons, np.ones(2), np.array([-1, -1])).value is None


def test_p_first_counts_a_tie_as_half():
    comparisons = Comparisons(4, [0, 0, 0, 1], [1, 2, 3, 2], [0.9, 0.5, 0.6, 0.1])

    assert (first_share(comparisons).value, first_share(comparisons).n) == (0.625, 4)
    assert first_share(comparisons, np.array([0, 0, 0.5, 0.5])).value == 0.25


def test_p_first_of_no_answers_says_why():
    assert first_share(Comparisons(2, [], [], [])).undefined == "no comparison has an answer"


@pytest.mark.parametrize(
    ("there", "back", "expected"),
    [(0.9, 0.1, 1), (0.9, 0.9, 0), (0.5, 0.5, 1), (0.5, 0.1, 0), (0.1, 0.5, 0), (0.1, 0.2, 0)],
)
def test_order_agreement_is_the_same_candidate_or_two_ties(there, back, expected):
    assert order_agreement(Comparisons(2, [0, 1], [1, 0], [there, back])).value == expected


def test_order_agreement_counts_pairs_decided_in_both_orders():
    figure = order_agreement(Comparisons(3, [0, 1, 2], [1, 0, 1], [0.9, 0.3, 0.8]))

    assert (figure.value, figure.n) == (1, 1)
    assert order_agreement(Comparisons(3, [0], [1], [1.0])).undefined == "no pair was decided in both orders"


def test_order_agreement_refuses_a_pair_asked_twice():
    with pytest.raises(InvalidComparisons, match="an ordered pair is compared twice"):
        order_agreement(Comparisons(2, [0, 0], [1, 1], [0.9, 0.9]))


@given(seed=st.integers(0, 1000))
def test_figures_of_mirrored_comparisons_are_mirrored(seed):
    comparisons, scores = simulated_run(np.random.default_rng(seed), n_contexts=3, n_candidates=4, bias=0.5)
    other = mirrored(comparisons)

    assert first_share(other).value == pytest.approx(1 - first_share(comparisons).value)
    assert (
        accuracy(other, human_preferences(other, scores)).value
        == accuracy(comparisons, human_preferences(comparisons, scores)).value
    )


def test_accuracy_recovers_the_judge_s_chance_to_be_right():
    rng = np.random.default_rng(2)
    first, second, starts = every_ordered_pair(8, 50)
    scores = rng.normal(size=400)
    right = human_preferences(Comparisons(400, first, second, np.full(len(first), 0.5), starts), scores)
    answers = np.where(rng.random(len(first)) < 0.8, right, 1 - right)

    figure = accuracy(Comparisons(400, first, second, answers, starts), right)

    assert figure.low < 0.8 < figure.high
    assert figure.high - figure.low < 0.05


def test_score_comparisons_are_of_every_unordered_pair_of_scored_candidates():
    scores = Scores.of_values(np.array([1.0, 2.0, np.nan, 2.0, 5.0, 4.0]))

    pairs = score_comparisons(scores, np.array([0, 0, 0, 0, 1, 1]))

    answers = zip(pairs.first.tolist(), pairs.second.tolist(), pairs.p_first.tolist(), strict=True)
    assert list(answers) == [(0, 1, 0), (0, 3, 0), (1, 3, 0.5), (4, 5, 1)]
    assert pairs.starts.tolist() == [0, 4]


def test_score_comparisons_of_unparsed_scores_are_none():
    pairs = score_comparisons(Scores.of_values(np.array([1.0, np.nan, 2.0])), np.array([0, 0, 1]))

    assert (len(pairs), pairs.n_contexts) == (0, 2)
    assert decide(pairs.p_first).tolist() == []


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
    assert mean_of_both_orders(Comparisons(5, first, second, fair + 0.2)).p_first == pytest.approx(fair)


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
