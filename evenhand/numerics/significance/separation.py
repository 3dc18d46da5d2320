"""Which systems of a ranking are apart: simultaneous intervals of all differences of their scores, and cycles.

Scores are those of `bradley_terry` over systems. Contexts are the observations. The largest studentised difference of
all pairs, in contexts drawn with replacement, gives one quantile for all intervals [Romano2005].
"""

from dataclasses import dataclass

import numpy as np
from scipy.special import bdtrc, expit

from evenhand.numerics.arrays import BoolArray, FloatArray, IntArray, sums
from evenhand.numerics.comparisons import Comparisons
from evenhand.numerics.decisions import decide
from evenhand.numerics.exceptions import Undefined
from evenhand.numerics.intervals import COVERAGE, FEWEST_DRAWN, student_quantile
from evenhand.numerics.rankings.bradley_terry import bradley_terry
from evenhand.numerics.shared_draws import with_drawn_sums

MOST_STUDENTISED = 1_000
"""With more contexts, errors hardly vary between drawings, so those of all contexts serve."""


@dataclass(frozen=True, slots=True, eq=False)
class Separation:
    """Differences of the scores of systems, row minus column, all (n_systems, n_systems).

    scores: float, (n_systems,). In nats, mean zero. low, high: simultaneous 95 % interval of each difference.
    contexts: number of contexts, which would have to be `needed` for the interval to leave out 0; inf for equal scores.
    """

    scores: FloatArray
    low: FloatArray
    high: FloatArray
    contexts: int
    needed: FloatArray

    @property
    def apart(self) -> BoolArray:
        """True where the interval leaves out 0."""
        return (self.low > 0) | (self.high < 0)


@dataclass(frozen=True, slots=True)
class Cycles:
    """Triads of systems all of whose pairs are decided, the cycles among them, and those that the scores expect."""

    triads: int
    seen: int
    expected: float


def separate(systems: Comparisons, contexts: IntArray) -> Separation:
    """Compare the scores of all systems. systems: their comparisons, as one context. contexts: int, (n,).

    Raises Undefined with fewer than ten contexts, and Undefined and NotConverged as `bradley_terry` does.
    """
    kept, rows = np.unique(contexts, return_inverse=True)
    if len(kept) < FEWEST_DRAWN:
        raise Undefined(f"simultaneous intervals need {FEWEST_DRAWN} contexts with two systems, not {len(kept)}")
    fitted = bradley_terry(systems)
    if fitted.reasons.any():
        raise Undefined("its comparisons do not connect all systems; judge pairs that do")
    scores = fitted.values
    differences = scores[:, None] - scores
    influence, floor = _influence(systems, rows, scores)
    errors = np.sqrt(_variances(influence.T @ influence, influence.sum(axis=0), len(kept), floor))
    half = _quantile(influence, errors, floor) * errors
    with np.errstate(divide="ignore", invalid="ignore"):
        needed = np.ceil(len(kept) * (half / np.abs(differences)) ** 2)
    return Separation(scores, differences - half, differences + half, len(kept), needed)


def _influence(systems: Comparisons, rows: IntArray, scores: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return how each context moves the scores, (n_contexts, n_systems), and the variance of each difference if all
    comparisons were independent, (n_systems, n_systems)."""
    n, first, second = systems.n_candidates, systems.first, systems.second
    expected = expit(scores[first] - scores[second])
    residuals, size = decide(systems.p_first) - expected, (int(rows.max()) + 1) * n
    gradients = sums(rows * n + first, residuals, size) - sums(rows * n + second, residuals, size)
    weights = sums(first * n + second, expected * (1 - expected), n * n).reshape(n, n)
    both = weights + weights.T
    inverse = np.linalg.pinv(np.diag(both.sum(axis=0)) - both)
    influence = gradients.reshape(-1, n) @ inverse
    spread = np.diag(inverse)
    return influence - influence.mean(axis=0), spread[:, None] + spread - 2 * inverse


def _variances(products: FloatArray, totals: FloatArray, n: int, floor: FloatArray) -> FloatArray:
    """Return the variance of the difference of each two columns' totals over n contexts, at least the floor.

    products: float, (…, n_systems, n_systems), sums of products of two columns. totals: (…, n_systems).
    """
    own = np.diagonal(products, axis1=-2, axis2=-1)
    squares = own[..., :, None] + own[..., None, :] - 2 * products
    gaps = totals[..., :, None] - totals[..., None, :]
    return np.asarray(np.maximum(n / (n - 1) * (squares - gaps**2 / n), floor))


def _quantile(influence: FloatArray, errors: FloatArray, floor: FloatArray) -> float:
    """Return the 95 % quantile of the largest studentised difference in contexts drawn with replacement.

    It is at least that of one difference: contexts that all agree hardly vary when they are drawn again.
    """
    (n_contexts, n), found = influence.shape, list[FloatArray]()
    one, other = np.triu_indices(n)
    studentised = n_contexts <= MOST_STUDENTISED
    products = influence[:, one] * influence[:, other] if studentised else influence[:, :0]
    with_drawn_sums(np.hstack([influence, products]), found.append)
    gaps = found[0][:, :n, None] - found[0][:, None, :n]
    if studentised:
        drawn = np.empty((len(gaps), n, n))
        drawn[:, one, other] = drawn[:, other, one] = found[0][:, n:]
        errors = np.sqrt(_variances(drawn, found[0][:, :n], n_contexts, floor))
    pairs = np.triu_indices(n, 1)
    largest = np.abs(gaps / np.where(errors > 0, errors, 1.0))[:, *pairs].max(axis=1)
    return max(float(np.quantile(largest, COVERAGE)), float(student_quantile(n_contexts - 1)))


def cycles(systems: Comparisons, scores: FloatArray) -> Cycles:
    """Count the triads of systems that go in a circle by the majority of decisions, and those that the scores expect.

    Each comparison is taken as won by chance, independently of the others.
    """
    n, decided = systems.n_candidates, decide(systems.p_first)
    keys, back = systems.first * n + systems.second, systems.second * n + systems.first
    wins = (sums(keys, decided, n * n) + sums(back, 1 - decided, n * n)).reshape(n, n)
    better = (wins > wins.T).astype(np.float64)
    played = wins + wins.T
    chances = expit(scores[:, None] - scores)
    expected = np.where(played > 0, bdtrc(played // 2, played.astype(np.intp), chances), 0.0)
    triads = _in_a_circle(better + better.T) / 2
    return Cycles(round(triads), round(_in_a_circle(better)), _in_a_circle(expected))


def _in_a_circle(chances: FloatArray) -> float:
    """Sum the products of chances around each directed circle of three. chances: float, (n, n)."""
    return float(np.trace(chances @ chances @ chances)) / 3
