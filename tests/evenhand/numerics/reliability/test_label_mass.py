import numpy as np
import pytest

from evenhand.numerics.comparisons import Comparisons
from evenhand.numerics.reliability.label_mass import NO_LOG_PROBABILITIES, MassFigure, mean_label_mass

PAIRS = Comparisons(8, [0, 2, 4, 6], [1, 3, 5, 7], [0.9] * 4, [0, 2, 4, 6])


def test_label_mass_is_the_mean_over_answers_with_log_probabilities():
    """Masses 0.2, 0.4 and 0.9 of three contexts: v = 3/2 · Σ(x − ½)²/9, t with 2 degrees."""
    mass = mean_label_mass(PAIRS, np.array([0.2, 0.4, np.nan, 0.9]))

    half = 4.302653 * np.sqrt(3 / 2 * (0.09 + 0.01 + 0.16) / 9)
    assert mass == MassFigure(
        pytest.approx(0.5), pytest.approx(0.5 - half), pytest.approx(0.5 + half), 3, None, pytest.approx(2 / 3)
    )


@pytest.mark.parametrize("masses", [None, np.full(4, np.nan)])
def test_label_mass_without_log_probabilities_is_undefined(masses):
    assert mean_label_mass(PAIRS, masses) == MassFigure(None, n=0, undefined=NO_LOG_PROBABILITIES)
