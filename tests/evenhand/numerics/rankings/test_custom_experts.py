import numpy as np
import pytest
from hypothesis import given

from evenhand.numerics.comparisons import Comparisons
from evenhand.numerics.exceptions import NotConnected, NotConverged
from evenhand.numerics.rankings.custom_experts import expert_scores
from evenhand.numerics.rankings.product_of_experts import poe_bradley_terry, poe_gaussian
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
def test_expert_scores_are_those_of_the_special_solutions(expert, solution, comparisons):
    assert expert_scores(comparisons, expert) == pytest.approx(solution(comparisons).complete(), abs=1e-4)


def test_expert_scores_do_not_depend_on_the_sides():
    comparisons, _ = simulated_run(np.random.default_rng(0), n_contexts=1)

    scores = expert_scores(mirrored(comparisons), huber_expert)

    assert scores == pytest.approx(expert_scores(comparisons, huber_expert), abs=1e-5)


def test_huber_experts_recover_the_truth_in_spite_of_wild_answers():
    rng = np.random.default_rng(1)
    comparisons, _ = simulated_run(rng, n_contexts=1, n_candidates=10)
    truth = rng.uniform(-0.2, 0.2, 10)
    clean = truth[comparisons.first] - truth[comparisons.second] + 0.5
    wild = np.where(rng.random(90) < 0.1, rng.integers(0, 2, 90), clean)

    robust = expert_scores(comparisons.with_p_first(wild), huber_expert)
    plain = expert_scores(comparisons.with_p_first(wild), gaussian_expert)

    centred = truth - truth.mean()
    assert np.abs(robust - centred).max() < 0.5 * np.abs(plain - centred).max()


def test_expert_scores_need_connected_comparisons():
    with pytest.raises(NotConnected, match="do not connect all its candidates"):
        expert_scores(Comparisons(3, [0], [1], [0.5]), gaussian_expert)


def test_expert_scores_say_when_there_is_no_maximum():
    with pytest.raises(NotConverged):
        expert_scores(Comparisons(2, [0], [1], [0.9]), lambda difference, p: p * difference)
