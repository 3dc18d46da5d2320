import numpy as np
import pytest
from scipy.special import expit

from evenhand.numerics.comparisons import Comparisons
from evenhand.numerics.fitting.sparse_newton import fit_sparse
from evenhand.numerics.rankings.product_of_experts import poe_bradley_terry, poe_gaussian
from evenhand.numerics.scores import Reason


def test_fit_sparse_says_when_it_does_not_converge(monkeypatch):
    monkeypatch.setattr("evenhand.numerics.fitting.sparse_newton.MAX_ITERATIONS", 1)

    assert not fit_sparse(np.array([0]), np.array([1]), np.array([0.9]), n_candidates=2).converged.any()


def test_fit_sparse_converges_on_decisions_that_a_few_scores_nearly_explain():
    """Long steps overshoot here, and most answers become nearly certain."""
    rng = np.random.default_rng(3)
    n = 600
    strengths = 5 * rng.normal(size=n)
    first = np.concatenate([np.arange(n - 1), rng.integers(0, n, 4 * n)])
    second = np.concatenate([np.arange(1, n), (first[n - 1 :] + rng.integers(1, n, 4 * n)) % n])
    wins = np.where(rng.random(len(first)) < expit(strengths[first] - strengths[second]), 1 - 1e-6, 1e-6)

    fit = fit_sparse(first, second, wins, n_candidates=n)

    values = fit.scores[:, 0]
    surplus = wins - expit(values[first] - values[second])
    assert fit.converged.all()
    assert np.abs(np.bincount(first, surplus, n) - np.bincount(second, surplus, n)).max() < 1e-8


@pytest.fixture(scope="module")
def large():
    """Twenty thousand candidates, two hundred thousand soft answers on random pairs."""
    rng = np.random.default_rng(2)
    n, n_comparisons = 20_000, 200_000
    truth = rng.normal(size=n)
    first = rng.integers(0, n, n_comparisons)
    second = (first + rng.integers(1, n, n_comparisons)) % n
    p_first = expit(truth[first] - truth[second] + 0.5 * rng.normal(size=n_comparisons))
    return Comparisons(n, first, second, p_first), truth


def test_poe_bradley_terry_makes_the_gradient_zero_for_thousands_of_candidates(large):
    comparisons, truth = large

    scores = poe_bradley_terry(comparisons)

    values = scores.complete()
    surplus = comparisons.p_first - expit(values[comparisons.first] - values[comparisons.second])
    gradient = np.bincount(comparisons.first, surplus, len(truth)) - np.bincount(
        comparisons.second, surplus, len(truth)
    )
    assert np.abs(gradient).max() < 1e-8
    assert np.corrcoef(values, truth)[0, 1] > 0.97
    assert (scores.error_reasons == Reason.TOO_MANY_FOR_ERRORS).all()


def test_poe_gaussian_solves_the_normal_equations_for_thousands_of_candidates(large):
    comparisons, truth = large

    values = poe_gaussian(comparisons, beta=0.4).complete()

    surplus = comparisons.p_first - 0.4 - (values[comparisons.first] - values[comparisons.second])
    gradient = np.bincount(comparisons.first, surplus, len(truth)) - np.bincount(
        comparisons.second, surplus, len(truth)
    )
    assert np.abs(gradient).max() < 1e-8
