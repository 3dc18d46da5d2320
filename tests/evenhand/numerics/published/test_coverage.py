"""Standard errors and intervals cover the truth as often as they say, over a thousand simulated datasets."""

import numpy as np
import pytest
from scipy.special import expit
from scipy.stats import t

from evenhand.numerics.accuracy import accuracy, first_share, human_preferences
from evenhand.numerics.agreement.kappa import cohen_kappa
from evenhand.numerics.agreement.krippendorff import krippendorff_alpha
from evenhand.numerics.agreement.rating_tables import RatingTable
from evenhand.numerics.comparisons import Comparisons
from evenhand.numerics.correlation.correlations import spearman_within_contexts
from evenhand.numerics.correlation.human_scores import HumanScores
from evenhand.numerics.fitting.logistic_scores import logistic_scores
from evenhand.numerics.rankings.product_of_experts import poe_gaussian
from evenhand.numerics.scores import Scores
from evenhand.numerics.significance.paired_tests import coefficient_gaps, paired_differences
from tests.evenhand.numerics.simulation import every_ordered_pair

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


def test_agreement_intervals_cover_the_truth_where_contexts_differ():
    """Two raters who agree on anything from no to all pairs of a context: kappa is 0. Over pairs it would be missed."""
    rng = np.random.default_rng(6)
    contexts = np.repeat(np.arange(30), 20)
    covered = {"contexts": 0, "pairs": 0}
    for _ in range(200):
        one = rng.integers(0, 2, len(contexts))
        other = np.where(rng.random(len(contexts)) < rng.random(30)[contexts], one, 1 - one)
        codes = np.stack([one, other])
        for over, of_units in (("contexts", contexts), ("pairs", None)):
            figure = cohen_kappa(RatingTable(codes, np.arange(2.0), of_units))
            covered[over] += figure.low <= 0 <= figure.high

    assert 180 <= covered["contexts"] <= 196
    assert covered["pairs"] < 140


def runs_of_contexts_that_differ(seed, contexts=40):
    """A thousand runs over contexts of three, and events whose chance is 2/3 on average over contexts."""
    rng = np.random.default_rng(seed)
    first, second, starts = every_ordered_pair(3, contexts)
    for _ in range(DATASETS):
        chances = rng.beta(4, 2, size=contexts)
        yield (3 * contexts, first, second), starts, (rng.random(len(first)) < chances[first // 3]).astype(float)


def test_accuracy_intervals_cover_the_truth_as_often_as_they_say():
    people = np.tile([1.0, 2.0, 3.0], 40)
    covered = 0
    for pairs, starts, right in runs_of_contexts_that_differ(seed=3):
        better = people[pairs[1]] > people[pairs[2]]
        run = Comparisons(*pairs, np.where(better, right, 1 - right), starts)
        figure = accuracy(run, human_preferences(run, people))
        covered += figure.low <= 2 / 3 <= figure.high

    assert 930 <= covered <= 970


def test_p_first_intervals_cover_the_truth_as_often_as_they_say():
    covered = 0
    for pairs, starts, for_first in runs_of_contexts_that_differ(seed=4):
        figure = first_share(Comparisons(*pairs, for_first, starts))
        covered += figure.low <= 2 / 3 <= figure.high

    assert 930 <= covered <= 970


def slow_and_not_asked(gaps, *, permutations=0):
    return np.zeros(len(gaps))


def test_spearman_intervals_cover_the_truth_as_often_as_they_say(monkeypatch):
    """The difference between a good and a worse judge; all forty thousand contexts together give its true value."""
    monkeypatch.setattr("evenhand.numerics.significance.paired_tests.sign_flip_p_values", slow_and_not_asked)
    rng = np.random.default_rng(5)
    contexts, size = 40, 6
    people = rng.normal(size=DATASETS * contexts * size)
    good, worse = (people + noise * rng.normal(size=len(people)) for noise in (0.7, 1.5))
    of_context = np.repeat(np.arange(DATASETS * contexts), size)
    everything = HumanScores(people, of_context, np.full(len(people), -1)), np.ones(DATASETS * contexts, dtype=bool)
    true = np.subtract(
        *(spearman_within_contexts(Scores.of_values(judge), *everything).mean() for judge in (good, worse))
    )
    covered = 0
    for at in range(0, len(people), contexts * size):
        part = slice(at, at + contexts * size)
        human = HumanScores(people[part], of_context[: contexts * size], np.full(contexts * size, -1))
        one, other = (
            spearman_within_contexts(Scores.of_values(judge[part]), human, np.ones(contexts, dtype=bool))
            for judge in (good, worse)
        )
        [figure] = paired_differences([coefficient_gaps(one, other, np.full(contexts, float(size)))])
        covered += figure.low <= true <= figure.high

    assert 930 <= covered <= 970
