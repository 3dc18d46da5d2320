"""What one run is worth in each context, and how far two are apart: the figures by which runs are told apart."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from rankings.loading import People
from rankings.numerics import COEFFICIENTS, Comparisons, Figure, HumanScores, JudgeSwaps, Scores, human_preferences
from rankings.numerics.accuracy import NO_TRUTH, context_credits
from rankings.numerics.arrays import BoolArray, FloatArray
from rankings.numerics.correlation.correlations import ALL_SKIPPED, context_correlations
from rankings.numerics.intervals import ratio_figure
from rankings.numerics.significance.paired_tests import ContextGaps, mean_gaps, ratio_gaps


@dataclass(frozen=True, slots=True, eq=False)
class Measures:
    """What a run is worth in each context, on some of its comparisons; all float, (n_contexts,).

    correct, counted: comparisons decided as people do, and comparisons that people decided. correlations: Spearman's;
    NaN where skipped. comparisons: how many there are.
    scores, human: each candidate's score, and people's. recorded: bool, (n_contexts,). The contexts with a comparison.
    """

    correct: FloatArray
    counted: FloatArray
    correlations: FloatArray
    comparisons: int
    scores: Scores
    human: HumanScores
    recorded: BoolArray

    def swaps(self, other: Measures) -> JudgeSwaps:
        """The scores of both, ready to change places."""
        return JudgeSwaps.of(self.scores, other.scores, self.human, self.recorded)


def measures_of(comparisons: Comparisons, scores: Scores, people: People) -> Measures:
    """By a ranking's scores of some comparisons."""
    right = human_preferences(comparisons, people.human.scores, people.votes)
    correct, counted = context_credits(comparisons, right, None)
    recorded = np.zeros(comparisons.n_contexts, dtype=bool)
    recorded[comparisons.contexts] = True
    correlations = context_correlations(COEFFICIENTS["spearman"], scores, people.human, recorded)
    return Measures(correct, counted, correlations, len(comparisons), scores, people.human, recorded)


@dataclass(frozen=True, slots=True)
class Kind:
    """A figure by which runs are told apart: its value for one run, and how far two are apart."""

    name: str
    value: Callable[[Measures], Figure]
    gaps: Callable[[Measures, Measures], ContextGaps]
    if_none: str


def _mean_correlation(own: Measures) -> Figure:
    known = ~np.isnan(own.correlations)
    return ratio_figure(np.where(known, own.correlations, 0.0), known.astype(np.float64), if_empty=ALL_SKIPPED)


KINDS = (
    Kind(
        "accuracy",
        lambda own: ratio_figure(own.correct, own.counted, if_empty=NO_TRUTH),
        lambda one, other: ratio_gaps(one.correct, other.correct, one.counted),
        NO_TRUTH,
    ),
    Kind(
        "spearman", _mean_correlation, lambda one, other: mean_gaps(one.correlations, other.correlations), ALL_SKIPPED
    ),
)
