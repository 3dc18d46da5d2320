import numpy as np
import pytest
from hypothesis import given
from scipy.special import expit, logit

from evenhand.numerics.comparisons import Comparisons
from evenhand.numerics.exceptions import Undefined
from evenhand.numerics.rankings.mean_wins import average_probability
from evenhand.numerics.rankings.product_of_experts import poe_bradley_terry, poe_gaussian, poe_gaussian_hard
from tests.evenhand.numerics.simulation import connected_contexts_of_comparisons, mirrored, simulated_run


def design(comparisons):
    """One row a comparison: 1 at the first candidate, -1 at the second."""
    rows = np.arange(len(comparisons))
    matrix = np.zeros((len(comparisons), comparisons.n_candidates))
    matrix[rows, comparisons.first] = 1
    matrix[rows, comparisons.second] = -1
    return matrix


def test_poe_bradley_terry_matches_zermelos_iteration():
    """The iteration that the authors of the product of experts use, run to its end."""
    comparisons, _ = simulated_run(np.random.default_rng(2), n_candidates=6, n_contexts=1)
    wins = np.zeros((6, 6))
    wins[comparisons.first, comparisons.second] += comparisons.p_first
    wins[comparisons.second, comparisons.first] += 1 - comparisons.p_first
    strengths = np.ones(6)
    for _ in range(2_000):
        strengths = wins.sum(1) / ((wins + wins.T) / (strengths[:, None] + strengths)).sum(1)
        strengths = strengths / np.exp(np.log(strengths).mean())

    assert poe_bradley_terry(comparisons).complete() == pytest.approx(np.log(strengths), abs=1e-10)


@given(comparisons=connected_contexts_of_comparisons())
def test_poe_bradley_terry_makes_the_gradient_zero(comparisons):
    matrix = design(comparisons)

    scores = poe_bradley_terry(comparisons, gamma=0.7).complete()

    assert np.abs(matrix.T @ (comparisons.p_first - expit(matrix @ scores - 0.7))).max() < 1e-9


def test_poe_bradley_terry_errors_are_from_the_curvature_at_the_optimum():
    comparisons, _ = simulated_run(np.random.default_rng(4), n_candidates=5, n_contexts=1, bias=0.5)
    matrix = design(comparisons)

    scores = poe_bradley_terry(comparisons, gamma=-0.5)

    chance = expit(matrix @ scores.complete() + 0.5)
    hessian = matrix.T @ (matrix * (chance * (1 - chance))[:, None])
    assert scores.errors == pytest.approx(np.sqrt(np.diag(np.linalg.pinv(hessian))), abs=1e-10)


def test_poe_bradley_terry_clips_certain_answers():
    scores = poe_bradley_terry(Comparisons(2, [0], [1], [1.0])).complete()

    assert scores[0] - scores[1] == pytest.approx(logit(1 - 1e-6))


@pytest.mark.parametrize("n_candidates", [16, 60, 100, 400])
def test_poe_bradley_terry_has_scores_for_decisions_that_are_all_but_certain(n_candidates):
    """Few decisions, nearly all as the truth has it: many are explained only by scores that lie far apart."""
    rng = np.random.default_rng(n_candidates)
    truth = 3 * rng.normal(size=n_candidates)
    later = np.arange(1, n_candidates)
    first, second = np.tile(later, 3), np.concatenate([rng.integers(0, later) for _ in range(3)])
    won = rng.random(len(first)) < expit(truth[first] - truth[second])

    scores = poe_bradley_terry(Comparisons(n_candidates, first, second, won.astype(float)))

    assert np.corrcoef(scores.complete(), truth)[0, 1] > 0.5
    assert np.isfinite(scores.errors).all()


def test_poe_bradley_terry_errors_of_certain_answers_are_those_of_fifty_digits():
    """Four candidates of whom the later always wins, in both orders. The numbers: Newton's method with 50 digits."""
    first, second = np.nonzero(~np.eye(4, dtype=bool))

    scores = poe_bradley_terry(Comparisons(4, first, second, (first > second).astype(float)))

    assert scores.complete() == pytest.approx([-18.931508367746, -6.2146090984347, 6.2146090984347, 18.931508367746])
    assert scores.errors == pytest.approx(
        [367.98995117069, 228.21814308468, 228.21814308468, 367.98995117069], rel=1e-8
    )


