from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from rankings.numerics.correlations import HumanScores
from rankings.numerics.exceptions import Undefined
from rankings.numerics.scores import Scores
from rankings.numerics.tie_calibration import calibrate_ties, pair_accuracy


def people(scores, contexts=None):
    n = len(scores)
    return HumanScores(
        np.array(scores, float), np.zeros(n, int) if contexts is None else np.array(contexts), np.full(n, -1)
    )


ONE = np.array([True])


def test_pair_accuracy_matches_the_published_example():
    """Deutsch, Foster and Freitag, 2023, section 2: a metric that predicts a tie of people earns credit for it."""
    human = people([0, 0, 1])

    with_tie = pair_accuracy(Scores.given(np.array([0.0, 0, 1])), human, ONE)
    without = pair_accuracy(Scores.given(np.array([0.0, 1, 2])), human, ONE)

    assert (with_tie.accuracy, without.accuracy, with_tie.n) == (1, pytest.approx(2 / 3), 3)


@given(
    judged=arrays(float, 6, elements=st.integers(0, 5).map(float)),
    human=arrays(float, 6, elements=st.integers(0, 2).map(float)),
)
def test_calibrated_ties_are_the_best_of_all_thresholds(judged, human):
    scores = Scores.given(judged)
    thresholds = [0.0] + [abs(a - b) for a, b in combinations(judged, 2)]
    tried = {epsilon: pair_accuracy(scores, people(human), ONE, epsilon=epsilon).accuracy for epsilon in thresholds}

    found = calibrate_ties(scores, people(human), ONE)

    assert found.accuracy == pytest.approx(max(tried.values()))
    assert tried[found.epsilon] == pytest.approx(found.accuracy)


def test_calibration_recovers_the_grain_of_the_people():
    rng = np.random.default_rng(0)
    truth = rng.integers(0, 4, 400).astype(float)
    scores = Scores.given(truth + rng.uniform(-0.2, 0.2, 400))

    found = calibrate_ties(scores, people(truth), ONE)

    assert 0.3 < found.epsilon < 0.7
    assert found.accuracy == 1


def test_pairs_are_within_contexts_and_have_both_scores():
    human = people([0, 1, np.nan, 1, 0], [0, 0, 0, 1, 1])
    scores = Scores.given(np.array([0.0, 1, 2, 1, np.nan]))

    assert pair_accuracy(scores, human, np.array([True, True])).n == 1


@pytest.mark.parametrize("measure", [pair_accuracy, calibrate_ties])
def test_pairs_of_nothing_are_undefined(measure):
    with pytest.raises(Undefined, match="fewer than two candidates"):
        measure(Scores.given(np.array([1.0])), people([1.0]), ONE)
