import numpy as np
import pytest

from evenhand.numerics.comparisons import Comparisons
from evenhand.numerics.exceptions import InvalidComparisons
from evenhand.numerics.votes import Votes, human_agreement

ONE_CONTEXT = np.array([True])


def votes(*rows):
    """Votes as (first, second, p_first, rater), of four candidates in one context."""
    first, second, answers, raters = zip(*rows, strict=True)
    return Votes(Comparisons(4, first, second, answers), np.array(raters))


def test_human_compares_each_vote_with_the_majority_of_the_others():
    three = votes((0, 1, 1.0, 0), (0, 1, 1.0, 1), (0, 1, 0.0, 2))

    figure = human_agreement(three, ONE_CONTEXT)

    # For the dissenter the others agree; for each of the two, the others are split one to one.
    assert (figure.value, figure.n) == (0, 1)


def test_human_takes_both_orders_of_a_pair_together():
    agreed = votes((0, 1, 1.0, 0), (1, 0, 0.0, 1), (0, 1, 1.0, 2))

    assert (human_agreement(agreed, ONE_CONTEXT).value, human_agreement(agreed, ONE_CONTEXT).n) == (1, 3)


def test_human_counts_a_tie_vote_as_half():
    tied = votes((0, 1, 0.5, 0), (0, 1, 1.0, 1), (0, 1, 1.0, 2))

    # The tie against two firsts is half right; each first has one first and one tie against it: no majority.
    assert (human_agreement(tied, ONE_CONTEXT).value, human_agreement(tied, ONE_CONTEXT).n) == (0.5, 1)


def test_human_leaves_a_rater_out_of_the_majority_that_judges_him():
    twice = votes((0, 1, 1.0, 0), (1, 0, 0.0, 0), (0, 1, 0.0, 1))

    # Rater 0 has only rater 1 against him, twice; rater 1 has rater 0's two votes.
    assert (human_agreement(twice, ONE_CONTEXT).value, human_agreement(twice, ONE_CONTEXT).n) == (0, 3)


def test_human_counts_votes_of_recorded_contexts_only():
    answers = Comparisons(4, [0, 0, 2, 2], [1, 1, 3, 3], [1.0, 1.0, 1.0, 0.0], [0, 2])

    figure = human_agreement(Votes(answers, np.array([0, 1, 0, 1])), np.array([True, False]))

    assert (figure.value, figure.n) == (1, 2)


def test_human_of_single_votes_says_why():
    figure = human_agreement(votes((0, 1, 1.0, 0)), ONE_CONTEXT)

    assert (figure.value, figure.n) == (None, 0)
    assert figure.undefined == "no vote is on a pair on which the other raters have a strict majority"


def test_human_of_no_votes_says_why():
    nothing = Votes(Comparisons(4, [], [], []), np.array([], dtype=int))

    assert human_agreement(nothing, ONE_CONTEXT).value is None


def test_human_recovers_how_often_raters_are_right():
    rng = np.random.default_rng(0)
    pair = np.repeat(np.arange(2000), 9)
    answers = (rng.random(len(pair)) < 0.9).astype(float)
    all_votes = Votes(
        Comparisons(4000, 2 * pair, 2 * pair + 1, answers, 2 * np.arange(2000)), np.tile(np.arange(9), 2000)
    )

    assert human_agreement(all_votes, np.ones(2000, dtype=bool)).value == pytest.approx(0.9, abs=0.01)


def test_votes_refuse_probabilities():
    with pytest.raises(InvalidComparisons, match="must be 0, 1/2 or 1"):
        Votes(Comparisons(2, [0], [1], [0.7]), np.array([0]))


def test_votes_need_a_rater_each():
    with pytest.raises(InvalidComparisons, match="1 votes have 2 raters"):
        Votes(Comparisons(2, [0], [1], [1.0]), np.array([0, 1]))
