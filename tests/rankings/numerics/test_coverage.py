"""Whether standard errors and intervals cover the truth as often as they say, over a thousand made-up datasets."""

import numpy as np
import pytest
from scipy.special import expit
from scipy.stats import t

from rankings.numerics.comparisons import Comparisons
from rankings.numerics.kappa import cohen_kappa
from rankings.numerics.krippendorff import krippendorff_alpha
from rankings.numerics.logistic_scores import logistic_scores
from rankings.numerics.product_of_experts import poe_gaussian
from rankings.numerics.rating_tables import RatingTable

DATASETS, CANDIDATES, REPEATS = 1000, 5, 12
TRUTH = np.array([0.9, 0.4, 0.0, -0.4, -0.9])


def datasets():
    """Every unordered pair of five candidates, twelve times, in each of a thousand contexts."""
    low, high = np.triu_indices(CANDIDATES, 1)
    first, second = np.tile(low, REPEATS), np.tile(high, REPEATS)
    starts = CANDIDATES * np.arange(DATASETS)
    pairs = (starts[:, None] + first).ravel(), (starts[:, None] + second).ravel()
    return pairs, np.tile(TRUTH[first] - TRUTH[second], DATASETS), starts


def share_covered(scores, quantile):
    gaps = np.abs(scores.complete().reshape(DATASETS, -1) - TRUTH)
    return (gaps < quantile * scores.errors.reshape(DATASETS, -1)).mean()


def test_bradley_terry_errors_cover_the_truth_as_often_as_they_say():
    pairs, differences, starts = datasets()
    wins = (np.random.default_rng(0).random(len(differences)) < expit(differences)).astype(float)

    scores = logistic_scores(Comparisons(DATASETS * CANDIDATES, *pairs, wins, starts))

    assert 0.93 <= share_covered(scores, 1.96) <= 0.97


def test_gaussian_errors_cover_the_truth_as_often_as_they_say():
    pairs, differences, starts = datasets()
    noisy = 0.1 * differences + 0.05 * np.random.default_rng(1).normal(size=len(differences))

    scores = poe_gaussian(Comparisons(DATASETS * CANDIDATES, *pairs, np.clip(0.5 + noisy, 0, 1), starts))

    covered = np.abs(scores.complete().reshape(DATASETS, -1) - 0.1 * TRUTH) < (
        t.ppf(0.975, 10 * REPEATS - CANDIDATES + 1) * scores.errors.reshape(DATASETS, -1)
    )
    assert 0.93 <= covered.mean() <= 0.97


@pytest.mark.parametrize(("measure", "truth"), [(cohen_kappa, 0.49), (krippendorff_alpha, 0.49)])
def test_agreement_intervals_cover_the_truth_as_often_as_they_say(measure, truth):
    """Two raters who each say the truth with chance 0.7 and guess one of two categories otherwise: kappa is 0.49."""
    rng = np.random.default_rng(2)
    covered = 0
    for _ in range(DATASETS):
        true = rng.integers(0, 2, 150)
        codes = np.where(rng.random((2, 150)) < 0.7, true, rng.integers(0, 2, (2, 150)))
        figure = measure(RatingTable(codes, np.arange(2.0)))
        covered += figure.low <= truth <= figure.high

    assert 930 <= covered <= 970
