import numpy as np
import pytest
from scipy.special import expit

from rankings.numerics.fitting.certain_outcomes import Outcomes
from rankings.numerics.fitting.logistic_newton import fit_stack
from rankings.numerics.fitting.stacked_logistic import fit_orders, rank_orders
from rankings.numerics.fitting.workspace import Workspace
from rankings.numerics.ranks import average_ranks
from rankings.numerics.scores import rounded

SIZE, PROBLEMS = 6, 40
LOW, HIGH = np.triu_indices(SIZE, 1)


def problems(n_lists, *, spread=1.0):
    """How often each listed pair was asked, the chain always, the wins, and each candidate's favour."""
    rng = np.random.default_rng(0)
    asked = rng.integers(0, 3, (n_lists * len(LOW), PROBLEMS)).astype(float)
    asked[: len(LOW)][HIGH == LOW + 1] += 1
    p = np.clip(expit(spread * rng.normal(size=asked.shape)), 1e-6, 1 - 1e-6)
    won = asked * p
    first, second = (np.r_[LOW, HIGH], np.r_[HIGH, LOW]) if n_lists == 2 else (LOW, HIGH)
    favour = np.zeros((SIZE, PROBLEMS))
    np.add.at(favour, first, won - asked / 2)
    np.add.at(favour, second, asked / 2 - won)
    return asked, won, favour


@pytest.mark.parametrize("spread", [1.0, 12.0])
@pytest.mark.parametrize("begin", [0.0, 0.3])
def test_fit_orders_finds_the_optimum_of_the_exact_fit(spread, begin):
    asked, won, favour = problems(1, spread=spread)
    exact = fit_stack(LOW, HIGH, won, asked - won, n_candidates=SIZE).scores
    start = begin * np.random.default_rng(1).normal(size=exact.shape)

    scores = fit_orders(asked, favour, shift=0.0, start=start, workspace=Workspace())

    assert scores == pytest.approx(exact, abs=1e-10, rel=1e-10)


def test_fit_orders_takes_a_shift_out_of_both_orders():
    asked, won, favour = problems(2)
    first, second = np.r_[LOW, HIGH], np.r_[HIGH, LOW]
    exact = fit_stack(first, second, won, asked - won, n_candidates=SIZE, shift=0.4).scores

    scores = fit_orders(asked, favour, shift=0.4, start=np.zeros(exact.shape), workspace=Workspace())

    assert scores == pytest.approx(exact, abs=1e-10, rel=1e-10)


@pytest.mark.parametrize("spread", [1.0, 12.0])
@pytest.mark.parametrize("extra", [0.0, 0.4])
def test_rank_orders_rank_as_the_exact_fit_does(spread, extra):
    asked, _, favour = problems(1, spread=spread)
    workspace = Workspace()
    start = np.zeros(favour.shape)
    exact = fit_orders(asked + extra, favour, shift=0.0, start=start, workspace=workspace)

    scores = rank_orders(asked, favour, shift=0.0, extra=extra, start=start, workspace=workspace)

    assert np.argsort(scores, axis=0).tolist() == np.argsort(exact, axis=0).tolist()
    assert scores == pytest.approx(exact, abs=0.01)


@pytest.mark.parametrize(("n_lists", "shift"), [(1, 0.0), (2, 0.4)])
def test_rank_orders_tie_what_the_exact_fit_ties_where_all_answers_are_all_but_certain(n_lists, shift):
    asked, won, favour = problems(n_lists, spread=1e3)
    first, second = (np.r_[LOW, HIGH], np.r_[HIGH, LOW]) if n_lists == 2 else (LOW, HIGH)
    lost = asked - won
    exact = fit_stack(first, second, won, lost, n_candidates=SIZE, shift=shift).scores
    options = {"shift": shift, "extra": 0.0, "start": np.zeros(exact.shape), "workspace": Workspace()}

    scores = rank_orders(asked, favour, outcomes=Outcomes(won, lost), **options)

    assert scores == pytest.approx(exact, abs=0.001)
    ranks = average_ranks(rounded(exact.T))
    assert average_ranks(rounded(scores.T)).tolist() == ranks.tolist()
    assert (ranks % 1 > 0).any() == (shift == 0)


def test_rank_orders_take_a_shift_out_of_both_orders():
    asked, _, favour = problems(2)
    start = np.zeros(favour.shape)
    exact = fit_orders(asked, favour, shift=0.4, start=start, workspace=Workspace())

    scores = rank_orders(asked, favour, shift=0.4, extra=0.0, start=start, workspace=Workspace())

    assert np.argsort(scores, axis=0).tolist() == np.argsort(exact, axis=0).tolist()


def test_rank_orders_keep_ties():
    """A ring, each candidate beating the next as surely: all are equally good."""
    asked = ((HIGH == LOW + 1) | ((LOW == 0) & (HIGH == SIZE - 1))).astype(float)[:, None]
    start = np.random.default_rng(0).normal(size=(SIZE, 1))

    scores = rank_orders(asked, np.zeros((SIZE, 1)), shift=0.0, extra=0.0, start=start, workspace=Workspace())

    assert scores == pytest.approx(np.zeros((SIZE, 1)), abs=1e-12)
