import numpy as np

from rankings.numerics.comparisons import Comparisons
from rankings.numerics.trust_checks import Check, trust_checks
from rankings.numerics.votes import Votes
from tests.rankings.numerics.simulation import simulated_run

EMPTY = Comparisons(3, [], [], [])


def checks_of(comparisons, *, unparsed=0, errors=0, votes=None):
    return {check.name: check for check in trust_checks(comparisons, unparsed=unparsed, errors=errors, votes=votes)}


def test_a_full_noisy_run_with_votes_passes_every_check():
    comparisons, _ = simulated_run(np.random.default_rng(0), n_contexts=3, noise=9)
    pair = Comparisons(24, [0, 0], [1, 1], [1.0, 0.0], comparisons.starts)

    checks = checks_of(comparisons, votes=Votes(pair, np.array([0, 1])))

    assert [check.passed for check in checks.values()] == [True] * 6


def test_few_comparisons_of_a_candidate_are_named():
    check = checks_of(Comparisons(3, [0, 1], [1, 2], [0.9, 0.9]))["enough comparisons per candidate"]

    assert check == Check(
        "enough comparisons per candidate", False, "3 of 3 compared candidates have fewer than 3 comparisons"
    )


def test_contexts_that_fall_apart_are_named():
    apart = Comparisons(7, [0, 2, 4], [1, 3, 5], [0.9] * 3, [0, 4])

    check = checks_of(apart)["comparisons connected"]

    assert check.passed is False
    assert check.detail == "in 1 of 2 contexts the comparisons do not connect all compared candidates"


def test_candidates_that_always_win_are_named():
    check = checks_of(Comparisons(3, [0, 1, 2], [1, 2, 1], [0.9, 0.9, 0.9]))["every candidate won and lost"]

    assert check.passed is False
    assert check.detail == "1 of 3 compared candidates never won or never lost"


def test_failures_above_one_per_cent_are_named():
    comparisons, _ = simulated_run(np.random.default_rng(0), n_contexts=2)

    assert checks_of(comparisons, unparsed=1)["few failures"].passed is True
    check = checks_of(comparisons, unparsed=1, errors=1)["few failures"]
    assert check.passed is False
    assert check.detail == "2 of 114 comparisons have no answer; at most 1% is good"


def test_pairs_of_one_order_are_named():
    check = checks_of(Comparisons(3, [0, 1, 1], [1, 0, 2], [0.9, 0.9, 0.9]))["both orders present"]

    assert check.passed is False
    assert check.detail == "1 of 2 compared pairs have answers in both orders"


def test_pairs_of_one_rater_are_named():
    judged = Comparisons(3, [0, 1], [1, 2], [0.9, 0.9])
    votes = Votes(Comparisons(3, [0, 1, 1, 2], [1, 0, 2, 0], [1.0, 1.0, 1.0, 1.0]), np.array([0, 0, 0, 1]))

    check = checks_of(judged, votes=votes)["pairs with several human raters"]

    assert check.passed is False
    assert check.detail == "0 of the 2 pairs that both the judge and people compared have 2 or more raters"


def test_what_cannot_be_checked_is_neither_passed_nor_failed():
    assert [check.passed for check in checks_of(EMPTY).values()] == [None] * 6
