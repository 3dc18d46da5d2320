import numpy as np
import pytest
from scipy.special import expit

from evenhand.numerics.fitting.dense_newton import DenseLaplacian, PairTable, fit_dense, pair_table
from evenhand.numerics.fitting.logistic_scores import fit_alone
from evenhand.numerics.fitting.sparse_newton import fit_sparse
from tests.evenhand.numerics.simulation import simulated_run

N = 80


@pytest.fixture
def half():
    """Half of all ordered pairs of one context, and the total wins of each candidate."""
    comparisons, _ = simulated_run(np.random.default_rng(0), n_candidates=N, n_contexts=1, bias=0.8)
    part = comparisons.select(np.random.default_rng(1).random(len(comparisons)) < 0.5)
    wins = np.bincount(part.first, part.p_first, N) + np.bincount(part.second, 1 - part.p_first, N)
    return part, wins


@pytest.mark.parametrize("shift", [0.0, 0.8])
def test_fit_dense_is_fit_sparse(half, shift):
    part, wins = half
    orders = [part.first < part.second, part.first > part.second]
    tables = [PairTable(pair_table(part.first[some], part.second[some], N)) for some in orders]
    shifted = [PairTable(table.counts, sign * shift) for table, sign in zip(tables, (1, -1), strict=True)]

    dense = fit_dense(shifted, wins)

    sparse = fit_sparse(part.first, part.second, part.p_first, n_candidates=N, shift=shift)
    assert dense.scores == pytest.approx(sparse.scores, abs=1e-9)
    assert dense.converged.all()


def test_fit_dense_reaches_the_same_scores_from_any_start(half):
    part, wins = half
    table = [PairTable(pair_table(part.first, part.second, N))]

    far = fit_dense(table, wins, start=np.random.default_rng(2).normal(scale=20, size=N))

    assert far.scores == pytest.approx(fit_dense(table, wins).scores, abs=1e-10)


def test_fit_dense_makes_the_gradient_with_pseudo_wins_zero():
    rng = np.random.default_rng(3)
    first = rng.integers(0, N, 300)
    second = (first + rng.integers(1, N, 300)) % N
    wins = rng.integers(0, 2, 300).astype(float)
    extra = 1 / (N - 1)

    fit = fit_alone(first, second, wins, n_candidates=N, extra=extra)

    scores = fit.scores[:, 0]
    surplus = wins - expit(scores[first] - scores[second])
    chances = expit(scores[:, None] - scores)
    gradient = (
        np.bincount(first, surplus, N) - np.bincount(second, surplus, N) + 2 * extra * (0.5 - chances).sum(axis=1)
    )
    assert fit.converged.all()
    assert np.abs(gradient).max() < 1e-9


def test_fit_dense_drives_scores_without_an_optimum_far_apart():
    """Candidate 0 wins everything, so its score has no finite optimum."""
    counts = np.triu(np.ones((3, 3)), 1)

    assert np.ptp(fit_dense([PairTable(counts)], np.array([2.0, 0.5, 0.5])).scores) > 20


def test_dense_laplacian_solves_its_equations():
    rng = np.random.default_rng(4)
    table, strengths, right = np.triu(rng.random((N, N)), 1), rng.uniform(0.5, 2, N), rng.normal(size=N)
    right -= right.mean()

    solution = DenseLaplacian(table, strengths).solve(right, 1e-12)

    weights = (table + table.T) * np.outer(strengths, strengths)
    assert weights.sum(axis=1) * solution - weights @ solution == pytest.approx(right, abs=1e-9)
    assert solution.mean() == pytest.approx(0, abs=1e-12)


def test_fit_dense_converges_where_a_small_gradient_is_far_from_the_optimum():
    """Nobody beats the first candidate, and pseudo-wins hardly hold it back."""
    extra = 1e-4
    counts = np.triu(np.full((N, N), 1 + 2 * extra), 1)
    wins = np.arange(N)[::-1] + extra * (N - 1)

    fit = fit_dense([PairTable(counts)], wins)

    chances = expit(fit.scores - fit.scores.T)
    expected = (counts + counts.T) * chances
    assert fit.converged.all()
    assert expected.sum(axis=1) == pytest.approx(wins, abs=1e-9)
