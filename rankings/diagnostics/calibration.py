"""The calibration of a judge's probabilities."""

import numpy as np

from evenhand.numerics import Comparisons, Figure, human_preferences
from evenhand.numerics.arrays import FloatArray
from evenhand.numerics.decisions import are_choices
from evenhand.numerics.reliability.calibration import (
    brier_score,
    calibration_error,
    reliability_diagram,
)
from evenhand.numerics.reliability.joint_distribution import (
    NO_DIFFERENCES,
    NO_HUMAN_SCORED_PAIR,
    joint_distribution,
    probability_correlation,
)
from rankings.diagnostics.diagnostics_row import Calibration, DifferencesAtP, ScoreDifferences
from rankings.loading import People

NO_ANSWERED_COMPARISON = "no comparison has an answer"
HARD_ANSWERS = "every answer is a choice, 0, 1/2 or 1, and no probability"
NO_PROBABILITY = "a run that scores candidates one by one gives no probability"
ONE_COMPARISON = "one comparison alone has no spread"
EMPTY = "no comparison of two candidates with human scores has a p_first in this part"


def calibration(comparisons: Comparisons, people: People) -> Calibration:
    """Compare the probabilities of a run with human preference on the pairs."""
    if not len(comparisons):
        return undefined_calibration(NO_ANSWERED_COMPARISON)
    if are_choices(comparisons.known().p_first):
        return undefined_calibration(HARD_ANSWERS)
    right = human_preferences(comparisons, people.human.scores, people.votes)
    return Calibration(
        expected_calibration_error=calibration_error(comparisons, right),
        brier_score=brier_score(comparisons, right),
        bins=reliability_diagram(comparisons, right),
        score_differences=score_differences(comparisons, people.human.scores),
    )


def undefined_calibration(why: str) -> Calibration:
    """Return the calibration of a run without probabilities."""
    missing = Figure.missing(why, n=0)
    return Calibration(missing, missing, [], _no_differences(why))


def score_differences(comparisons: Comparisons, human_scores: FloatArray) -> ScoreDifferences:
    """Return the joint distribution and the correlation of p_first and the difference of human scores."""
    joint = joint_distribution(comparisons, human_scores)
    if joint is None:
        known = ~np.isnan(human_scores[comparisons.first] - human_scores[comparisons.second])
        return _no_differences(NO_DIFFERENCES if known.any() else NO_HUMAN_SCORED_PAIR)
    edges, sizes = joint.p_edges.tolist(), joint.counts.sum(axis=0).tolist()
    columns = zip(edges[:-1], edges[1:], sizes, joint.mean.tolist(), joint.deviation.tolist(), strict=True)
    return ScoreDifferences(
        correlation=probability_correlation(comparisons, human_scores),
        p_edges=edges,
        difference_edges=joint.difference_edges.tolist(),
        counts=joint.counts.tolist(),
        by_p_first=[_column(*column) for column in columns],
    )


def _no_differences(why: str) -> ScoreDifferences:
    return ScoreDifferences(Figure.missing(why, n=0), [], [], [], [])


def _column(low: float, high: float, n: int, mean: float, deviation: float) -> DifferencesAtP:
    """Return the differences of human scores at one p_first."""
    spread = Figure(deviation) if n > 1 else Figure.missing(ONE_COMPARISON if n else EMPTY)
    return DifferencesAtP(low, high, Figure(mean, n=n) if n else Figure.missing(EMPTY, n=0), spread)
