from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evenhand.numerics.accuracy import (
    accuracy_per_vote,
    accuracy_per_vote_decided,
    agreement_per_vote,
    agreement_per_vote_decided,
)
from evenhand.numerics.comparisons import Comparisons
from evenhand.numerics.votes import Votes

STARTS = np.array([0, 3])


def answers(*rows):
    """Comparisons of two contexts with three candidates each, from rows of first, second, p_first."""
    first, second, p_first = zip(*rows, strict=True) if rows else ([], [], [])
    whole = [np.array(numbers, dtype=np.intp) for numbers in (first, second)]
    return Comparisons(6, *whole, np.array(p_first, dtype=np.float64), STARTS)


def votes(*rows):
    return Votes(answers(*rows), np.arange(len(rows)))


def test_vote_matches_the_same_candidate_in_either_order():
    judge = answers((0, 1, 0.9), (4, 3, 0.2))

    figure = accuracy_per_vote(judge, votes((1, 0, 0.0), (0, 1, 0.0), (3, 4, 1.0)))

    assert (figure.value, figure.n) == (2 / 3, 3)


def test_tie_matches_a_tie_and_nothing_else_and_decided_leaves_out_ties_of_either_side():
    judge = answers((0, 1, 0.5), (3, 4, 0.8))

    figure = accuracy_per_vote(judge, votes((0, 1, 0.5), (0, 1, 1.0), (3, 4, 0.5)))

    assert (figure.value, figure.n) == (1 / 3, 3)

    figure = accuracy_per_vote_decided(judge, votes((0, 1, 1.0), (3, 4, 0.5), (3, 4, 1.0), (4, 3, 1.0)))

    assert (figure.value, figure.n) == (1 / 2, 2)


def test_both_orders_of_a_pair_are_matched_with_each_vote():
    assert accuracy_per_vote(answers((0, 1, 0.9), (1, 0, 0.9)), votes((0, 1, 1.0), (0, 1, 1.0))).n == 4


@pytest.mark.parametrize("given_votes", [votes(), votes((0, 2, 1.0))])
def test_figure_without_a_couple_says_why(given_votes):
    figure = accuracy_per_vote(answers((0, 1, 0.9)), given_votes)

    assert (figure.value, figure.n, figure.undefined) == (None, 0, "no comparison is of a pair with a vote")


def test_decided_figure_without_a_couple_says_why():
    figure = accuracy_per_vote_decided(answers((0, 1, 0.9)), votes((0, 1, 0.5)))

    assert (figure.value, figure.n) == (None, 0)
    assert figure.undefined == "no comparison that chooses a candidate is of a pair with a vote for a candidate"


PAIR = st.sampled_from([(0, 1), (1, 0), (1, 2), (2, 0), (3, 4), (4, 3), (3, 5)])
ANSWERS = st.lists(st.tuples(PAIR, st.sampled_from([0.0, 0.5, 1.0])), max_size=12)


@given(ANSWERS, ANSWERS)
def test_shares_are_those_of_a_plain_count(judged, voted):
    couples = [(_winner(*one), _winner(*other)) for one in judged for other in voted if set(one[0]) == set(other[0])]
    decided = [couple for couple in couples if "tie" not in couple]

    judge, people = answers(*((*pair, p) for pair, p in judged)), votes(*((*pair, p) for pair, p in voted))

    for figure, counted in (
        (accuracy_per_vote(judge, people), couples),
        (accuracy_per_vote_decided(judge, people), decided),
    ):
        assert figure.n == len(counted)
        assert figure.value == (pytest.approx(np.mean([a == b for a, b in counted])) if counted else None)


def _winner(pair, p_first):
    return {1.0: pair[0], 0.0: pair[1], 0.5: "tie"}[p_first]


def by_raters(*rows):
    """Votes from rows of first, second, p_first, rater."""
    return Votes(answers(*(row[:3] for row in rows)), np.array([row[3] for row in rows], dtype=np.intp))


def test_agreement_counts_each_couple_of_two_raters_once():
    panel = by_raters((0, 1, 1.0, 7), (1, 0, 0.0, 8), (0, 1, 0.5, 9), (3, 4, 1.0, 7))

    figure = agreement_per_vote(panel)

    assert (figure.value, figure.n) == (1 / 3, 3)


def test_agreement_leaves_out_two_votes_of_one_rater():
    panel = by_raters((0, 1, 1.0, 7), (0, 1, 1.0, 7), (0, 1, 0.0, 8))

    figure = agreement_per_vote(panel)

    assert (figure.value, figure.n) == (0, 2)
    assert agreement_per_vote(by_raters((0, 1, 1.0, 7), (1, 0, 1.0, 7))).undefined == (
        "no pair has the votes of two of these raters"
    )


def test_decided_agreement_leaves_out_tie_votes():
    panel = by_raters((0, 1, 1.0, 7), (0, 1, 0.5, 8), (1, 0, 0.0, 9))

    figure = agreement_per_vote_decided(panel)

    assert (figure.value, figure.n) == (1, 1)
    assert agreement_per_vote_decided(panel.select(panel.raters != 9)).undefined == (
        "no pair has votes of two of these raters for a candidate"
    )


PANELS = st.lists(
    st.tuples(
        st.sampled_from([(0, 1), (1, 0), (0, 2), (3, 4), (5, 4)]), st.sampled_from([0.0, 0.5, 1.0]), st.integers(0, 3)
    ),
    max_size=12,
)


@given(panel=PANELS)
def test_agreement_equals_a_plain_count_of_couples(panel):
    couples = [
        (one[1] if one[0][0] < one[0][1] else 1 - one[1]) == (other[1] if other[0][0] < other[0][1] else 1 - other[1])
        for one, other in combinations(panel, 2)
        if set(one[0]) == set(other[0]) and one[2] != other[2]
    ]

    figure = agreement_per_vote(by_raters(*((*pair, p_first, rater) for pair, p_first, rater in panel)))

    assert figure.n == len(couples)
    assert figure.value == (pytest.approx(sum(couples) / len(couples)) if couples else None)
