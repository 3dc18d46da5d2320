"""The likelihood of what was won and lost, for very many small problems at once, where answers may be all but certain.

In double precision, and nothing near 1 is subtracted from 1, so that what answers make equal comes out equal. The
problems lie along the last axis.
"""

from dataclasses import dataclass

import numpy as np

from rankings.numerics.arrays import BoolArray, FloatArray, IntArray
from rankings.numerics.fitting.laplacian_elimination import Elimination, eliminate, pair_rows, pair_signs
from rankings.numerics.fitting.workspace import Workspace

_FARTHEST_ODDS = 700.0
"""Logarithms of odds beyond this overflow."""


@dataclass(frozen=True, slots=True, eq=False)
class Outcomes:
    """What the candidate that is listed first won and lost, both float, of the shape of `asked`."""

    won: FloatArray
    lost: FloatArray

    def of(self, some: BoolArray | IntArray) -> "Outcomes":
        """The same of some of the problems."""
        return Outcomes(self.won[:, some], self.lost[:, some])


class CertainLikelihood:
    """The likelihood of some problems at half scores; the arrays in it are written over at each point."""

    def __init__(self, outcomes: Outcomes, shift: float, workspace: Workspace) -> None:
        self.outcomes, self.shift, self.workspace = outcomes, shift, workspace
        shape = (2 if shift else 1, -1, outcomes.won.shape[1])
        self._wins, self._losses = outcomes.won.reshape(shape), outcomes.lost.reshape(shape)
        self._asked = 4 * (self._wins + self._losses)
        self._odds, self._chances, self._surplus = workspace.empty("certain", (3, *self._wins.shape), np.float64)

    def of(self, some: BoolArray) -> "CertainLikelihood":
        """The same of some of the problems."""
        return CertainLikelihood(self.outcomes.of(some), self.shift, self.workspace)

    def gradient(self, halves: FloatArray) -> FloatArray:
        """What the scores must add up to, (size, n_problems), at these half scores."""
        odds, chances, surplus = self._odds, self._chances, self._surplus
        scores = 2 * halves
        for candidate, row in enumerate(pair_rows(len(halves))):
            np.subtract(scores[candidate + 1 :], scores[candidate], out=odds[0, row])
        if self.shift:
            np.negative(odds[0], out=odds[1])
            odds += self.shift
        np.minimum(odds, _FARTHEST_ODDS, out=odds)
        np.exp(odds, out=odds)
        np.add(odds, 1, out=chances)
        np.reciprocal(chances, out=chances)
        odds *= chances  # the chances of the other
        np.multiply(self._wins, odds, out=surplus)
        odds *= chances  # what each answer counts in the curvature
        chances *= self._losses
        surplus -= chances
        if self.shift:
            surplus[0] -= surplus[1]
        gradient: FloatArray = 2 * (pair_signs(len(halves), odds.dtype) @ surplus[0])
        return gradient

    def elimination(self) -> Elimination:
        """Of the curvature where the gradient was last taken, in single precision."""
        weights = np.multiply(self._asked, self._odds, out=self._surplus)
        if self.shift:
            weights[0] += weights[1]
        return eliminate(weights[0].astype(np.float32), self.workspace)
