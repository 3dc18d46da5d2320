"""Maximum likelihood of logistic models of differences of scores, by damped Newton steps.

The model: `first` wins with probability sigmoid(s_first - s_second - shift); wins and counts may be fractions.
Let b be the largest change of a difference that a Newton step would make. The first BOLD_ITERATIONS steps are only
shortened to b = 2, which is enough for most data. Later ones are scaled by log(1 + b) / b: the logistic loss is
generalised self-concordant, so each of these goes uphill and the iteration converges from anywhere [Sun2019].
"""

from dataclasses import dataclass

import numpy as np

from evenhand.numerics.arrays import BoolArray, FloatArray
from evenhand.numerics.fitting.laplacians import laplacians

TOLERANCE = 1e-10
LEAST_WEIGHT = 1e-12
"""The least weight of an answer in the curvature, so that nearly certain answers still connect candidates."""
BOLD_ITERATIONS = 12
MAX_ITERATIONS = 200


@dataclass(frozen=True, slots=True, eq=False)
class LogisticFit:
    """Scores at the optimum, mean zero.

    scores: float, (n_candidates, n_problems).
    converged: bool, (n_problems,). Whether every component of the gradient is below the tolerance.
    """

    scores: FloatArray
    converged: BoolArray


def negative_hessian(
    counts: FloatArray, scores: FloatArray, shift: float = 0.0, *, least: float = LEAST_WEIGHT
) -> FloatArray:
    """Return the negative Hessian of each problem, (n_problems, size, size): the Laplacian of counts x p x (1 - p).

    counts: float, (n_problems, size, size). Comparisons of ordered pairs. scores: float, (n_problems, size).
    least: lower bound of p x (1 - p). With 0 the Hessian is exact, but may be singular within rounding.
    """
    differences = scores[:, :, None] - scores[:, None, :] - shift
    odds = np.exp(-np.abs(differences))  # of the less likely of the two
    return laplacians(counts * np.maximum(odds / (1 + odds) ** 2, least))


def trusted_share(reach: FloatArray, iteration: int) -> FloatArray:
    """Return the share of a Newton step to be taken at this iteration. reach: the `spread` of the step."""
    reach = np.maximum(reach, 1e-300)
    share: FloatArray = np.minimum(1.0, 2.0 / reach) if iteration < BOLD_ITERATIONS else np.log1p(reach) / reach
    return share


def spread(values: FloatArray) -> FloatArray:
    """Return the largest difference between two candidates' values, (n_candidates, …), of each problem."""
    largest: FloatArray = values.max(axis=0) - values.min(axis=0)
    return largest
