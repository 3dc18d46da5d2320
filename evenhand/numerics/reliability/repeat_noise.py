"""The noise of a figure: how much it moves when a judge is asked the same questions again.

A figure here is a sum over contexts divided by a fixed number. If contexts are answered independently, its variance
between repeats is the sum of the variances of the contexts. So two repeats are enough for an estimate.
"""

from dataclasses import dataclass

import numpy as np

from evenhand.numerics.arrays import FloatArray
from evenhand.numerics.exceptions import Undefined
from evenhand.numerics.figure import Figure
from evenhand.numerics.intervals import student_quantile

TELLS_NOTHING = "the repeats vary so much, on so few contexts, that any difference may be noise"


@dataclass(frozen=True, slots=True)
class RepeatNoise:
    """The noise of a figure.

    variance: of the figure between repeats. guarded: the same with two contexts more, in which one repeat differs by
    the smallest amount. Few repeats of few contexts often agree by chance. degrees_of_freedom: of `guarded`.
    largest: the largest possible difference of the figure.
    """

    variance: float
    guarded: float
    degrees_of_freedom: float
    largest: float

    @property
    def standard_deviation(self) -> float:
        return float(np.sqrt(self.variance))


def repeat_noise(parts: FloatArray, size: float, guard: float, largest: float) -> RepeatNoise:
    """Estimate the noise of the figure `parts.sum(axis=1) / size` from repeats.

    Degrees of freedom are effective ones, because contexts vary differently [Satterthwaite1946].
    parts: float, (n_repeats, n_contexts). Part of each context in each repeat. guard: of an interval of the figure's
    differences, as in `evenhand.numerics.intervals`: twice the square of the smallest amount. largest: see RepeatNoise.
    Raises Undefined for fewer than two repeats, or if size is 0.
    """
    if len(parts) < 2:
        raise Undefined("the noise of a figure needs at least two repeats")
    if size <= 0:
        raise Undefined("no context counts")
    variances = np.append(parts.var(axis=0, ddof=1), [guard / 2 / len(parts)] * 2) / size**2
    guarded = float(variances.sum())
    degrees_of_freedom = guarded**2 * (len(parts) - 1) / float((variances**2).sum())
    return RepeatNoise(float(variances[:-2].sum()), guarded, degrees_of_freedom, largest)


def noise_floor(noise: RepeatNoise) -> Figure:
    """Return the difference that two repeats of one judge exceed in 5 % of cases [Bland1996]."""
    return _floor(2 * noise.guarded, noise.degrees_of_freedom, noise.largest)


def noise_floor_between(one: RepeatNoise, other: RepeatNoise) -> Figure:
    """Return the difference that two judges with the same expected figure exceed in 5 % of cases."""
    uncertainty = sum(noise.guarded**2 / noise.degrees_of_freedom for noise in (one, other))
    variance = one.guarded + other.guarded
    return _floor(variance, variance**2 / uncertainty, one.largest)


def _floor(variance: float, degrees_of_freedom: float, largest: float) -> Figure:
    floor = float(student_quantile(degrees_of_freedom) * np.sqrt(variance))
    return Figure(floor) if floor < largest else Figure.missing(TELLS_NOTHING)
