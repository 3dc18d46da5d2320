from itertools import permutations

import numpy as np
import pytest
from hypothesis import given, settings
from scipy.special import expit, logit

from evenhand.numerics.comparisons import Comparisons
from evenhand.numerics.debiasing import Debiasing
from evenhand.numerics.exceptions import Undefined
from evenhand.numerics.rankings.likelihood import likelihood
from evenhand.numerics.rankings.linear_ordering import best_order
from evenhand.numerics.rankings.product_of_experts import clipped
from evenhand.numerics.rankings.registry import score
from evenhand.numerics.scores import Reason, rounded_units
from tests.evenhand.numerics.simulation import connected_contexts_of_comparisons, simulated_run


def log_likelihood(comparisons, scores):
    """Return the log-likelihood of the order that the scores give."""
    above = scores[comparisons.first] > scores[comparisons.second]
    p = clipped(comparisons.p_first)
    return np.log(np.where(above, p, 1 - p)).sum()


def test_likelihood_finds_the_published_capital_of_tennessee():
    """The Kemeny-Young example: four cities, shares of voters who put one above the other."""
    memphis, nashville, chattanooga, knoxville = range(4)
    shares = {
        (memphis, nashville): 0.42,
        (memphis, chattanooga): 0.42,
        (memphis, knoxville): 0.42,
        (nashville, chattanooga): 0.68,
        (nashville, knoxville): 0.68,
        (chattanooga, knoxville): 0.83,
    }
    first, second = zip(*shares, strict=True)

    scores = likelihood(Comparisons(4, first, second, list(shares.values()))).complete()

    assert np.argsort(-scores).tolist() == [nashville, chattanooga, knoxville, memphis]
    assert scores.max() == -1


@settings(max_examples=60)
@given(comparisons=connected_contexts_of_comparisons())
def test_likelihood_is_as_large_as_that_of_the_best_of_all_orders(comparisons):
    scores = likelihood(comparisons).complete()

    orders = permutations(range(comparisons.n_candidates))
    best = max(log_likelihood(comparisons, np.array(order)) for order in orders)
    assert log_likelihood(comparisons, scores) == pytest.approx(best)


def test_likelihood_of_many_contexts_is_that_of_each_alone():
    together, _ = simulated_run(np.random.default_rng(1), n_candidates=6, n_contexts=5, noise=3)

    scores = likelihood(together).complete()

    for context in range(5):
        part = together.of_contexts(np.arange(5) == context)
        alone = Comparisons(6, part.first - 6 * context, part.second - 6 * context, part.p_first)
        assert scores[6 * context : 6 * context + 6].tolist() == likelihood(alone).complete().tolist()


def test_likelihood_recovers_the_order_of_consistent_answers():
    comparisons, truth = simulated_run(np.random.default_rng(2), n_candidates=50, n_contexts=1, noise=0)

    assert np.argsort(likelihood(comparisons).complete()).tolist() == np.argsort(truth).tolist()


def test_likelihood_beyond_the_exact_limit_beats_the_order_of_the_sums():
    comparisons, _ = simulated_run(np.random.default_rng(3), n_candidates=30, n_contexts=1, noise=5)
    weights = logit(comparisons.p_first)
    sums = np.bincount(comparisons.first, weights) - np.bincount(comparisons.second, weights)

    scores = likelihood(comparisons).complete()

    assert sorted(scores) == list(range(-30, 0))
    assert log_likelihood(comparisons, scores) > log_likelihood(comparisons, sums) + 1


def test_likelihood_tells_equally_likely_orders_apart_by_number():
    ties = Comparisons(3, [2, 1], [0, 2], [0.5, 0.5])

    assert likelihood(ties).complete().tolist() == [-1, -2, -3]


def test_likelihood_cuts_a_circle_so_that_the_first_candidate_is_last():
    """0 beats 1, 1 beats 2 and 2 beats 0, all as clearly: three orders are equally likely."""
    scores = likelihood(Comparisons(3, [0, 1, 2], [1, 2, 0], [0.8, 0.8, 0.8])).complete()

    assert scores.tolist() == [-3, -1, -2]


def test_likelihood_needs_no_connected_graph_but_comparisons():
    scores = likelihood(Comparisons(5, [0, 2], [1, 3], [0.2, 0.9]))

    assert scores.values[:4].tolist() == [-3, -1, -2, -4]
    with pytest.raises(Undefined, match="candidate 4"):
        scores.complete()


def test_likelihood_of_more_than_16_candidates_is_as_large_as_that_of_a_full_search():
    """Preferences without any signal, where one search by insertion stops up to 12 nats too low."""
    rng, n = np.random.default_rng(0), 18
    first, second = np.triu_indices(n, 1)
    for _ in range(5):
        comparisons = Comparisons(n, first, second, expit(rng.normal(size=len(first)) * 2))
        net = np.zeros((n, n))
        net[first, second] = logit(comparisons.p_first)
        best = np.empty(n)
        best[best_order(rounded_units(net - net.T))] = -np.arange(n)

        found = likelihood(comparisons).complete()

        assert log_likelihood(comparisons, found) == pytest.approx(log_likelihood(comparisons, best))


def test_likelihood_gives_no_order_to_a_context_too_large_to_search(monkeypatch):
    monkeypatch.setattr("evenhand.numerics.rankings.likelihood.LARGEST_ORDERED", 3)

    scores = likelihood(simulated_run(np.random.default_rng(4), n_candidates=4, n_contexts=1)[0])

    assert (scores.reasons == Reason.TOO_MANY_CANDIDATES).all()


def test_likelihood_of_other_answers_to_the_same_pairs_is_that_of_new_comparisons():
    comparisons, _ = simulated_run(np.random.default_rng(5), n_candidates=6, n_contexts=4, noise=3)
    likelihood(comparisons)

    turned = comparisons.with_p_first(1 - comparisons.p_first)

    alone = Comparisons(24, turned.first, turned.second, turned.p_first, turned.starts)
    assert likelihood(turned).values.tolist() == likelihood(alone).values.tolist()
    assert likelihood(turned).values.tolist() != likelihood(comparisons).values.tolist()


def test_likelihood_searches_once_where_answers_in_both_orders_are_debiased(monkeypatch):
    comparisons, _ = simulated_run(np.random.default_rng(6), n_candidates=6, n_contexts=4, noise=3)
    raw = likelihood(comparisons)

    monkeypatch.setattr("evenhand.numerics.rankings.likelihood.best_orders", None)

    debiased = score("likelihood", comparisons, Debiasing.of_run(comparisons))
    assert debiased.values.tolist() == raw.values.tolist()
