from itertools import permutations

import numpy as np
import pytest
from scipy.stats import spearmanr

from evenhand.numerics.comparisons import Comparisons
from evenhand.numerics.debiasing import Debiasing
from evenhand.numerics.decisions import decide
from evenhand.numerics.exceptions import Undefined
from evenhand.numerics.figure import Figure
from evenhand.numerics.first_shares import FirstShares
from evenhand.numerics.rankings.likelihood import hard_likelihood
from evenhand.numerics.rankings.registry import score
from tests.evenhand.numerics.simulation import simulated_run

SHARES = FirstShares(Figure(0.9), Figure(0.5))


def log_likelihood(comparisons, order, if_better, if_worse):
    """Return the logarithm of equation 13 for an order, best candidate first."""
    position = np.argsort(order)
    share = np.where(position[comparisons.first] < position[comparisons.second], if_better, if_worse)
    return np.log(np.where(comparisons.p_first > 0.5, share, 1 - share)).sum()


def mean_spearman(scores, truth):
    return np.mean(
        [spearmanr(*pair).statistic for pair in zip(scores.reshape(-1, 10), truth.reshape(-1, 10), strict=True)]
    )


@pytest.mark.parametrize(("shares", "probabilities"), [(None, (0.8, 0.2)), (SHARES, (0.9, 0.5))])
def test_hard_likelihood_is_as_large_as_that_of_the_best_of_all_orders(shares, probabilities):
    rng = np.random.default_rng(0)
    for _ in range(20):
        run, _ = simulated_run(rng, n_candidates=5, n_contexts=1, noise=3, bias=1)
        few = run.select(rng.random(len(run)) < 0.6)
        if not few.compared.all():
            continue

        order = np.argsort(-hard_likelihood(few, shares=shares).complete())

        best = max(log_likelihood(few, np.array(one), *probabilities) for one in permutations(range(5)))
        assert log_likelihood(few, order, *probabilities) == pytest.approx(best)


def test_hard_likelihood_weighs_a_choice_against_the_preferred_position_more():
    """0 beats 1 and 1 beats 2 from the preferred first position; 2 beats 0 from the second."""
    circle = Comparisons(3, [0, 1, 0], [1, 2, 2], [0.6, 0.6, 0.4])

    raw, aware = hard_likelihood(circle).complete(), hard_likelihood(circle, shares=SHARES).complete()

    assert raw.tolist() == [-2, -2, -2]  # three orders are equally likely
    assert aware[2] > aware[0]
    assert log_likelihood(circle, np.argsort(-aware), 0.9, 0.5) > log_likelihood(circle, np.array([0, 1, 2]), 0.9, 0.5)


def test_hard_likelihood_takes_a_tie_as_half_a_decision_each_way():
    tie = Comparisons(2, [1], [0], [0.5])
    tie_from_the_preferred_position = hard_likelihood(tie, shares=SHARES).complete()

    assert hard_likelihood(tie).complete().tolist() == [-1.5, -1.5]
    assert tie_from_the_preferred_position.tolist() == [-1, -2]


def test_hard_likelihood_does_not_see_how_sure_an_answer_is():
    comparisons, _ = simulated_run(np.random.default_rng(3), n_candidates=6, n_contexts=3, noise=2)
    debiasing = Debiasing.of_run(comparisons)

    hard = comparisons.with_p_first(decide(comparisons.p_first))

    for chosen in (None, debiasing):
        soft_scores, hard_scores = (score("likelihood-hard", run, chosen).values for run in (comparisons, hard))
        assert soft_scores.tolist() == hard_scores.tolist()


def test_hard_likelihood_of_both_orders_is_the_same_raw_and_debiased():
    comparisons, _ = simulated_run(np.random.default_rng(4), n_candidates=16, n_contexts=60, noise=2, bias=0.5)

    debiased = score("likelihood-hard", comparisons, Debiasing.of_run(comparisons))

    assert debiased.values.tolist() == score("likelihood-hard", comparisons).values.tolist()


def test_hard_likelihood_of_one_order_is_nearer_to_the_truth_with_the_position_than_without():
    rng = np.random.default_rng(5)
    every, truth = simulated_run(rng, n_candidates=10, n_contexts=300, noise=0.5, bias=1.5)
    once = every.select(rng.permutation(len(every)))
    once = once.select(np.unique(once.pair_keys, return_index=True)[1])

    raw, aware = (score("likelihood-hard", once, one).complete() for one in (None, Debiasing.of_run(once)))

    mean = [mean_spearman(scores, truth) for scores in (raw, aware)]
    assert mean[1] > mean[0] + 0.01


def test_hard_likelihood_refuses_shares_that_do_not_exist():
    one = Comparisons(2, [0], [1], [1.0])

    with pytest.raises(Undefined, match="never show which one is better"):
        score("likelihood-hard", one, Debiasing.of_run(one))
