import numpy as np
import pytest

from rankings.numerics.comparisons import Comparisons
from rankings.numerics.reliability.trust_checks import TrustCondition, failure_checks, order_checks, overlap_check
from rankings.numerics.votes import Votes
from tests.rankings.numerics.simulation import simulated_run

EMPTY = Comparisons(3, [], [], [])


def of_order(comparisons, *, pairs_twice=0, chosen=0):
    return {check.name: check for check in order_checks(comparisons, pairs_twice=pairs_twice, chosen=chosen)}


def of_failures(answered, unparsed, errors):
    found = failure_checks(answered=answered, unparsed=unparsed, errors=errors, noun="comparisons")
    return {check.name: check for check in found}


def votes(*rows):
    """Votes for the first as (first, second, rater), of four candidates in one context."""
    first, second, raters = zip(*rows, strict=True)
    return Votes(Comparisons(4, first, second, np.ones(len(rows))), np.array(raters))


def test_a_full_noisy_run_passes_every_check():
    comparisons, _ = simulated_run(np.random.default_rng(0), n_contexts=3, noise=9)
    twice = len(comparisons) // 2

    found = [*of_order(comparisons, pairs_twice=twice).values(), *of_failures(len(comparisons), 0, 0).values()]

    assert [(check.state, check.value) for check in found] == [("passed", 1)] * 3 + [("passed", 0)] * 3


def test_pairs_chosen_by_answers_name_the_rankings_to_prefer():
    check = of_order(Comparisons(3, [0, 1, 2], [1, 2, 0], [0.9, 0.9, 0.9]), chosen=2)["chosen-by-answers"]

    assert (check.state, check.value, check.limit) == ("failed", 2 / 3, 0)
    assert check.why == (
        "2 of 3 comparisons are of pairs that the run chose by its answers, which distorts win-ratio and "
        "average-probability; prefer bradley-terry, poe-bt, poe-gaussian, poe-gaussian-hard"
    )


def test_contexts_that_fall_apart_are_counted():
    apart = Comparisons(7, [0, 2, 4], [1, 3, 5], [0.9] * 3, [0, 4])

    assert of_order(apart)["connected"] == TrustCondition(
        "connected", "failed", 0.5, 1.0, "in 1 of 2 contexts the comparisons connect all compared candidates"
    )


def test_candidates_that_always_win_are_counted():
    check = of_order(Comparisons(3, [0, 1, 2], [1, 2, 1], [0.9, 0.9, 0.9]))["won-and-lost"]

    assert (check.state, check.value) == ("note", 2 / 3)
    assert check.why == (
        "2 of 3 compared candidates both won and lost; the best and the worst of a context need not do both"
    )


def test_a_tie_is_neither_won_nor_lost():
    check = of_order(Comparisons(3, [0, 1, 2], [1, 2, 0], [0.5, 0.9, 0.9]))["won-and-lost"]

    assert check.why.startswith("1 of 3 compared candidates both won and lost;")


def test_of_two_candidates_one_may_always_win():
    check = of_order(Comparisons(5, [0, 2, 3, 4], [1, 3, 4, 2], [0.9] * 4, [0, 2]))["won-and-lost"]
    alone = of_order(Comparisons(2, [0, 1], [1, 0], [0.9, 0.2]))["won-and-lost"]

    assert (check.state, check.why) == ("passed", "3 of 3 compared candidates both won and lost")
    assert (alone.state, alone.value) == ("not applicable", None)
    assert alone.why == "no context has three compared candidates; of two, one may well win always"


def test_failures_may_be_one_per_cent_of_each_kind():
    at_limit, above = of_failures(98, 1, 1), of_failures(97, 2, 1)

    assert [at_limit[name].state for name in ("unparsed", "errors")] == ["passed", "passed"]
    assert above["unparsed"] == TrustCondition(
        "unparsed", "failed", 0.02, 0.01, "2 of 100 comparisons could not be parsed; at most 1% is good"
    )
    assert above["errors"] == TrustCondition(
        "errors", "passed", 0.01, 0.01, "1 of 100 comparisons failed with an error; at most 1% is good"
    )


@pytest.mark.parametrize(("last", "state", "share"), [(0.1, "note", "58%"), (0.9, "failed", "92%")])
def test_one_order_is_doubted_where_the_judge_is_biased(last, state, share):
    """The judge chooses the first in 11 or 7 of 12 answers; one pair lacks its second order."""
    comparisons = Comparisons(
        5,
        [0, 1, 0, 2, 0, 3, 0, 4, 1, 2, 1, 3],
        [1, 0, 2, 0, 3, 0, 4, 0, 2, 1, 3, 2],
        [0.9] * 7 + [0.1] + [last] * 4,
    )

    check = of_order(comparisons, pairs_twice=5)["both-orders"]

    assert (check.state, check.value) == (state, 5 / 7)
    assert check.why == f"5 of 7 compared pairs have answers in both orders, and P(first) is {share}"


@pytest.mark.parametrize(("pairs", "state"), [(99, "failed"), (100, "note")])
def test_few_pairs_in_one_order_are_no_reason_to_doubt(pairs, state):
    """All but one pair are asked twice; the judge always chooses the first."""
    first, second = np.arange(pairs), np.arange(pairs) + 1
    comparisons = Comparisons(pairs + 1, [*first, *second[1:]], [*second, *first[1:]], [0.9] * (2 * pairs - 1))

    assert of_order(comparisons, pairs_twice=pairs - 1)["both-orders"].state == state


def test_both_orders_of_every_pair_pass():
    assert of_order(Comparisons(2, [0, 1], [1, 0], [0.9, 0.9]), pairs_twice=1)["both-orders"].state == "passed"


@pytest.mark.parametrize(("second_rater", "people", "state"), [(0, 1.0, "note"), (1, 2.0, "passed")])
def test_overlap_is_the_mean_number_of_people_on_pairs_of_the_judge(second_rater, people, state):
    judged = Comparisons(4, [0, 1], [1, 2], [0.9, 0.9])

    check = overlap_check(judged, votes((0, 1, 0), (1, 0, second_rater), (2, 3, 2), (3, 2, 3), (2, 3, 4)))

    assert (check.state, check.value, check.limit) == (state, people, 2)
    assert check.why.startswith(
        f"1 of the 2 pairs that people voted on were compared by the judge, with {people:.0f} people a pair"
    )


def test_votes_on_no_pair_of_the_judge_are_no_overlap():
    check = overlap_check(Comparisons(4, [0], [1], [0.9]), votes((2, 3, 0), (3, 2, 1)))

    assert (check.state, check.value) == ("failed", 0)
    assert check.why == "0 of the 1 pairs that people voted on were compared by the judge"


def test_what_cannot_be_checked_is_neither_passed_nor_failed():
    without_votes = Votes(EMPTY, np.zeros(0, dtype=int))

    found = [*of_order(EMPTY).values(), *of_failures(0, 0, 0).values(), overlap_check(EMPTY, without_votes)]

    assert [(check.state, check.value) for check in found] == [("not applicable", None)] * 7
