"""The noise floor of a difference between two runs, from repeats of both."""

from collections.abc import Sequence
from dataclasses import dataclass

from evenhand.numerics import Comparisons, Figure
from evenhand.numerics.exceptions import Undefined
from evenhand.numerics.reliability.repeat_noise import noise_floor, noise_floor_between
from evenhand.refusals import Refused
from judging.models import Run
from rankings.agreement.raters import pairs_of
from rankings.repeats.noise_of_figures import NoiseOfRepeats
from rankings.repeats.repeated_answers import common_answers
from rankings.report.report_rows import Sources


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
        return Figure(noise_floor(measured[0]) if self.are_repeats else noise_floor_between(*measured))

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
