import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import expit
from scipy.stats import spearmanr

from evenhand.numerics.comparisons import Comparisons
from evenhand.numerics.exceptions import ImpossibleBudget
from evenhand.numerics.fitting.batches import connected_contexts
from evenhand.numerics.rankings.product_of_experts import poe_bradley_terry
from evenhand.numerics.selection.adaptive_selection import select_next_pairs
from evenhand.numerics.selection.pair_selection import OrderedPairs, select_pairs

NOTHING = OrderedPairs(np.zeros(0, dtype=int), np.zeros(0, dtype=int))


def nothing_answered(n_candidates):
    return Comparisons(n_candidates, NOTHING.first, NOTHING.second, [])


def information(comparisons, scores):
    """The log-determinant of the curvature of the soft Bradley-Terry likelihood, its one flat direction pinned."""
    chance = expit(scores[comparisons.first] - scores[comparisons.second])
    rows = np.arange(len(comparisons))
    design = np.zeros((len(comparisons), comparisons.n_candidates))
    design[rows, comparisons.first], design[rows, comparisons.second] = 1, -1
    return np.linalg.slogdet(design.T @ (design * (chance * (1 - chance))[:, None]) + 1).logabsdet


def asked_in_steps(truth, total, step, rng):
    """Adaptive comparisons of candidates whose answers follow the Bradley-Terry model."""
    asked, answered = NOTHING, nothing_answered(len(truth))
    while len(asked) < total:
        more = select_next_pairs(asked, answered, step, rng)
        asked = OrderedPairs(np.r_[asked.first, more.first], np.r_[asked.second, more.second])
        answered = Comparisons(len(truth), asked.first, asked.second, expit(truth[asked.first] - truth[asked.second]))
    return answered


def test_select_next_takes_the_pair_that_adds_most_information():
    """Against every possible pair, tried one by one."""
    rng = np.random.default_rng(0)
    truth = 2 * rng.normal(size=6)
    start = select_pairs("random", 6, 9, rng)
    answered = Comparisons(6, start.first, start.second, expit(truth[start.first] - truth[start.second]))
    scores = poe_bradley_terry(answered).complete()

    chosen = select_next_pairs(start, answered, 1, rng)

    def with_pair(i, j):
        more = Comparisons(6, np.r_[start.first, i], np.r_[start.second, j], np.r_[answered.p_first, 0.5])
        return information(more, scores)

    asked = set(zip(start.first.tolist(), start.second.tolist(), strict=True))
    best = max(with_pair(i, j) for i in range(6) for j in range(6) if i != j and (i, j) not in asked)
    assert with_pair(chosen.first[0], chosen.second[0]) == pytest.approx(best)


def test_select_next_updates_the_inverse_as_inverting_anew_would():
    """Several pairs of one call: each is the best after those before it, by the determinant of the whole curvature."""
    rng = np.random.default_rng(4)
    truth = 2 * rng.normal(size=7)
    start = select_pairs("random", 7, 10, rng)
    answered = Comparisons(7, start.first, start.second, expit(truth[start.first] - truth[start.second]))
    scores = poe_bradley_terry(answered).complete()

    chosen = select_next_pairs(start, answered, 12, np.random.default_rng(0))

    def with_pairs(first, second):
        more = Comparisons(7, np.r_[start.first, first], np.r_[start.second, second], np.full(10 + len(first), 0.5))
        return information(more, scores)

    open_pairs = {(i, j) for i in range(7) for j in range(7) if i != j}
    open_pairs -= set(zip(start.first.tolist(), start.second.tolist(), strict=True))
    for step in range(12):
        first, second = chosen.first[:step], chosen.second[:step]
        best = max(with_pairs(np.r_[first, i], np.r_[second, j]) for i, j in open_pairs)
        taken = int(chosen.first[step]), int(chosen.second[step])
        assert with_pairs(np.r_[first, taken[0]], np.r_[second, taken[1]]) == pytest.approx(best, abs=1e-9)
        open_pairs.remove(taken)


@given(n_candidates=st.integers(2, 7), number=st.integers(1, 40), seed=st.integers(0, 50))
def test_select_next_connects_first_and_asks_nothing_twice(n_candidates, number, seed):
    number = min(number, n_candidates * (n_candidates - 1))

    pairs = select_next_pairs(NOTHING, nothing_answered(n_candidates), number, np.random.default_rng(seed))

    assert len(set(zip(pairs.first.tolist(), pairs.second.tolist(), strict=True))) == number
    connected = connected_contexts(Comparisons(n_candidates, pairs.first, pairs.second, np.full(number, 0.5)))
    if number >= n_candidates - 1:
        assert connected.all()


def test_select_next_ties_in_candidates_whose_answers_failed():
    asked = OrderedPairs(np.array([0, 1]), np.array([1, 2]))
    only_one_answered = Comparisons(3, [0], [1], [0.8])

    pair = select_next_pairs(asked, only_one_answered, 1, np.random.default_rng(0))

    assert 2 in (pair.first[0], pair.second[0])
    assert (pair.first[0], pair.second[0]) != (1, 2)


def test_select_next_goes_on_as_if_a_candidate_whose_every_pair_failed_were_not_there():
    first, second, p_first = np.array([0, 1, 2]), np.array([1, 2, 3]), [0.9, 0.8, 0.55]
    others = np.arange(4)
    asked = OrderedPairs(np.r_[first, others, [4] * 4], np.r_[second, [4] * 4, others])

    pairs = select_next_pairs(asked, Comparisons(5, first, second, p_first), 3, np.random.default_rng(0))

    without = select_next_pairs(
        OrderedPairs(first, second), Comparisons(4, first, second, p_first), 3, np.random.default_rng(0)
    )
    assert (pairs.first.tolist(), pairs.second.tolist()) == (without.first.tolist(), without.second.tolist())


def test_select_next_is_the_same_for_the_same_generator():
    once, again = (select_next_pairs(NOTHING, nothing_answered(6), 20, np.random.default_rng(3)) for _ in range(2))

    assert (once.first.tolist(), once.second.tolist()) == (again.first.tolist(), again.second.tolist())


def test_select_next_recovers_the_truth_from_few_comparisons():
    rng = np.random.default_rng(1)
    truth = rng.normal(size=20)

    answered = asked_in_steps(truth, 40, 5, rng)

    assert spearmanr(poe_bradley_terry(answered).complete(), truth).statistic == pytest.approx(1)


def test_select_next_tells_more_than_random_pairs_do():
    rng = np.random.default_rng(2)
    truth = 2 * rng.normal(size=15)
    adaptive = asked_in_steps(truth, 45, 5, rng)

    random = [select_pairs("random", 15, 45, rng) for _ in range(20)]

    by_chance = [information(Comparisons(15, pairs.first, pairs.second, np.full(45, 0.5)), truth) for pairs in random]
    assert information(adaptive, truth) > max(by_chance) + 1


@pytest.mark.parametrize("number", [0, 7])
def test_select_next_refuses_more_pairs_than_are_left(number):
    with pytest.raises(ImpossibleBudget, match=f"{number} more pairs of 3 candidates were wanted; 6 have not"):
        select_next_pairs(NOTHING, nothing_answered(3), number, np.random.default_rng(0))
