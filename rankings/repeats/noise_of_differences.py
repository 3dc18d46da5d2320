"""The noise between repeats: of accuracy and correlations, and its floor for a difference between two runs."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from evenhand.numerics import Comparisons, Figure, human_preferences, score
from evenhand.numerics.accuracy import NO_TRUTH, context_credits
from evenhand.numerics.arrays import FloatArray
from evenhand.numerics.correlation.correlations import ALL_SKIPPED, matched_candidates, spearman_within_contexts
from evenhand.numerics.exceptions import Undefined
from evenhand.numerics.intervals import GUARD_OF_DIFFERENCES, coefficient_guard
from evenhand.numerics.reliability.repeat_noise import RepeatNoise, noise_floor, noise_floor_between, repeat_noise
from evenhand.refusals import Refused
from judging.models import Run
from rankings.agreement.raters import pairs_of, recorded_contexts
from rankings.loading import People
from rankings.repeats.repeated_answers import common_answers
from rankings.report.report_rows import Sources


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
        return _figure(parts, float(credits[0][1].sum()), GUARD_OF_DIFFERENCES, 1.0, NO_TRUTH)

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
        return _figure(within[:, counted], float(counted.sum()), guard, 2.0, ALL_SKIPPED)


def _figure(
    parts: FloatArray, size: float, guard: float, largest: float, if_empty: str
) -> tuple[FloatArray, RepeatNoise]:
    if size <= 0:
        raise Undefined(if_empty)
    return np.asarray(parts.sum(axis=1) / size), repeat_noise(parts, size, guard, largest)


@dataclass(frozen=True, slots=True, eq=False)
class RepeatedSide:
    """One of two compared runs. comparisons: those compared. repeats: the run itself and its repeats."""

    run: Run
    comparisons: Comparisons
    repeats: Sequence[Run]


class NoiseOfDifference:
    """The noise floors of the differences of two runs. Each side's noise is measured once."""

    def __init__(self, one: RepeatedSide, other: RepeatedSide, sources: Sources) -> None:
        self.are_repeats = other.run in one.repeats
        sides = (one,) if self.are_repeats else (one, other)
        self.reason = next(filter(None, map(_why_unknown, sides)), "")
        self.sources = sources
        self.noises: list[NoiseOfRepeats] = []
        if not self.reason:
            self._load(sides)

    def floor(self, ranking: str | None) -> Figure:
        """Return the floor for the accuracy, or for the correlations by a ranking."""
        if self.reason:
            return Figure.missing(self.reason)
        try:
            measured = [(one.accuracy() if ranking is None else one.spearman(ranking))[1] for one in self.noises]
        except Undefined as undefined:
            return Figure.missing(undefined.reason)
        return noise_floor(measured[0]) if self.are_repeats else noise_floor_between(*measured)

    def _load(self, sides: Sequence[RepeatedSide]) -> None:
        try:
            self.noises = [self._noise_of(side) for side in sides]
        except Refused:
            self.reason = "the repeats have no answer in common on these pairs"

    def _noise_of(self, side: RepeatedSide) -> NoiseOfRepeats:
        others = [pairs_of(self.sources.table, self.sources.answers(run)) for run in side.repeats if run != side.run]
        answers = common_answers([side.comparisons, *others])
        return NoiseOfRepeats(answers.repeats, self.sources.people(side.run.attribute))


def _why_unknown(side: RepeatedSide) -> str:
    if side.run.is_scoring:
        return f"run {side.run.pk} gives scores, whose noise is not measured"
    if len(side.repeats) < 2:
        return f"run {side.run.pk} has no repeat; judge again with another seed"
    return ""