def test_poe_bradley_terry_has_no_errors_where_rounding_leaves_no_variance(monkeypatch):
    monkeypatch.setattr("evenhand.numerics.fitting.logistic_scores.pseudo_inverses", lambda matrices: -matrices)

    scores = poe_bradley_terry(Comparisons(2, [0], [1], [0.7]))

    assert scores.defined.all()
    assert scores.why_no_error(0) == "the answers leave this score so open that its standard error cannot be computed"
    assert scores.errors.tolist() == [0, 0]


def test_poe_bradley_terry_recovers_the_truth_with_the_right_shift():
    comparisons, truth = simulated_run(np.random.default_rng(6), n_candidates=40, n_contexts=1, bias=1.0, noise=0)

    scores = poe_bradley_terry(comparisons, gamma=-1.0).complete()

    assert scores == pytest.approx(truth - truth.mean(), abs=1e-8)


@given(comparisons=connected_contexts_of_comparisons())
def test_poe_gaussian_is_the_least_squares_solution(comparisons):
    scores = poe_gaussian(comparisons, beta=0.6).complete()

    expected = np.linalg.pinv(design(comparisons)) @ (comparisons.p_first - 0.6)
    assert scores == pytest.approx(expected, abs=1e-10)


def test_poe_gaussian_on_every_ordered_pair_is_average_probability():
    comparisons, _ = simulated_run(np.random.default_rng(8), n_candidates=7, n_contexts=4)

    scores = poe_gaussian(comparisons).complete()

    assert scores == pytest.approx(6 / 7 * (average_probability(comparisons).complete() - 0.5), abs=1e-12)


def test_poe_gaussian_errors_match_ordinary_least_squares():
    import statsmodels.api as sm

    comparisons, _ = simulated_run(np.random.default_rng(9), n_candidates=5, n_contexts=1)
    fit = sm.OLS(comparisons.p_first - 0.5, design(comparisons)[:, 1:]).fit()
    centre = np.eye(5) - 1 / 5
    covariance = np.zeros((5, 5))
    covariance[1:, 1:] = fit.cov_params()

    scores = poe_gaussian(comparisons)

    assert scores.complete() == pytest.approx(centre @ np.r_[0, fit.params])
    assert scores.errors == pytest.approx(np.sqrt(np.diag(centre @ covariance @ centre)))


def test_poe_gaussian_has_no_errors_for_a_tree():
    scores = poe_gaussian(Comparisons(3, [0, 1], [1, 2], [0.8, 0.6]))

    assert scores.defined.all()
    assert scores.why_no_error(0) == "the context has fewer comparisons than compared candidates"


def test_poe_gaussian_hard_takes_decisions():
    soft = Comparisons(3, [0, 1, 2], [1, 2, 0], [0.6, 0.9, 0.5])
    hard = Comparisons(3, [0, 1, 2], [1, 2, 0], [1.0, 1.0, 0.5])

    assert poe_gaussian_hard(soft).complete() == pytest.approx(poe_gaussian(hard).complete())


def test_poe_gaussian_hard_has_no_standard_errors():
    scores = poe_gaussian_hard(Comparisons(3, [0, 1, 2], [1, 2, 0], [0.6, 0.9, 0.5]))

    assert not scores.errors_defined.any()
    assert scores.why_no_error(0) == "this ranking has no standard error"


@given(comparisons=connected_contexts_of_comparisons())
def test_poe_gaussian_does_not_depend_on_the_sides(comparisons):
    assert poe_gaussian(mirrored(comparisons)).complete() == pytest.approx(
        poe_gaussian(comparisons).complete(), abs=1e-12
    )


def test_poe_gaussian_recovers_the_order_of_the_truth():
    comparisons, truth = simulated_run(np.random.default_rng(10), n_candidates=30, n_contexts=1, noise=0.3)

    assert np.corrcoef(poe_gaussian(comparisons).complete(), truth)[0, 1] > 0.95


@pytest.mark.parametrize("ranking", [poe_bradley_terry, poe_gaussian, poe_gaussian_hard])
def test_products_of_experts_refuse_a_context_that_is_not_connected(ranking):
    apart = Comparisons(4, [0, 2], [1, 3], [0.7, 0.7])

    with pytest.raises(Undefined):
        ranking(apart).complete()
