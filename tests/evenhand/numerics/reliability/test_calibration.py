import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evenhand.numerics.comparisons import Comparisons
from evenhand.numerics.figure import Figure
from evenhand.numerics.intervals import TOO_FEW_CONTEXTS
from evenhand.numerics.reliability.calibration import (
    EMPTY_BIN,
    CalibrationBin,
    brier_score,
    calibration_error,
    reliability_diagram,
)


def answers(p_first):
    """One context of two candidates for each answer."""
    n = len(p_first)
    return Comparisons(2 * n, 2 * np.arange(n), 2 * np.arange(n) + 1, p_first, 2 * np.arange(n))


def drawn(seed, n=300):
    rng = np.random.default_rng(seed)
    p_first = rng.random(n)
    return answers(p_first), (rng.random(n) < p_first).astype(float)


@given(seed=st.integers(0, 1000))
def test_reliability_is_that_of_scikit_learn(seed):
    from sklearn.calibration import calibration_curve

    comparisons, right = drawn(seed)

    bins = [one for one in reliability_diagram(comparisons, right) if one.share_first.n]

    share_first, mean_p_first = calibration_curve(right, comparisons.p_first, n_bins=10)
    assert [one.share_first.value for one in bins] == pytest.approx(share_first)
    assert [one.mean_p_first.value for one in bins] == pytest.approx(mean_p_first)


def test_reliability_puts_one_in_the_last_bin_and_leaves_empty_ones_open():
    first, last = reliability_diagram(answers([1.0, 0.1, 0.9]), np.array([1.0, np.nan, 1.0]), n_bins=2)

    assert first == CalibrationBin(0.0, 0.5, Figure.missing(EMPTY_BIN), Figure.missing(EMPTY_BIN, n=0))
    assert last == CalibrationBin(0.5, 1.0, Figure(0.95), Figure(1.0, n=2, undefined=TOO_FEW_CONTEXTS))


def test_calibration_error_matches_an_example_worked_by_hand():
    """Two bins: 3 answers of 0.2 with one first (gap 0.4 in sum), 2 answers of 0.9 with one first (gap 0.8)."""
    comparisons = answers([0.2, 0.2, 0.2, 0.9, 0.9])

    figure = calibration_error(comparisons, np.array([1.0, 0, 0, 1, 0]), n_bins=2)

    assert (figure.value, figure.n) == (pytest.approx((0.4 + 0.8) / 5), 5)


def test_calibration_error_of_an_honest_judge_is_small_and_of_an_overconfident_one_large():
    rng = np.random.default_rng(0)
    chance = rng.random(5000)
    right = (rng.random(5000) < chance).astype(float)
    overconfident = np.clip(3 * (chance - 0.5) + 0.5, 0, 1)

    assert calibration_error(answers(chance), right).value < 0.03
    assert calibration_error(answers(overconfident), right).value > 0.15


@given(seed=st.integers(0, 1000))
def test_brier_score_is_that_of_scikit_learn(seed):
    from sklearn.metrics import brier_score_loss

    comparisons, right = drawn(seed)

    assert brier_score(comparisons, right).value == pytest.approx(brier_score_loss(right, comparisons.p_first))


def test_brier_score_of_a_half_is_a_quarter():
    figure = brier_score(answers([0.5] * 3), np.array([1.0, 0.0, 1.0]))

    assert (figure.value, figure.low, figure.high, figure.n) == (0.25, 0.25, 0.25, 3)


@pytest.mark.parametrize("measure", [brier_score, calibration_error])
def test_calibration_without_truth_says_why(measure):
    figure = measure(answers([0.5]), np.array([np.nan]))

    assert figure.undefined == "people prefer no candidate of a compared pair; collect votes or scores"
