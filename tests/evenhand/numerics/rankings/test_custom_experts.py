import numpy as np
import pytest
from hypothesis import given

from evenhand.numerics.comparisons import Comparisons
from evenhand.numerics.debiasing import Debiasing
from evenhand.numerics.exceptions import InvalidComparisons, NotConnected, NotConverged, Undefined
from evenhand.numerics.rankings.custom_experts import fit_expert, score_by_expert, shift_of_expert
from evenhand.numerics.rankings.product_of_experts import poe_bradley_terry, poe_gaussian
from evenhand.numerics.rankings.registry import score
from evenhand.numerics.scores import Reason
from tests.evenhand.numerics.simulation import connected_contexts_of_comparisons, mirrored, simulated_run


def bradley_terry_expert(difference, p_first):
    """sigmoid(d)^p (1 - sigmoid(d))^(1 - p), whose mode is at logit(p)."""
    return p_first * difference - np.logaddexp(0, difference)


def gaussian_expert(difference, p_first):
    """Normal around p - 1/2, of variance 1."""
    return -((difference - (p_first - 0.5)) ** 2) / 2


def huber_expert(difference, p_first, *, width=0.1):
    """Gaussian near p - 1/2, but falling only linearly beyond `width`, so that outliers weigh less."""
    gap = np.abs(difference - (p_first - 0.5))
    return -np.where(gap <= width, gap**2 / 2, width * (gap - width / 2))


SOLVED = [(bradley_terry_expert, poe_bradley_terry), (gaussian_expert, poe_gaussian)]


@pytest.mark.parametrize(("expert", "solution"), SOLVED)
@given(comparisons=connected_contexts_of_comparisons())
def test_fitted_experts_are_those_of_the_special_solutions(expert, solution, comparisons):
    assert fit_expert(comparisons, expert) == pytest.approx(solution(comparisons).complete(), abs=1e-4)


def test_fitted_experts_do_not_depend_on_the_sides():
    comparisons, _ = simulated_run(np.random.default_rng(0), n_contexts=1)

    scores = fit_expert(mirrored(comparisons), huber_expert)

    assert scores == pytest.approx(fit_expert(comparisons, huber_expert), abs=1e-5)


def test_huber_experts_recover_the_truth_in_spite_of_wild_answers():
    rng = np.random.default_rng(1)
    comparisons, _ = simulated_run(rng, n_contexts=1, n_candidates=10)
    truth = rng.uniform(-0.2, 0.2, 10)
    clean = truth[comparisons.first] - truth[comparisons.second] + 0.5
    wild = np.where(rng.random(90) < 0.1, rng.integers(0, 2, 90), clean)

    robust = fit_expert(comparisons.with_p_first(wild), huber_expert)
    plain = fit_expert(comparisons.with_p_first(wild), gaussian_expert)

    centred = truth - truth.mean()
    assert np.abs(robust - centred).max() < 0.5 * np.abs(plain - centred).max()


def test_fitted_experts_need_connected_comparisons():
    with pytest.raises(NotConnected, match="do not connect all its candidates"):
        fit_expert(Comparisons(3, [0], [1], [0.5]), gaussian_expert)


def test_fitted_experts_say_when_there_is_no_maximum():
    with pytest.raises(NotConverged):
        fit_expert(Comparisons(2, [0], [1], [0.9]), lambda difference, p: p * difference)


@pytest.mark.parametrize(("expert", "ranking"), [(bradley_terry_expert, "poe-bt"), (gaussian_expert, "poe-gaussian")])
@pytest.mark.parametrize("debiased", [False, True])
def test_scores_by_a_known_expert_are_those_of_its_ranking(expert, ranking, debiased):
    comparisons, _ = simulated_run(np.random.default_rng(0), n_candidates=6, n_contexts=3, bias=1.0)
    some = comparisons.select(np.random.default_rng(1).random(len(comparisons)) < 0.7)

    scores = score_by_expert(some, expert, shift=shift_of_expert(some, expert) if debiased else 0.0)

    expected = score(ranking, some, Debiasing.of_run(some) if debiased else None)
    assert scores.complete() == pytest.approx(expected.complete(), abs=1e-5)


def test_contexts_that_are_not_connected_have_no_scores_by_an_expert():
    comparisons, _ = simulated_run(np.random.default_rng(2), n_candidates=4, n_contexts=2)
    first, second = comparisons.first, comparisons.second
    apart = comparisons.select((first >= 4) | (first // 2 == second // 2))

    scores = score_by_expert(apart, bradley_terry_expert)

    assert (scores.reasons[:4] == Reason.NOT_CONNECTED).all()
    assert scores.defined[4:].all()


def test_contexts_whose_fit_does_not_converge_have_no_scores():
    scores = score_by_expert(Comparisons(2, [0], [1], [0.9]), lambda difference, p: p * difference)

    assert (scores.reasons == Reason.NOT_CONVERGED).all()


def test_candidates_that_only_the_error_of_the_fit_separates_tie():
    """The second candidate loses to the third with 0.5, so the two are equal, but their other answers differ."""
    comparisons = Comparisons(3, [2, 2], [0, 1], [0.6, 0.5])

    scores = score_by_expert(comparisons, bradley_terry_expert).complete()

    assert scores[1] == scores[2]
    assert scores[0] < scores[1]


def test_candidates_with_equal_means_of_different_answers_need_not_tie():
    """An expert that bounds the influence of each answer does not depend on the mean answer alone."""
    comparisons = Comparisons(5, [0, 0, 0, 1, 1, 1, 2], [2, 3, 4, 2, 3, 4, 3], [0.95, 0.6, 0.55, 0.7, 0.7, 0.7, 0.6])

    robust = score_by_expert(comparisons, huber_expert).complete()

    assert abs(robust[0] - robust[1]) > 1e-3


def test_bias_that_no_finite_shift_removes_is_undefined():
    comparisons = Comparisons(2, [0, 1], [1, 0], [0.9, 0.8])

    with pytest.raises(Undefined, match="no finite shift removes the position bias"):
        shift_of_expert(comparisons, lambda difference, p: difference)


@pytest.mark.parametrize(
    ("log_density", "problem"),
    [
        (lambda difference, p: 1.0, r"log_density: it gives an array of shape \(\) for 2 differences"),
        (lambda difference, p: np.log(p - 0.5), "log_density: nan at difference 0 and p_first 0.2 — expected a finite"),
    ],
)
@pytest.mark.filterwarnings("ignore:invalid value")
def test_function_that_is_no_log_density_is_refused(log_density, problem):
    with pytest.raises(InvalidComparisons, match=problem):
        score_by_expert(Comparisons(2, [0, 1], [1, 0], [0.9, 0.2]), log_density)
