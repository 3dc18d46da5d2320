"""The noise of a figure: how much it moves when a judge is asked the same questions again.

A figure here is a sum over contexts divided by a fixed number. If contexts are answered independently, its variance
between repeats is the sum of the variances of the contexts. So two repeats are enough for an estimate.
"""

from dataclasses import dataclass

import numpy as np
from scipy.special import stdtrit

from rankings.numerics.arrays import FloatArray
from rankings.numerics.exceptions import Undefined

_UPPER_TAIL = 0.975


@dataclass(frozen=True, slots=True)
class RepeatNoise:
    """The noise of a figure.

    variance: of the figure between repeats. degrees_of_freedom: of this estimate; None if no context varies.
    """

    variance: float
    degrees_of_freedom: float | None

    @property
    def standard_deviation(self) -> float:
        return float(np.sqrt(self.variance))


def repeat_noise(parts: FloatArray, size: float) -> RepeatNoise:
    """Estimate the noise of the figure `parts.sum(axis=1) / size` from repeats.

    Degrees of freedom are effective ones, because contexts vary differently [Satterthwaite1946].
    parts: float, (n_repeats, n_contexts). Part of each context in each repeat.
    Raises Undefined for fewer than two repeats, or if size is 0.
    """
    if len(parts) < 2:
        raise Undefined("the noise of a figure needs at least two repeats")
    if size <= 0:
        raise Undefined("no context counts")
    variances = parts.var(axis=0, ddof=1) / size**2  # (n_contexts,)
    variance = float(variances.sum())
    if variance == 0:
        return RepeatNoise(0.0, None)
    return RepeatNoise(variance, variance**2 * (len(parts) - 1) / float((variances**2).sum()))


def noise_floor(noise: RepeatNoise) -> float:
    """Return the difference that two repeats of one judge exceed in 5 % of cases [Bland1996]."""
    return _floor(2 * noise.variance, noise.degrees_of_freedom)


def noise_floor_between(one: RepeatNoise, other: RepeatNoise) -> float:
    """Return the difference that two judges with the same expected figure exceed in 5 % of cases."""
    variance = one.variance + other.variance
    parts = [(noise.variance, noise.degrees_of_freedom) for noise in (one, other)]
    uncertainty = sum(part**2 / degrees for part, degrees in parts if degrees is not None)
    return _floor(variance, variance**2 / uncertainty if uncertainty else None)


def _floor(variance: float, degrees_of_freedom: float | None) -> float:
    if degrees_of_freedom is None:
        return 0.0
    return float(stdtrit(degrees_of_freedom, _UPPER_TAIL) * np.sqrt(variance))
