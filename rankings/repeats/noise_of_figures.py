"""The noise of accuracy and of correlations between repeats."""

from collections.abc import Sequence

import numpy as np

from evenhand.numerics import Comparisons, human_preferences, score
from evenhand.numerics.accuracy import NO_TRUTH, context_credits
from evenhand.numerics.arrays import FloatArray
from evenhand.numerics.correlation.correlations import ALL_SKIPPED, matched_candidates, spearman_within_contexts
from evenhand.numerics.exceptions import Undefined
from evenhand.numerics.intervals import GUARD_OF_DIFFERENCES, coefficient_guard
from evenhand.numerics.reliability.repeat_noise import RepeatNoise, repeat_noise
from rankings.agreement.raters import recorded_contexts
from rankings.loading import People


class NoiseOfRepeats:
    """The noise of figures on some ordered pairs, from repeats that all answered them.

    repeats: one entry each, with the same pairs in the same sequence.
    """

    def __init__(self, repeats: Sequence[Comparisons], people: People) -> None:
        self.repeats, self.people = repeats, people
        self.right = human_preferences(repeats[0], people.human.scores, people.votes)

    def accuracy(self) -> tuple[FloatArray, RepeatNoise]:
        """Return the accuracy of each repeat, (n_repeats,), and its noise. Raises Undefined."""
        credits = [context_credits(one, self.right, None) for one in self.repeats]
        parts = np.stack([correct for correct, _ in credits])
        return _figure(parts, float(credits[0][1].sum()), GUARD_OF_DIFFERENCES, NO_TRUTH)

    def spearman(self, ranking: str) -> tuple[FloatArray, RepeatNoise]:
        """Return Spearman's correlation per context of each repeat, (n_repeats,), and its noise. Raises Undefined."""
        recorded = recorded_contexts(self.repeats[0])
        if np.isnan(self.people.human.scores).all():
            raise Undefined(ALL_SKIPPED)
        scores = [score(ranking, one) for one in self.repeats]
        within = np.stack([spearman_within_contexts(one, self.people.human, recorded) for one in scores])
        counted = ~np.isnan(within).any(axis=0)
        candidates = matched_candidates(scores[0], self.people.human, len(recorded))[counted]
        guard = coefficient_guard(float(candidates.mean())) if counted.any() else 0.0
        return _figure(within[:, counted], float(counted.sum()), guard, ALL_SKIPPED)


def _figure(parts: FloatArray, size: float, guard: float, if_empty: str) -> tuple[FloatArray, RepeatNoise]:
    if size <= 0:
        raise Undefined(if_empty)
    return np.asarray(parts.sum(axis=1) / size), repeat_noise(parts, size, guard)
