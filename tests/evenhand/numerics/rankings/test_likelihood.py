from itertools import permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import expit, logit

from evenhand.numerics.comparisons import Comparisons
from evenhand.numerics.debiasing import Debiasing
from evenhand.numerics.exceptions import Undefined
from evenhand.numerics.rankings.likelihood import likelihood
from evenhand.numerics.rankings.linear_ordering import best_order
from evenhand.numerics.rankings.product_of_experts import clipped
from evenhand.numerics.rankings.registry import score
from evenhand.numerics.scores import Reason, rounded_units
from tests.evenhand.numerics.simulation import connected_contexts_of_comparisons, every_ordered_pair, simulated_run


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
def test_likelihood_gives_each_candidate_a_place_between_those_that_it_has_in_the_best_orders(comparisons):
    scores = likelihood(comparisons).complete()

    orders = -1.0 - np.array(list(permutations(range(comparisons.n_candidates))))
    gains = np.array([log_likelihood(comparisons, order) for order in orders])
    best = orders[gains > gains.max() - 1e-9]
    assert (best.min(axis=0) <= scores).all()
    assert (scores <= best.max(axis=0)).all()


@settings(max_examples=60)
@given(comparisons=connected_contexts_of_comparisons(), draw=st.randoms(use_true_random=False))
def test_likelihood_of_candidates_in_another_sequence_is_the_same(comparisons, draw):
    numbers = np.array(draw.sample(range(comparisons.n_candidates), comparisons.n_candidates))

    again = Comparisons(
        comparisons.n_candidates, numbers[comparisons.first], numbers[comparisons.second], comparisons.p_first
    )

    assert likelihood(again).complete()[numbers].tolist() == likelihood(comparisons).complete().tolist()


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


@pytest.mark.parametrize("ranking", ["likelihood", "likelihood-hard"])
def test_likelihood_of_a_judge_that_tells_nothing_apart_gives_every_candidate_one_place(ranking):
    first, second, starts = every_ordered_pair(16)

    constant = Comparisons(16, first, second, np.full(len(first), 0.9), starts)

    assert set(score(ranking, constant).complete()) == {-8.5}


def test_likelihood_gives_candidates_with_the_same_answers_one_place():
    """1 and 2 lose to 0 and win against 3, all as clearly; then 3 also beats 0, less clearly, which makes a circle."""
    few = Comparisons(4, [0, 0, 1, 2], [1, 2, 3, 3], [0.8, 0.8, 0.7, 0.7])
    first, second = np.array([0, 0, 1, 2, 3, 1, 2]), np.array([1, 2, 3, 3, 0, 2, 1])
    circle = Comparisons(4, first, second, [0.8, 0.8, 0.7, 0.7, 0.6, 0.9, 0.9])

    assert likelihood(few).complete().tolist() == [-1, -2.5, -2.5, -4]
    assert likelihood(circle).complete().tolist() == [-1, -2.5, -2.5, -4]


def test_likelihood_cuts_a_circle_where_it_costs_least():
    """0 beats 1, 1 beats 2 and 2 beats 0, the last least clearly; then all as clearly."""
    last, equal = Comparisons(3, [0, 1, 2], [1, 2, 0], [0.8, 0.8, 0.7]), Comparisons(3, [0, 1, 2], [1, 2, 0], [0.8] * 3)

    assert likelihood(last).complete().tolist() == [-1, -2, -3]
    assert likelihood(equal).complete().tolist() == [-2, -2, -2]


def test_likelihood_gives_a_candidate_that_preferences_leave_free_the_mean_of_its_places():
    """1 stands above 0, and 2 above 3 and 4. The others may stand anywhere."""
    scores = likelihood(Comparisons(6, [0, 2, 2], [1, 3, 4], [0.2, 0.9, 0.8]))

    assert scores.values[:5] == pytest.approx([-4, -2, -1.5, -4, -4])
    with pytest.raises(Undefined, match="candidate 5"):
        scores.complete()


@pytest.mark.parametrize("ranking", ["likelihood", "likelihood-hard"])
@pytest.mark.parametrize("share", [0.1, 0.5, 1])
def test_likelihood_does_not_depend_on_whether_a_dataset_begins_with_the_best(ranking, share):
    """Some comparisons, or decisions alone, leave many orders equally likely."""
    rng = np.random.default_rng(0)
    first, second, _ = every_ordered_pair(16)
    for _ in range(30):
        asked = rng.random(len(first)) < share
        p_first = expit((first - second) / 4 + rng.normal(size=len(first)))[asked]
        run = Comparisons(16, first[asked], second[asked], p_first)
        turned = Comparisons(16, 15 - first[asked], 15 - second[asked], p_first)

        one, other = score(ranking, run).values, score(ranking, turned).values[::-1]

        np.testing.assert_allclose(one, other)


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
