import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.special import expit

from evenhand.numerics.fitting.stacked_logistic import fit_stack

SIZE, PROBLEMS = 6, 40
LOW, HIGH = np.triu_indices(SIZE, 1)


def problems(n_lists, *, spread=1.0):
    """Return wins and losses of the lower candidate of each pair. The chain is always asked."""
    rng = np.random.default_rng(0)
    asked = rng.integers(0, 3, (n_lists, len(LOW), PROBLEMS)).astype(float)
    asked[0, HIGH == LOW + 1] += 1
    p = np.clip(expit(spread * rng.normal(size=asked.shape)), 1e-6, 1 - 1e-6)
    return asked * p, asked * (1 - p)


def optimum(won, lost, shift):
    """The scores of one problem by a general optimiser. won, lost: (n_lists, n_pairs)."""
    shifts = np.array([[shift], [-shift]])[: len(won)]

    def loss(scores):
        difference = scores[LOW] - scores[HIGH] - shifts
        surplus = (won * expit(-difference) - lost * expit(difference)).sum(axis=0)
        value = (won * np.logaddexp(0, -difference) + lost * np.logaddexp(0, difference)).sum()
        return value, np.bincount(HIGH, surplus, SIZE) - np.bincount(LOW, surplus, SIZE)

    fit = minimize(loss, np.zeros(SIZE), jac=True, method="BFGS", options={"gtol": 1e-9, "maxiter": 2_000})
    return fit.x - fit.x.mean()


@pytest.mark.parametrize(("n_lists", "shift"), [(1, 0.0), (2, 0.4)])
@pytest.mark.parametrize("begin", [0.0, 0.3])
def test_fit_stack_finds_the_optimum(n_lists, shift, begin):
    won, lost = problems(n_lists)
    start = begin * np.random.default_rng(1).normal(size=(SIZE, PROBLEMS))

    fit = fit_stack(won, lost, shift=shift, start=start)

    expected = np.stack([optimum(won[..., at], lost[..., at], shift) for at in range(PROBLEMS)], axis=1)
    assert fit.scores == pytest.approx(expected, abs=1e-7)
    assert fit.converged.all()


def test_fit_stack_takes_nearly_certain_answers_to_the_last_digit():
    """A chain of nearly certain wins: its optimum is the sum of their log-odds."""
    won = np.zeros((1, len(LOW), 1))
    won[0, HIGH == LOW + 1] = 1.0
    lost = 1e-9 * won

    scores = fit_stack(won, lost).scores

    assert np.diff(scores, axis=0) == pytest.approx(np.full((SIZE - 1, 1), np.log(1e-9)), rel=1e-13)


@pytest.mark.parametrize("shift", [0.0, 0.4])
def test_fit_stack_fits_candidates_whose_odds_exceed_every_float(shift):
    size = 30
    low, high = np.triu_indices(size, 1)
    won = np.zeros((1 + (shift != 0), len(low), 1))
    won[0, high == low + 1] = 1.0
    lost = 1e-12 * won
    optimum = (np.log(1e-12) - shift) * (np.arange(size) - np.arange(size).mean())[:, None]

    fit = fit_stack(won, lost, shift=shift, start=0.99 * optimum)

    assert fit.converged.all()
    assert fit.scores == pytest.approx(optimum, rel=1e-12)
    assert np.ptp(fit.scores) > np.log(np.finfo(np.float64).max)


@pytest.mark.parametrize("spread", [1.0, 12.0])
def test_fit_stack_for_ranks_ranks_as_at_the_optimum(spread):
    won, lost = problems(1, spread=spread)
    exact = fit_stack(won, lost).scores

    scores = fit_stack(won, lost, for_ranks=True).scores

    assert np.argsort(scores, axis=0).tolist() == np.argsort(exact, axis=0).tolist()
    assert scores == pytest.approx(exact, abs=0.01)
    assert (scores != exact).any()


def test_fit_stack_for_ranks_rounds_scores_that_lie_close_to_those_of_the_exact_fit():
    """Candidates that won and lost alike, but for answers that hardly differ: their ranks hang on the last digits."""
    won = np.where(LOW == 0, 0.6, 0.5)[None, :, None] + np.linspace(0, 1e-7, len(LOW))[None, :, None]
    exact = fit_stack(won, 1 - won).scores

    assert fit_stack(won, 1 - won, for_ranks=True).scores == pytest.approx(exact, abs=1e-12)


def test_fit_stack_says_which_problems_do_not_converge(monkeypatch):
    monkeypatch.setattr("evenhand.numerics.fitting.stacked_logistic.MAX_ITERATIONS", 1)
    won = np.full((1, len(LOW), 2), 0.5)
    won[..., 1] += 0.1 * (LOW == 0)

    assert fit_stack(won, 1 - won).converged.tolist() == [True, False]


def test_fit_stack_fits_every_problem_of_several_chunks(monkeypatch):
    won, lost = problems(1)
    whole = fit_stack(won, lost).scores

    monkeypatch.setattr("evenhand.numerics.fitting.stacked_logistic._CHUNK_ELEMENTS", 3 * len(LOW))

    assert fit_stack(won, lost).scores == pytest.approx(whole, abs=1e-12)
